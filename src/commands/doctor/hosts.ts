/** What phones need of the hosts of short links: a name, a certificate, association files. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type AppRow, listApps, shortLinkBase } from '../../apps/index.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/index.ts';
import { judgeCertificate } from '../../hosts/index.ts';
import { SECOND_MS, systemClock } from '../../lib/clock.ts';
import {
  createOutgoing,
  OutgoingError,
  type OutgoingResponse,
  parseNetworks,
  readCertificate,
} from '../../lib/outgoing/index.ts';
import { attempt, type Finding, fault, ok, reasonOf, unknown, warning } from './check.ts';

const TIMEOUT_MS = 6 * SECOND_MS;
/** Apple’s limit of an association file (developer.apple.com, Supporting associated domains). */
const MAX_FILE_BYTES = 128 * 1_024;
const MAX_HOSTS = 20;
/** The operator's network may be private. */
const ANY_ADDRESS = parseNetworks(['0.0.0.0/0', '::/0']);

interface Host {
  readonly base: URL;
  readonly apps: readonly AppRow[];
}

/** Of all apps, at most 20. */
export async function checkHosts(db: Db, config: Config): Promise<readonly Finding[]> {
  const bases = new Map<string, Host>();
  for (const app of await listApps(db)) {
    const base = new URL(shortLinkBase(config, app));
    const { apps = [] } = bases.get(base.host) ?? {};
    bases.set(base.host, { base, apps: [...apps, app] });
  }
  const hosts = [...bases.values()];
  const left = hosts.length - MAX_HOSTS;
  const found = await Promise.all(hosts.slice(0, MAX_HOSTS).map((host) => checkHost(host, config)));
  return [
    ...found.flat(),
    ...(left > 0 ? [unknown('host.dns', `${left} further hosts were not looked at`)] : []),
  ];
}

async function checkHost(
  { base, apps }: Host,
  { appleAssociationUrl }: Pick<Config, 'appleAssociationUrl'>,
): Promise<readonly Finding[]> {
  const { hostname } = base;
  if (isLocal(hostname))
    return [
      warning(
        'host.dns',
        `Short links begin with ${base.host}, which phones cannot reach`,
        'Set PUBLIC_URL, or SHORT_LINK_URL, to an https address with a public name.',
      ),
    ];
  const dns = await attempt('host.dns', () => checkName(hostname));
  if (dns.some(({ status }) => status !== 'ok')) return dns;
  if (base.protocol === 'http:')
    return [
      ...dns,
      fault(
        'host.tls',
        `Links of ${base.host} begin with http, so no phone opens the app by them`,
        'Use https in PUBLIC_URL or SHORT_LINK_URL.',
      ),
    ];
  const tls = await attempt('host.tls', () => checkCertificate(base));
  const files = await Promise.all([
    attempt('host.apple', () => checkFile({ base, apps }, APPLE)),
    attempt('host.android', () => checkFile({ base, apps }, ANDROID)),
    attempt('host.apple_cdn', () => checkCdn({ base, apps }, appleAssociationUrl)),
  ]);
  return [...dns, ...tls, ...files.flat()];
}

function isLocal(hostname: string): boolean {
  return (
    isIP(hostname.replace(/[[\]]/g, '')) !== 0 || !hostname.includes('.') || hostname.endsWith('.localhost')
  );
}

export async function checkName(hostname: string): Promise<Finding> {
  try {
    const found = await lookup(hostname, { all: true });
    return ok(
      'host.dns',
      `${hostname} leads to ${found
        .map(({ address }) => address)
        .slice(0, 4)
        .join(', ')}`,
    );
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTFOUND')
      return unknown('host.dns', `${hostname} cannot be looked up from here (${code})`);
    return fault(
      'host.dns',
      `There is no name ${hostname}, as far as this machine can tell`,
      'Add an A or AAAA record for it at your DNS provider.',
    );
  }
}

/** As the service judges it once a day. */
export async function checkCertificate({ href, hostname }: URL): Promise<Finding> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const certificate = await readCertificate(href, { allowed: ANY_ADDRESS, signal });
    const { message, mend } = judgeCertificate(certificate, systemClock.nowMs());
    const text = `${hostname}: ${message}`;
    if (mend === null) return ok('host.tls', text);
    return (certificate.fault === null ? warning : fault)('host.tls', text, mend);
  } catch (error) {
    if (!(error instanceof OutgoingError && error.reason === 'tls'))
      return unknown('host.tls', `${hostname} cannot be reached from here: ${reasonOf(error)}`);
    return fault(
      'host.tls',
      `${hostname} does not complete a TLS handshake: ${error.message}`,
      'Install a certificate of a public authority for this name, with its chain.',
    );
  }
}

interface AssociationFile {
  readonly check: string;
  readonly path: string;
  /** What the file has to name. */
  readonly names: (app: AppRow) => string | null;
}

export const APPLE: AssociationFile = {
  check: 'host.apple',
  path: '/.well-known/apple-app-site-association',
  names: ({ ios_team_id: team, ios_bundle_id: bundle }) => (team && bundle ? `${team}.${bundle}` : null),
};
export const ANDROID: AssociationFile = {
  check: 'host.android',
  path: '/.well-known/assetlinks.json',
  names: ({ android_package: name }) => name,
};

/** As phones fetch it: from the root of the host, without following a redirect. */
export async function checkFile(
  { base, apps }: Host,
  { check, path, names }: AssociationFile,
): Promise<Finding> {
  const address = new URL(path, base).href;
  const response = await read(address);
  if (typeof response === 'string')
    return unknown(check, `${address} cannot be fetched from here: ${response}`);
  const problem = problemOf(response);
  if (problem !== null)
    return fault(
      check,
      `${address} ${problem}`,
      'Let the proxy pass /.well-known/ of this host on to the service unchanged (docs/guide/proxies.md).',
    );
  const missing = apps.flatMap((app) => names(app) ?? []).filter((name) => !response.body.includes(name));
  if (missing.length > 0)
    return fault(
      check,
      `${address} does not name ${missing.slice(0, 3).join(', ')}`,
      'Something else than this service answers there. Let the proxy pass /.well-known/ on to it.',
    );
  return ok(check, `${address} is as phones need it`);
}

/** Its start: owners of apps choose the hosts, and a host answers with as much as it wants. @returns a text why there is none. */
async function read(address: string): Promise<OutgoingResponse | string> {
  const outgoing = createOutgoing({ allowed: ANY_ADDRESS, connectionsPerOrigin: 1 });
  try {
    return await outgoing.read('GET', address, {
      ...{ headers: {}, timeoutMs: TIMEOUT_MS, keepHeaders: ['content-type'] },
      maxResponseBytes: MAX_FILE_BYTES + 1,
    });
  } catch (error) {
    return reasonOf(error);
  } finally {
    await outgoing.close();
  }
}

function problemOf({ status, headers, body }: OutgoingResponse): string | null {
  if (status >= 300 && status < 400) return `redirects (${status}), which phones do not follow`;
  if (status !== 200) return `answers with ${status}`;
  const type = headers?.['content-type'] ?? '';
  if (!/^application\/json\b/.test(type)) return `has the type “${type}”, not application/json`;
  if (Buffer.byteLength(body) > MAX_FILE_BYTES) return 'has more than the 128 KB that phones read';
  return null;
}

/** iPhones ask Apple’s cache, which asks the host within a day. */
export async function checkCdn(
  { base, apps }: Host,
  appleUrl: string,
): Promise<Finding | readonly Finding[]> {
  const wanted = apps.flatMap((app) => APPLE.names(app) ?? []);
  if (wanted.length === 0) return [];
  const response = await read(`${appleUrl}/${base.hostname}`);
  if (typeof response === 'string')
    return unknown('host.apple_cdn', `Apple’s cache cannot be asked from here: ${response}`);
  const { status, body } = response;
  const missing = wanted.filter((name) => !body.includes(name));
  if (status === 200 && missing.length === 0)
    return ok('host.apple_cdn', `Apple’s cache has the file of ${base.hostname}`);
  return warning(
    'host.apple_cdn',
    `Apple’s cache has no or an older file of ${base.hostname} (${status})`,
    'Apple fetches it within a day, from the internet: let Apple’s AASA-Bot reach the host.',
  );
}
