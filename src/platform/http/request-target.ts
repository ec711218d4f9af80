import type { IncomingMessage } from 'node:http';

const SLASH = '/'.charCodeAt(0);
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)(.*)$/is;

/**
 * Rewrites `GET http://b/l/x` to `/l/x` with `Host: b`: the host of the target replaces the `Host` header (RFC 9112 3.2.2).
 * @returns false for an absolute form that no client may send: without a host, or with credentials.
 */
export function toOriginForm(request: IncomingMessage): boolean {
  const { url = '' } = request;
  if (url.charCodeAt(0) === SLASH || url === '*') return true;
  const [, host, rest] = ABSOLUTE_FORM.exec(url) ?? [];
  if (host === undefined || rest === undefined) return false;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return true;
}
