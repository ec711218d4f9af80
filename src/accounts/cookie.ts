import { parseCookie, stringifySetCookie } from 'cookie';
import type { Config } from '../config.ts';
import { DAY_MS, SECOND_MS } from '../lib/clock.ts';
import { SIGN_IN_MS } from './oidc.ts';

const SESSION = 'throughline_session';
/** As long as browsers allow: the service ends the session. */
const MAX_AGE_SECONDS = (400 * DAY_MS) / SECOND_MS;
const FLOW = 'throughline_oidc';

/** The token of the session cookie, or null. */
export function sessionTokenOf(cookieHeader: string | undefined): string | null {
  return readCookie(cookieHeader, SESSION);
}

/** A value for `Set-Cookie`. @param token null removes the cookie. */
export function sessionCookie({ publicUrl }: Config, token: string | null): string {
  return stringifySetCookie({
    ...common(publicUrl),
    name: SESSION,
    value: token ?? '',
    path: new URL(publicUrl).pathname,
    sameSite: 'strict',
    maxAge: token === null ? 0 : MAX_AGE_SECONDS,
  });
}

/** The state of a sign-in while the user is at the provider, or null. */
export function flowOf(cookieHeader: string | undefined): string | null {
  return readCookie(cookieHeader, FLOW);
}

/** Lax, since the provider's site leads back. @param flow null removes the cookie. */
export function flowCookie({ publicUrl }: Config, flow: string | null): string {
  return stringifySetCookie({
    ...common(publicUrl),
    name: FLOW,
    value: flow ?? '',
    path: `${new URL(publicUrl).pathname.replace(/\/$/, '')}/v1/session/oidc`,
    sameSite: 'lax',
    maxAge: flow === null ? 0 : SIGN_IN_MS / SECOND_MS,
  });
}

function readCookie(header: string | undefined, name: string): string | null {
  const value = header === undefined ? undefined : parseCookie(header)[name];
  return value === undefined || value === '' ? null : value;
}

function common(publicUrl: string) {
  return { httpOnly: true, secure: publicUrl.toLowerCase().startsWith('https:') } as const;
}
