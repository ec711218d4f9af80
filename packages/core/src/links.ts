import { isStorable } from './json-text.ts';
import { MAX_TOKEN_CHARACTERS } from './limits.ts';
import type { DeepLink, JsonObject } from './types.ts';

/** A URL in parts. React Native's own `URL` is incomplete, and Hermes alone has none. */
interface Address {
  readonly scheme: string;
  /** With the port, as written. */
  readonly authority: string;
  /** In lower case, without a user. */
  readonly host: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

const CLICK_ID = 'svc_click_id';
/** No screen of the app has the path of a short link. */
const SHORT_LINK = /^\/l\/|\/l\/[^/]+\/?$/;

function readAddress(url: string): Address | null {
  const parts = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url);
  if (parts === null) return null;
  const [, scheme = '', authority = '', path = '', query = ''] = parts;
  return {
    scheme: scheme.toLowerCase(),
    authority,
    host: authority.slice(authority.lastIndexOf('@') + 1).toLowerCase(),
    path,
    query: readQuery(query),
  };
}

function readQuery(query: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const pair of query.split('&')) {
    const [name = '', ...value] = pair.split('=');
    if (name !== '') values[decode(name)] = decode(value.join('='));
  }
  return values;
}

/** A text with a broken escape stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}

function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a URL has what the landing page writes as its token, and the service would take it. */
export function mayBeToken(url: string): boolean {
  const token = readAddress(url)?.query[CLICK_ID] ?? '';
  return /^[\w.-]+$/.test(token) && url.length <= MAX_TOKEN_CHARACTERS && isStorable(url);
}

/** A URL that opens a screen of the app. */
export interface OpenedLink {
  /** Of a link with the app's own scheme, which the landing page opens. */
  readonly clickId: string | null;
  /** The link as far as the URL tells. */
  readonly local: DeepLink;
}

/**
 * Which hosts are the app's own, and what their links say.
 * @param hosts of the short links, with or without a port.
 */
export type LinkReader = ReturnType<typeof linkReader>;

export function linkReader(hosts: readonly string[]) {
  const own = new Set(hosts.map((host) => host.toLowerCase()));
  const isOwn = ({ scheme, host }: Address) =>
    /^https?$/.test(scheme) && (own.has(host) || own.has(host.replace(/:\d+$/, '')));

  return {
    /** @returns null for a URL that is not one of the app's links. */
    read(url: string): OpenedLink | null {
      const address = typeof url === 'string' ? readAddress(url) : null;
      if (address === null) return null;
      const { [CLICK_ID]: clickId = null, ...params } = address.query;
      if (isOwn(address)) {
        const path = SHORT_LINK.test(address.path) ? '/' : address.path || '/';
        return { clickId: null, local: { ...linkOf(url, path, params), unresolved: true } };
      }
      if (/^https?$/.test(address.scheme) || clickId === null) return null;
      return { clickId, local: linkOf(url, screenOf(address), params) };
    },

    /** @returns the URL with the landing page's token in a pasted text; null if there is none of the app's. */
    findToken(text: string): string | null {
      for (const [url] of text.matchAll(/https?:\/\/\S+/gi)) {
        const address = readAddress(url);
        if (address !== null && isOwn(address) && mayBeToken(url)) return url;
      }
      return null;
    },
  };
}

/**
 * The path in an address of the app's own scheme, as the landing page wrote it: its first part is in the place of the
 * host. The landing page never escapes `/` and `?`: such an escape is part of the link's path.
 */
function screenOf({ authority, path }: Address): string {
  const written = (authority === '' ? path : `/${authority}${path}`) || '/';
  return written.replace(/(?:%(?!2f|3f)[\da-f]{2})+/gi, decodeEscapes);
}

function linkOf(url: string, path: string, params: JsonObject): DeepLink {
  return { path, params, url, deferred: false, campaignId: null, method: 'DIRECT', confidence: null };
}

/** @returns the link as far as the URL tells; null for a URL that is not one of the app's links. */
export function localLink(links: LinkReader, url: string): DeepLink | null {
  return links.read(url)?.local ?? null;
}

/** Host and port of a base URL. @throws TypeError for another text than an HTTP URL. */
export function hostOf(baseUrl: string): string {
  const address = readAddress(baseUrl);
  if (address === null || !/^https?$/.test(address.scheme))
    throw new TypeError(`Throughline: baseUrl must be an http or https URL, not “${baseUrl}”.`);
  return address.host;
}
