/**
 * User agent client hints. Chromium's user agent says `Android 10; K` on every phone; after `Accept-CH` the browser sends
 * model and version with later requests to the host. `Critical-CH` would make the browser send every first tap twice.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** Value of `Accept-CH`. */
export const ACCEPT_CLIENT_HINTS = 'Sec-CH-UA-Model, Sec-CH-UA-Platform-Version';

/** Null if the header is missing, empty or malformed. */
export interface ClientHints {
  readonly model: string | null;
  readonly platformVersion: string | null;
}

/** Chromium browsers send `Sec-CH-UA` over HTTPS. */
export function supportsClientHints(headers: IncomingHttpHeaders): boolean {
  return headers['sec-ch-ua'] !== undefined;
}

export function readClientHints(headers: IncomingHttpHeaders): ClientHints {
  return {
    model: parseString(headers['sec-ch-ua-model']),
    platformVersion: parseString(headers['sec-ch-ua-platform-version']),
  };
}

/** A structured string of printable ASCII (RFC 9651); device models contain no escapes. */
const STRING = /^"?([ !#-[\]-~]{1,64})"?$/;

function parseString(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  return STRING.exec(String(header))?.[1]?.trim() || null;
}
