import { isIP } from 'node:net';
import { SHORT_LINK_PATH } from '../../links/index.ts';
import { isPublic } from '../../platform/outgoing/index.ts';
import type { Checks, Subject, Words } from '../check.ts';

/** Whether phones can reach the host of short links, and take it for a website that apps belong to. */
export const HOST_CHECKS = {
  'host.not_public': ['error', notPublic],
  'host.not_https': ['error', notHttps],
  'host.is_address': ['warning', isAddress],
  'host.has_port': ['warning', hasPort],
  'host.has_path': ['info', hasPath],
} as const satisfies Checks;

/** Names that no name server of the internet knows (RFC 6761, 6762, 8375; ICANN for `internal`). */
const LOCAL_NAME = /^[^.]*$|\.(?:localhost|local|internal|test|example|invalid|home\.arpa)$/;

function notPublic({ link }: Subject): Words | null {
  const { hostname } = new URL(link.shortUrl);
  if (isReachable(hostname)) return null;
  return {
    message: `Phones cannot reach ${hostname}, which is known to this machine or network alone.`,
    mend: 'Set SHORT_LINK_URL, or shortLinkHost of the app, to a host with a public name.',
  };
}

function notHttps({ link }: Subject): Words | null {
  if (new URL(link.shortUrl).protocol === 'https:') return null;
  return {
    message:
      'The link is an http address. Phones open no app by it, and whoever is in between can change where it leads.',
    mend: 'Put a proxy with a certificate in front of the service, and set SHORT_LINK_URL to its https address.',
  };
}

function isAddress({ link }: Subject): Words | null {
  const { hostname } = new URL(link.shortUrl);
  if (isIP(bare(hostname)) === 0 || !isReachable(hostname)) return null;
  return {
    message: `The host of the link, ${hostname}, is an IP address. Phones associate apps with names only.`,
    mend: 'Set SHORT_LINK_URL to a host name.',
  };
}

function hasPort({ link }: Subject): Words | null {
  const { port } = new URL(link.shortUrl);
  if (port === '') return null;
  return {
    message: `The link has the port ${port}. Phones look for association files at the host’s usual port only.`,
    mend: 'Serve the short links on port 443 and set SHORT_LINK_URL without a port.',
  };
}

function hasPath({ link }: Subject): Words | null {
  const { host, pathname } = new URL(link.shortUrl);
  const path = pathname.slice(0, pathname.lastIndexOf(SHORT_LINK_PATH));
  if (path === '') return null;
  return {
    message: `SHORT_LINK_URL has the path ${path}. Phones look for association files at the root of ${host}, outside of it.`,
    mend: `Have the proxy pass on /.well-known/apple-app-site-association and /.well-known/assetlinks.json, and put ${path}${SHORT_LINK_PATH} into the Android manifest’s pathPrefix.`,
  };
}

function isReachable(hostname: string): boolean {
  const host = bare(hostname);
  if (isIP(host) !== 0) return isPublic(host, []);
  return !LOCAL_NAME.test(host.replace(/\.$/, ''));
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
