import { BlockList, isIP, isIPv4 } from 'node:net';
import { StartError } from './errors.ts';

export type Region = 'us' | 'eu';

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
  readonly workers: number;
  readonly logLevel: string;
  readonly bootstrap: {
    readonly appName: string | null;
    readonly liveKey: string | null;
    readonly testKey: string | null;
    readonly sdkKey: string | null;
  };
}

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
  const workers = integer('WORKERS', text('WORKERS'), 1, 1, 256);

  if (databaseUrl !== null && secretKey === null)
    refuse(
      'SECRET_KEY',
      'is required with DATABASE_URL: every process needs the same one (try: openssl rand -base64 32)',
    );
  if (workers > 1 && databaseUrl === null)
    refuse('WORKERS', 'can be more than 1 on PostgreSQL only: set DATABASE_URL, or leave WORKERS at 1');
  if (workers > 1)
    refuse(
      'WORKERS',
      'can only be 1 in this version: start several processes, each with a DATA_DIR of its own',
    );

  return {
    port,
    host: text('HOST') ?? '0.0.0.0',
    publicUrl,
    shortLinkUrl: baseUrl('SHORT_LINK_URL', text('SHORT_LINK_URL')) ?? publicUrl,
    region: oneOf('REGION', text('REGION'), ['us', 'eu'] as const, 'us'),
    otherRegionUrl: baseUrl('OTHER_REGION_URL', text('OTHER_REGION_URL')),
    dataDir: text('DATA_DIR') ?? './data',
    databaseUrl,
    secretKey,
    adminToken: text('ADMIN_TOKEN'),
    trustProxy: trustProxy(text('TRUST_PROXY')),
    workers,
    logLevel: oneOf(
      'LOG_LEVEL',
      text('LOG_LEVEL'),
      ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const,
      'info',
    ),
    bootstrap: {
      appName: text('BOOTSTRAP_APP_NAME'),
      liveKey: bootstrapKey(
        'BOOTSTRAP_LIVE_KEY',
        text('BOOTSTRAP_LIVE_KEY'),
        /^svc_live_(?!pub_)/,
        'svc_live_',
      ),
      testKey: bootstrapKey(
        'BOOTSTRAP_TEST_KEY',
        text('BOOTSTRAP_TEST_KEY'),
        /^svc_test_(?!pub_)/,
        'svc_test_',
      ),
      sdkKey: bootstrapKey(
        'BOOTSTRAP_SDK_KEY',
        text('BOOTSTRAP_SDK_KEY'),
        /^svc_(live|test)_pub_/,
        'svc_live_pub_',
      ),
    },
  };
}

function refuse(name: string, why: string): never {
  throw new StartError(`${name} ${why}.`);
}

function integer(name: string, value: string | null, fallback: number, min: number, max: number): number {
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
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    refuse(
      name,
      `must be an http(s) address without query, such as https://links.example.com, not “${value}”`,
    );
  return value.replace(/\/+$/, '');
}

function postgresUrl(value: string | null): string | null {
  if (value !== null && !/^postgres(ql)?:\/\//.test(value))
    refuse('DATABASE_URL', 'must start with postgres:// (leave it out to use the embedded SQLite file)');
  return value;
}

function trustProxy(value: string | null): number | readonly string[] | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return integer('TRUST_PROXY', value, 0, 0, 32);
  const networks = value.split(',').map((part) => part.trim());
  for (const network of networks)
    if (!isNetwork(network))
      refuse(
        'TRUST_PROXY',
        `must be a number of hops or a list of networks such as 10.0.0.0/8, not “${network}”`,
      );
  return networks;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, rest] = text.split('/');
  if (isIP(address) === 0 || rest !== undefined) return false;
  if (bits === undefined) return true;
  try {
    new BlockList().addSubnet(
      address,
      /^\d{1,3}$/.test(bits) ? Number(bits) : -1,
      isIPv4(address) ? 'ipv4' : 'ipv6',
    );
    return true;
  } catch {
    return false;
  }
}

function bootstrapKey(name: string, value: string | null, start: RegExp, example: string): string | null {
  if (value === null) return null;
  if (!start.test(value) || !/^svc_(live|test)_(pub_)?[A-Za-z0-9_-]{16,200}$/.test(value))
    refuse(name, `must start with ${example}, followed by 16 or more of A-Z a-z 0-9 - _`);
  return value;
}
