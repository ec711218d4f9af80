import { isIP } from 'node:net';
import { isPublic } from '../../lib/outgoing/index.ts';
import { SHORT_LINK_PATH } from '../../links/index.ts';
import type { Checks, FindingText, Subject } from '../check.ts';

/** Whether phones can reach the short link host and fetch its association files. */
export const HOST_CHECKS = {
  'host.not_public': ['error', notPublic],
  'host.not_https': ['error', notHttps],
  'host.is_address': ['warning', isAddress],
  'host.has_port': ['warning', hasPort],
  'host.has_path': ['info', hasPath],
} as const satisfies Checks;

/** Names that public DNS does not resolve (RFC 6761, 6762, 8375; ICANN for `internal`). */
const LOCAL_NAME = /^[^.]*$|\.(?:localhost|local|internal|test|example|invalid|home\.arpa)$/;

function notPublic({ link }: Subject): FindingText | null {
  const { hostname } = new URL(link.shortUrl);
  if (isReachable(hostname)) return null;
  return {
    message: `Phones cannot reach ${hostname}: it is local to this machine or network.`,
    mend: 'Set SHORT_LINK_URL, or shortLinkHost of the app, to a public host name.',
  };
}

function notHttps({ link }: Subject): FindingText | null {
  if (new URL(link.shortUrl).protocol === 'https:') return null;
  return {
    message:
      'The link uses http. Phones do not open apps by http links, and an attacker in the network can change the destination.',
    mend: 'Run a TLS proxy in front of the service and set SHORT_LINK_URL to its https address.',
  };
}

function isAddress({ link }: Subject): FindingText | null {
  const { hostname } = new URL(link.shortUrl);
  if (isIP(withoutBrackets(hostname)) === 0 || !isReachable(hostname)) return null;
  return {
    message: `The link’s host ${hostname} is an IP address. Phones associate apps with host names only.`,
    mend: 'Set SHORT_LINK_URL to a host name.',
  };
}

function hasPort({ link }: Subject): FindingText | null {
  const { port } = new URL(link.shortUrl);
  if (port === '') return null;
  return {
    message: `The link has the port ${port}. Phones fetch association files from the default port only.`,
    mend: 'Serve the short links on port 443 and set SHORT_LINK_URL without a port.',
  };
}

function hasPath({ link, app }: Subject): FindingText | null {
  const { host, pathname } = new URL(link.shortUrl);
  const isAtPath = link.path !== null && app.short_link_host !== null;
  const own = isAtPath ? `/${link.path}` : SHORT_LINK_PATH + link.shortCode;
  const path = pathname.slice(0, -own.length);
  if (path === '') return null;
  return {
    message: `SHORT_LINK_URL has the path ${path}. Phones fetch association files from the root of ${host}.`,
    mend: `Have the proxy forward /.well-known/apple-app-site-association and /.well-known/assetlinks.json, and use ${path}${SHORT_LINK_PATH} as pathPrefix in the Android manifest.`,
  };
}

function isReachable(hostname: string): boolean {
  const host = withoutBrackets(hostname);
  if (isIP(host) !== 0) return isPublic(host, []);
  return !LOCAL_NAME.test(host.replace(/\.$/, ''));
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
