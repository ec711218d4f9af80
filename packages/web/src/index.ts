/** Links to an app on web pages: its banner, its short links, its QR codes. Nothing happens at import. */
import { addressOf, baseOf, type DeepLinkPath, restOf } from './address.ts';
import { absent, type Banner, type BannerRules, showBanner } from './banner.ts';
import { phoneOf } from './device.ts';
import type { BannerLook } from './draw-banner.ts';
import { carriedBy, type Parameters, toQuery } from './parameters.ts';
import { drawQr } from './qr.ts';
import type { TranslatedTexts } from './texts.ts';

export type { Absence, Banner } from './banner.ts';
export type { BannerTexts } from './texts.ts';

export interface WebConfig {
  /** Of the short links: `go.example.com`. A service without TLS is `http://localhost:8080`. */
  readonly host: string;
  /**
   * Scheme of the app’s own addresses. Only pages at `host` itself need it, where Android keeps links in the browser: the
   * banner then opens `SCHEME://deepLinkPath`, or the link where the app is missing.
   */
  readonly appScheme?: string;
  /** Names of further parameters of the page’s address that links carry on; `*` at the end stands for any ending. */
  readonly carry?: readonly string[];
  /** Keeps the carried parameters for later pages of the session (default). */
  readonly session?: boolean;
}

export interface LinkOptions {
  /** What the person looks at: appended to the path of a link, which must have `passPath`. A function is asked at the tap. */
  readonly deepLinkPath?: DeepLinkPath;
  /** Come before those of the page. */
  readonly params?: Readonly<Record<string, string>>;
}

export interface BannerOptions extends LinkOptions, BannerLook, BannerRules, TranslatedTexts {
  /** A short code, a path such as `/summer`, or the short URL. */
  readonly code: string;
}

export interface QrOptions extends LinkOptions {
  /** What screen readers say; default `QR code`. */
  readonly label?: string;
  /** Draws it on phones, too. */
  readonly force?: boolean;
}

export interface Web {
  /** The address of a short link, with the parameters of the page. */
  link(code: string, options?: LinkOptions): string;
  /** Shows a banner on phones and tablets, in place of the one before. */
  banner(options: BannerOptions): Banner;
  /** Draws the QR code of a link on computers. */
  qr(code: string, element: Element, options?: QrOptions): void;
}

/** @throws TypeError if `host` is none. */
export function createWeb({ host, appScheme, carry = [], session = true }: WebConfig): Web {
  const base = baseOf(host);
  const isPage = typeof document === 'object';
  const carried = (): Parameters => (isPage ? carriedBy(location.search, carry, session) : []);
  // A later page may not have them any more.
  carried();

  function link(code: string, { deepLinkPath, params = {} }: LinkOptions = {}): string {
    const { rest, query } = restOf(deepLinkPath);
    const search = toQuery([...Object.entries(params), ...query, ...carried()]);
    return addressOf(base, code) + rest + (search && `?${search}`);
  }

  function banner(options: BannerOptions): Banner {
    if (!isPage) return absent('no-phone');
    return showBanner(options, addressOf(base, options.code), () =>
      openerOf(link(options.code, options), options.deepLinkPath),
    );
  }

  /** On the link’s own host Android’s browsers keep a link for themselves. */
  function openerOf(address: string, deepLinkPath?: DeepLinkPath): string {
    if (!appScheme || !`${base}/`.startsWith(`${location.origin}/`) || phoneOf() !== 'android')
      return address;
    const { rest, query } = restOf(deepLinkPath);
    return `intent:/${rest || '/'}${String(query) && `?${query}`}#Intent;scheme=${appScheme};S.browser_fallback_url=${encodeURIComponent(address)};end`;
  }

  function qr(code: string, element: Element, options: QrOptions = {}): void {
    if (!isPage || (!options.force && phoneOf())) return;
    const address = addressOf(base, code);
    const { rest } = restOf(options.deepLinkPath);
    drawQr([link(code, options), address + rest, address], element, options.label ?? 'QR code');
  }

  return { link, banner, qr };
}
