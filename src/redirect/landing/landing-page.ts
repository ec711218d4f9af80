import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../devices/index.ts';
import type { Foundation } from '../../foundation.ts';
import { escapeHtml, textHtml } from '../../lib/html.ts';
import {
  chooseDestination,
  drawSvgCode,
  type ResolvedLink,
  type RoutedLink,
  SHORT_LINK_PATH,
} from '../../links/index.ts';
import { clipboardText, proofOf } from '../../tokens.ts';
import { isOtherOn } from '../choose-answer.ts';
import type { LinkByPlatform } from '../link-by-platform.ts';
import { linkTitle, storeList } from '../pages/link-parts.ts';
import type { Page } from '../pages/page.ts';
import type { Visitor } from '../visitors/index.ts';
import { appAddress } from './app-address.ts';
import { type Texts, textsFor } from './texts.ts';

interface Visit {
  readonly visitor: Visitor;
  readonly acceptLanguage: string | undefined;
  /** Null if the click could not be written. */
  readonly clickId: string | null;
  /** As in `Answer`. */
  readonly destination: string | null;
  readonly isStore: boolean;
  /** As in `AnswerInput`. */
  readonly linkOn: LinkByPlatform;
  /** The address of the tap, as the service got it. */
  readonly url: string;
}

type Content = Required<Pick<Page, 'body' | 'data'>>;

/** Sent without its comments. */
const SCRIPT = readFileSync(join(import.meta.dirname, 'in-browser.js'), 'utf8')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => !line.startsWith('//'))
  .join('\n');

/** The page between a tap and the store. Its script reports the device's signals and redirects. */
export function landingPage(
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  link: RoutedLink,
  visit: Visit,
): Page {
  const { clickId, destination } = visit;
  const texts = textsFor(visit.acceptLanguage);
  const about = link.ogDescription === null ? '' : `<p><bdi>${textHtml(link.ogDescription)}</bdi></p>`;
  const content =
    destination === null
      ? contentForOtherDevices(link, visit, texts)
      : contentForDestination({ clock, secrets }, link, { ...visit, destination }, texts);
  const proof = clickId && proofOf(secrets, link.shortCode, clickId);
  return {
    language: texts.language,
    direction: texts.direction,
    title: linkTitle(link),
    body: about + content.body,
    data: { ...content.data, click: clickId, proof, signals: signalsAddress(link, visit.url) },
    script: SCRIPT,
  };
}

/** Relative: a proxy may have put a path in front of the tap's own. */
function signalsAddress({ shortCode }: ResolvedLink, url: string): string {
  const [path = ''] = url.split('?', 1);
  const upwards = '../'.repeat(path.split('/').length - 2) || './';
  return `${upwards}${SHORT_LINK_PATH.slice(1)}${shortCode}/signals`;
}

function contentForDestination(
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  link: RoutedLink,
  visit: Visit & { destination: string },
  texts: Texts,
): Content {
  const { visitor, clickId, destination, isStore } = visit;
  const { platform, inApp } = visitor;
  const app = isStore ? appAddress(link, { platform, clickId, destination }) : null;
  const copy =
    isStore && platform === 'IOS' && link.app.clipboardToken && clickId !== null
      ? clipboardText({ clock, secrets }, link, clickId)
      : null;
  const body = [
    isStore ? `<p class="quiet" id="going" hidden>${texts.redirecting}</p>` : '',
    `<a class="main" id="go" href="${escapeHtml(destination)}">${isStore ? texts.getApp : texts.goOn}</a>`,
    app === null ? '' : `<a href="${escapeHtml(app)}">${texts.openApp}</a>`,
    copy === null ? '' : `<p class="quiet">${texts.copiesCode}</p>`,
  ];
  // Some Android web views replace the page with an error for `intent:`, so there only a tap opens the app.
  const opensByScript = platform === 'IOS' || inApp === null;
  const tablets = platform === null ? tabletStores(link, visit) : {};
  return {
    body: body.join(''),
    data: { go: destination, app: opensByScript ? app : null, copy, ...tablets },
  };
}

/** For the script, which finds out whether a computer is a tablet that asks for desktop pages. */
function tabletStores(link: RoutedLink, { clickId, linkOn }: Visit): Content['data'] {
  const on = (platform: Platform) =>
    isOtherOn(link, platform, linkOn) ? chooseDestination(linkOn(platform), platform, clickId) : null;
  return { ipad: on('IOS'), android: on('ANDROID') };
}

/** A QR code of the link for a phone's camera, unless the visitor's device is a phone. */
function contentForOtherDevices(link: RoutedLink, visit: Visit, texts: Texts): Content {
  const stores = storeList(visit.linkOn, visit.clickId);
  if (visit.visitor.platform !== null || stores === '')
    return { body: `<p>${texts.opensInApp}</p>${stores}`, data: {} };
  return {
    body: `<p>${texts.openOnPhone}</p>${qrCodeOf(link)}${stores}`,
    data: tabletStores(link, visit),
  };
}

/** Drawing a code takes longer than the rest of the page. */
const qrCodes = new LRUCache<string, string>({ max: 1_000 });
const QR_STYLE = {
  modulePixels: 6,
  margin: 3,
  color: '#000000',
  background: '#ffffff',
  errorCorrection: 'L',
} as const;

function qrCodeOf({ shortUrl }: ResolvedLink): string {
  let code = qrCodes.get(shortUrl);
  if (code === undefined) {
    code = drawSvgCode(shortUrl, QR_STYLE);
    qrCodes.set(shortUrl, code);
  }
  return `<p role="img" aria-label="QR">${code}</p>`;
}
