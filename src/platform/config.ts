import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { StartError } from './errors.ts';
import { parseNetworks } from './outgoing/index.ts';

/** Part of every key that is made; a service takes no key of the other region. */
export const REGIONS = ['us', 'eu'] as const;
export type Region = (typeof REGIONS)[number];

/** Everything that can be set from outside, checked once at start. `.env.example` documents each variable. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** This region's base address, without a trailing slash. */
  readonly publicUrl: string;
  /** Base address of short links, without a trailing slash. */
  readonly shortLinkUrl: string;
  readonly region: Region;
  readonly otherRegionUrl: string | null;
  readonly dataDir: string;
  /** Null means the embedded SQLite file in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Null means: made once and kept in `dataDir`. */
  readonly secretKey: string | null;
  /** Null means: made once, printed and kept in `dataDir`. */
  readonly adminToken: string | null;
  /** Hop count, or the networks whose `X-Forwarded-For` is believed; null means nobody's is. */
  readonly trustProxy: number | readonly string[] | null;
  /** Within this time an erasure that another process left is completed. */
  readonly erasureIntervalSeconds: number;
  /** Older clicks are dropped. */
  readonly clickRetentionDays: number;
  /** Older deliveries, and what they delivered, are dropped. */
  readonly webhookRetentionDays: number;
  /** Older events are dropped; null means that they stay until they are erased. */
  readonly eventRetentionDays: number | null;
  /** Networks that webhooks may reach although they are not public, as CIDRs. */
  readonly webhookAllowCidrs: readonly string[];
  /** HTTP processes; several need PostgreSQL. */
  readonly workers: number;
  readonly logLevel: string;
  readonly bootstrap: {
    readonly appName: string | null;
    readonly liveKey: string | null;
    readonly testKey: string | null;
    readonly sdkKey: string | null;
  };
}

const MAX_WORKERS = 64;
const MAX_APP_NAME_CHARACTERS = 255;

/**
 * Reads the environment.
 * @throws StartError that names the variable and says what it takes.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const text = (name: string): string | null => {
    const value = env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  const port = integer('PORT', text('PORT'), 8080, 0, 65_535);
  const publicUrl = baseUrl('PUBLIC_URL', text('PUBLIC_URL')) ?? `http://localhost:${port}`;
  const databaseUrl = postgresUrl(text('DATABASE_URL'));
  const secretKey = text('SECRET_KEY');
  const region = oneOf('REGION', text('REGION'), REGIONS, 'us');

  if (databaseUrl !== null && secretKey === null)
    refuse(
      'SECRET_KEY',
      'is required with DATABASE_URL: every process needs the same one (try: openssl rand -base64 32)',
    );
  const workers = integer('WORKERS', text('WORKERS'), 1, 1, MAX_WORKERS);
  if (workers > 1 && databaseUrl === null)
    refuse(
      'WORKERS',
      `can only be 1 with the embedded SQLite file, not “${workers}”: for more, use PostgreSQL (DATABASE_URL)`,
    );

  return {
    port,
    host: text('HOST') ?? '0.0.0.0',
    publicUrl,
    shortLinkUrl: baseUrl('SHORT_LINK_URL', text('SHORT_LINK_URL')) ?? publicUrl,
    region,
    otherRegionUrl: baseUrl('OTHER_REGION_URL', text('OTHER_REGION_URL')),
    dataDir: text('DATA_DIR') ?? './data',
    databaseUrl,
    secretKey,
    adminToken: adminToken(text('ADMIN_TOKEN')),
    trustProxy: trustProxy(text('TRUST_PROXY')),
    erasureIntervalSeconds: integer(
      'ERASURE_INTERVAL_SECONDS',
      text('ERASURE_INTERVAL_SECONDS'),
      900,
      1,
      86_400,
    ),
    clickRetentionDays: integer('CLICK_RETENTION_DAYS', text('CLICK_RETENTION_DAYS'), 90, 1, 36_500),
    webhookRetentionDays: integer('WEBHOOK_RETENTION_DAYS', text('WEBHOOK_RETENTION_DAYS'), 30, 1, 36_500),
    eventRetentionDays: integer('EVENT_RETENTION_DAYS', text('EVENT_RETENTION_DAYS'), null, 1, 36_500),
    webhookAllowCidrs: allowedNetworks('WEBHOOK_ALLOW_CIDRS', text('WEBHOOK_ALLOW_CIDRS')),
    workers,
    logLevel: oneOf(
      'LOG_LEVEL',
      text('LOG_LEVEL'),
      ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const,
      'info',
    ),
    bootstrap: {
      appName: appName(text('BOOTSTRAP_APP_NAME')),
      liveKey: firstSecretKey('BOOTSTRAP_LIVE_KEY', text('BOOTSTRAP_LIVE_KEY'), 'svc_live_', region),
      testKey: firstSecretKey('BOOTSTRAP_TEST_KEY', text('BOOTSTRAP_TEST_KEY'), 'svc_test_', region),
      sdkKey: firstKey('BOOTSTRAP_SDK_KEY', text('BOOTSTRAP_SDK_KEY'), SDK_PREFIXES, region),
    },
  };
}

function refuse(name: string, why: string): never {
  throw new StartError(`${name} ${why}.`);
}

/** It is sent in a header. */
function adminToken(value: string | null): string | null {
  if (value !== null && !/^[\x20-\x7e]+$/.test(value))
    refuse(
      'ADMIN_TOKEN',
      'must be ASCII letters, digits and signs, since a header carries it (try: openssl rand -base64 32)',
    );
  return value;
}

function appName(value: string | null): string | null {
  if (value !== null && [...value].length > MAX_APP_NAME_CHARACTERS)
    refuse('BOOTSTRAP_APP_NAME', `must be at most ${MAX_APP_NAME_CHARACTERS} characters`);
  return value;
}

function integer<Fallback extends number | null>(
  name: string,
  value: string | null,
  fallback: Fallback,
  min: number,
  max: number,
): number | Fallback {
  if (value === null) return fallback;
  if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max)
    refuse(name, `must be a whole number from ${min} to ${max}, not “${value}”`);
  return Number(value);
}

function oneOf<T extends string>(name: string, value: string | null, options: readonly T[], fallback: T): T {
  if (value === null) return fallback;
  const found = options.find((option) => option === value);
  return found ?? refuse(name, `must be one of ${options.join(', ')}, not “${value}”`);
}

function baseUrl(name: string, value: string | null): string | null {
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url !== null && url.username + url.password !== '')
    refuse(name, 'must be without user and password: everybody sees it');
  if (url === null || !/^https?:\/\/[^/]/i.test(value) || url.search !== '' || url.hash !== '')
    refuse(
      name,
      `must be an http(s) address without query, such as https://links.example.com, not “${value}”`,
    );
  return value.replace(/\/+$/, '');
}

/** The value is not shown: it mostly holds a password. */
function postgresUrl(value: string | null): string | null {
  if (value === null) return null;
  if (!/^postgres(ql)?:\/\//.test(value))
    refuse('DATABASE_URL', 'must start with postgres:// (leave it out to use the embedded SQLite file)');
  if (!isDecodable(value))
    refuse(
      'DATABASE_URL',
      'must be of the form postgres://user:password@host:5432/database, with % and other special characters of the password percent-encoded (% as %25)',
    );
  const { searchParams } = new URL(value);
  const port = searchParams.get('port');
  if (port && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    refuse('DATABASE_URL', `has the port “${port}”, which is none`);
  const sslMode = searchParams.get('sslmode');
  if (sslMode && !SSL_MODES.includes(sslMode))
    refuse('DATABASE_URL', `has sslmode=${sslMode}: use one of ${SSL_MODES.join(', ')}`);
  return value;
}

/** Those that `pg` knows. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

function isDecodable(address: string): boolean {
  try {
    const { username, password, pathname } = new URL(address);
    return [username, password, pathname].every((part) => decodeURIComponent(part) !== null);
  } catch {
    return false;
  }
}

function trustProxy(value: string | null): number | readonly string[] | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return integer('TRUST_PROXY', value, 0, 0, 32);
  const networks = listOf(value);
  for (const network of networks)
    if (!isNetwork(network))
      refuse(
        'TRUST_PROXY',
        `must be a number of hops or a list of networks such as 10.0.0.0/8, not “${network}”`,
      );
  return networks;
}

/** By the code that applies them, so that nothing passes here and fails there. */
function allowedNetworks(name: string, value: string | null): readonly string[] {
  const networks = value === null ? [] : listOf(value);
  for (const network of networks)
    try {
      parseNetworks([network]);
    } catch {
      refuse(name, `must be a list of networks such as 10.0.0.0/8, not “${network}”`);
    }
  return networks;
}

function listOf(value: string): string[] {
  return value.split(',').map((part) => part.trim());
}

/** By the library that applies it, so that nothing passes here and fails there. */
function isNetwork(text: string): boolean {
  if (isIP(text.split('/', 1)[0] ?? '') === 0) return false;
  try {
    proxyAddr.compile(text);
    return true;
  } catch {
    return false;
  }
}

const SDK_PREFIXES = ['svc_live_pub_', 'svc_test_pub_'];

function firstSecretKey(name: string, value: string | null, prefix: string, region: Region): string | null {
  if (value?.startsWith(`${prefix}pub_`))
    refuse(name, `must not be a publishable key, which the app shows to everybody: leave out pub_`);
  return firstKey(name, value, [prefix], region);
}

/** A key of the first app; one with a region part belongs to that region. */
function firstKey(
  name: string,
  value: string | null,
  prefixes: readonly string[],
  region: Region,
): string | null {
  if (value === null) return null;
  const prefix = prefixes.find((start) => value.startsWith(start));
  const match = /^(?:(us|eu)_)?[A-Za-z0-9_-]{16,200}$/.exec(value.slice(prefix?.length));
  if (prefix === undefined || match === null)
    refuse(name, `must start with ${prefixes.join(' or ')}, followed by 16 to 200 of A-Z a-z 0-9 - _`);
  const keyRegion = match[1];
  if (keyRegion !== undefined && keyRegion !== region)
    refuse(name, `is a key of region ${keyRegion}, but REGION is ${region}`);
  return value;
}
