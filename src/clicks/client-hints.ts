/**
 * User agent client hints. Chromium's user agent says `Android 10; K` of every phone; asked once, the browser tells model
 * and version with every later request to the host. `Critical-CH` would have them at once, at the price of every first tap
 * being sent twice.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** What `Accept-CH` asks for. */
export const ACCEPT_CLIENT_HINTS = 'Sec-CH-UA-Model, Sec-CH-UA-Platform-Version';

/** Null where the browser does not tell, or tells what none does. */
export interface ClientHints {
  readonly model: string | null;
  readonly platformVersion: string | null;
}

/** Whether the visitor's browser knows client hints at all: Chromium's do, over HTTPS. */
export function knowsClientHints(headers: IncomingHttpHeaders): boolean {
  return headers['sec-ch-ua'] !== undefined;
}

/** All null where the browser knows no client hints. */
export function clientHintsIn(headers: IncomingHttpHeaders): ClientHints {
  return {
    model: textOf(headers['sec-ch-ua-model']),
    platformVersion: textOf(headers['sec-ch-ua-platform-version']),
  };
}

/** Printable ASCII in quotes (RFC 9651, strings). A model that needs an escape is nobody's. */
const TEXT = /^"?([ !#-[\]-~]{1,64})"?$/;

/** Null where there is none, or what no browser sends. */
function textOf(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  return TEXT.exec(String(header))?.[1]?.trim() || null;
}
