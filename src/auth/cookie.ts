import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import type { Config } from '../config.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';

/** Between the start of a sign-in and its return. */
export const SIGN_IN_MS = 10 * MINUTE_MS;

const SESSION = 'throughline_session';
/** Of a browser in which somebody has signed in; see `known-browser.ts`. */
const BROWSER = 'throughline_browser';
const FLOW = 'throughline_oidc';
/** As long as browsers allow: the service ends the session. */
const MAX_AGE_SECONDS = (400 * DAY_MS) / SECOND_MS;

/**
 * Browsers take a cookie of such a name from the host itself alone, by TLS (RFC 6265bis 4.1.3.2), so that no other host of
 * the domain plants one.
 */
const HOST_PREFIX = '__Host-';

type Address = Pick<Config, 'publicUrl'>;

/** The token of the session cookie, or null. */
export function sessionTokenOf(config: Address, cookieHeader: string | undefined): string | null {
  return readCookie(config, cookieHeader, SESSION);
}

/** The token of a session cookie from before the service had TLS: it opens nothing, and ends with the next session. */
export function formerTokenOf(config: Address, cookieHeader: string | undefined): string | null {
  return isSecure(config) ? valueIn(cookieHeader, SESSION) : null;
}

/** A value for `Set-Cookie`. @param token null removes the cookie. */
export function sessionCookie(config: Address, token: string | null): string {
  return write(config, SESSION, token, { sameSite: 'strict', maxAge: MAX_AGE_SECONDS });
}

/** Removes the cookie of `formerTokenOf`. */
export function formerCookieRemoval({ publicUrl }: Address): string {
  const path = new URL(publicUrl).pathname;
  return stringifySetCookie({ name: SESSION, value: '', path, maxAge: 0, httpOnly: true, secure: true });
}

export function browserOf(config: Address, cookieHeader: string | undefined): string | null {
  return readCookie(config, cookieHeader, BROWSER);
}

export function browserCookie(config: Address, browser: string): string {
  return write(config, BROWSER, browser, { sameSite: 'strict', maxAge: MAX_AGE_SECONDS });
}

/** The state of a sign-in while the user is at the provider, or null. */
export function flowOf(config: Address, cookieHeader: string | undefined): string | null {
  return readCookie(config, cookieHeader, FLOW);
}

/** Lax, since the provider's site leads back. @param flow null removes the cookie. */
export function flowCookie(config: Address, flow: string | null): string {
  return write(config, FLOW, flow, { sameSite: 'lax', maxAge: SIGN_IN_MS / SECOND_MS });
}

function write(
  config: Address,
  name: string,
  value: string | null,
  { sameSite, maxAge }: Pick<SetCookie, 'sameSite' | 'maxAge'>,
): string {
  const secure = isSecure(config);
  return stringifySetCookie({
    name: secure ? HOST_PREFIX + name : name,
    value: value ?? '',
    // The prefix demands the path `/`.
    path: secure ? '/' : new URL(config.publicUrl).pathname,
    httpOnly: true,
    secure,
    sameSite,
    maxAge: value === null ? 0 : maxAge,
  });
}

function readCookie(config: Address, header: string | undefined, name: string): string | null {
  return valueIn(header, isSecure(config) ? HOST_PREFIX + name : name);
}

function valueIn(header: string | undefined, name: string): string | null {
  const value = header === undefined ? undefined : parseCookie(header)[name];
  return value === undefined || value === '' ? null : value;
}

function isSecure({ publicUrl }: Address): boolean {
  return publicUrl.toLowerCase().startsWith('https:');
}
