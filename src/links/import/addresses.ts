import { LINK_PATH_PATTERN } from '../look-up/link-address.ts';
import { RowFailure, shown } from './values.ts';

const LINK_PATH = new RegExp(LINK_PATH_PATTERN);
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const MAX_SHOWN = 512;
const NO_HOST = 'host.invalid';

/**
 * Where a link was, of its address, with or without a scheme; `/path` where the file has no host.
 * @throws RowFailure for an address that no link can have.
 */
export function oldAddress(given: string): { host: string | null; path: string } {
  const text = given.replace(/^\/\/(?=[^/])/, 'https://');
  const hasHost = !text.startsWith('/');
  const address = hasHost ? (HAS_SCHEME.test(text) ? text : `https://${text}`) : `https://${NO_HOST}${text}`;
  const url = URL.parse(address);
  if (url === null || url.hostname === '') throw new RowFailure(`${shown(text)} is no address of a link.`);
  const path = decode(url.pathname.replaceAll(/^\/+|\/+$/g, ''));
  if (path === '') throw new RowFailure(rootFailure(text, url));
  if (path === null || !LINK_PATH.test(path))
    throw new RowFailure(
      `The path of ${shown(text)} cannot be kept: a path has up to 5 segments of A-Z a-z 0-9 . _ ~ -, and 255 characters. Create the link under another path.`,
    );
  return { host: hasHost ? url.host : null, path };
}

/** As a report has it: without a scheme, and as the file has it if no link can have it. */
export function shownAddress(text: string): string {
  try {
    const { host, path } = oldAddress(text);
    return `${host ?? ''}/${path}`;
  } catch (error) {
    if (error instanceof RowFailure) return text.slice(0, MAX_SHOWN);
    throw error;
  }
}

function rootFailure(text: string, { searchParams }: URL): string {
  if (searchParams.has('link'))
    return `${shown(text)} is a long link of Firebase, which is not imported: it answers at the root of the app’s host. Set firebaseLongLinks of the app.`;
  return `${shown(text)} is the root of a host, and no link. Set rootUrl of the app.`;
}

/** @returns null for a malformed escape. */
function decode(path: string): string | null {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** @param code encoded or not: no path may have a `%`. */
export function addressOf(host: string | undefined, code: string): string {
  const path = code.replace(/^\/+/, '').replaceAll(/[?#]/g, encodeURIComponent);
  return `${host?.replace(/\/+$/, '') ?? ''}/${path}`;
}

export interface DeepLink {
  readonly path: string;
  /** Undefined without any. */
  readonly params: Record<string, unknown> | undefined;
}

/** Path and parameters of a deep link: a web address, an address of an app's own scheme, or a path. */
export function deepLinkOf(text: string): DeepLink {
  const url = HAS_SCHEME.test(text) ? URL.parse(text) : null;
  if (url === null) {
    const [path = '', query = ''] = text.split('#', 1)[0]?.split(/\?(.*)/s) ?? [];
    return { path: path === '' ? '/' : path, params: paramsOf(new URLSearchParams(query)) };
  }
  const isWeb = /^https?:$/.test(url.protocol);
  const path = isWeb || url.host === '' ? url.pathname : `/${url.host}${url.pathname}`;
  // Pages that keep their path in the fragment.
  const route = /^#!?\//.test(url.hash) ? url.hash : '';
  return { path: `${path || '/'}${route}`, params: paramsOf(url.searchParams) };
}

/** A parameter that is repeated is a list. */
function paramsOf(query: URLSearchParams): Record<string, unknown> | undefined {
  if (query.size === 0) return undefined;
  const params = new Map<string, string | string[]>();
  for (const [name, value] of query) {
    const before = params.get(name);
    params.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(params);
}

/** The address with those of `parameters` that it lacks and that have a value; unchanged if it is none. */
export function withParameters(
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const url = given.length === 0 ? null : URL.parse(address);
  if (url === null) return address;
  const missing = given.filter(([name]) => !url.searchParams.has(name));
  for (const [name, value] of missing) url.searchParams.set(name, value ?? '');
  return missing.length === 0 ? address : url.href;
}
