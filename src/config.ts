import { bootstrap } from './bootstrap-settings.ts';
import { type BackupSettings, readBackupSettings } from './lib/backup-settings.ts';
import { checkDatabaseUrl } from './lib/database-url.ts';
import { type MailSettings, readMailSettings } from './lib/mail/settings.ts';
import { allowedNetworks, trustProxy } from './lib/network-settings.ts';
import { integer, isOn, listOf, oneOf, refuse, token } from './lib/setting-readers.ts';
import type { SettingName } from './settings.ts';

/** Part of every API key; a service refuses keys of the other region. */
export const REGIONS = ['us', 'eu'] as const;
export type Region = (typeof REGIONS)[number];

/** Validated settings; `settings.ts` and `.env.example` describe each variable. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Base URL of this region, without a trailing slash. */
  readonly publicUrl: string;
  /** Base URL of short links, without a trailing slash. */
  readonly shortLinkUrl: string;
  readonly region: Region;
  readonly otherRegionUrl: string | null;
  readonly dataDir: string;
  /** Null means the embedded SQLite file in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Null means: generated once and stored in `dataDir`. */
  readonly secretKey: string | null;
  /** The root secret before, while values by it may be stored. */
  readonly previousSecretKey: string | null;
  /** The root secret that other processes will begin to use. */
  readonly nextSecretKey: string | null;
  /** Whether a root secret that differs from the database's becomes that of the database. */
  readonly acceptNewSecretKey: boolean;
  /** Null means: generated once, printed and stored in `dataDir`. */
  readonly adminToken: string | null;
  /** Accepted beside it. */
  readonly previousAdminToken: string | null;
  /** Of `/metrics`, beside the admin token; null without it. */
  readonly metricsToken: string | null;
  /** Sign-in by OpenID Connect; null without it. */
  readonly oidc: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
    /** Of email addresses, in lower case; empty means any. */
    readonly allowedDomains: readonly string[];
  } | null;
  /** For invitations by mail; null without it. */
  readonly mail: MailSettings | null;
  /** Number of trusted hops, or the networks whose `X-Forwarded-For` is trusted; null means none. */
  readonly trustProxy: number | readonly string[] | null;
  /** Upper bound until an erasure that another process left is completed. */
  readonly erasureIntervalSeconds: number;
  /** Daily copies of the data directory; null without them. */
  readonly backup: BackupSettings | null;
  /** Hour of the day, in UTC, in which the SQLite file is rewritten if that is due. */
  readonly vacuumHourUtc: number;
  readonly clickRetentionDays: number;
  readonly webhookRetentionDays: number;
  /** Null means: until they are erased. */
  readonly eventRetentionDays: number | null;
  /** CIDRs of networks that webhooks may reach although not public. */
  readonly webhookAllowCidrs: readonly string[];
  /** Where tokens of Apple Ads are exchanged, without the last slash. */
  readonly appleAdsUrl: string;
  /** Whether the hosts of short links are looked at. */
  readonly watchHosts: boolean;
  /** Addresses. */
  readonly blockLists: readonly string[];
  /** Where Apple’s copies of association files are, without the last slash. */
  readonly appleAssociationUrl: string;
  /** Google’s Digital Asset Links API, without the last slash. */
  readonly assetLinksUrl: string;
  /** Database of countries; null means the one of the package, `none` means no countries. */
  readonly geoipFile: string | null;
  /** Whether other processes on this machine may listen on the same port. */
  readonly reusePort: boolean;
  /** A port of this process alone for `/healthz`, `/readyz` and `/metrics`. */
  readonly metricsPort: number | null;
  /** How long new connections are still accepted after SIGTERM. */
  readonly shutdownDelaySeconds: number;
  /** Where traces go; null without them. */
  readonly tracesUrl: string | null;
  readonly logLevel: string;
  /** Whether each request is a line of the log. */
  readonly accessLog: boolean;
  readonly bootstrap: {
    readonly appName: string | null;
    readonly liveKey: string | null;
    readonly testKey: string | null;
    readonly sdkKey: string | null;
  };
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/** @throws StartError that names the invalid variable and its rule. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const text = (name: SettingName): string | null => {
    const value = env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  const port = integer('PORT', text('PORT'), 8080, 0, 65_535);
  const publicUrl = baseUrl('PUBLIC_URL', text('PUBLIC_URL')) ?? `http://localhost:${port}`;
  const databaseUrl = checkDatabaseUrl(text('DATABASE_URL'));
  const region = oneOf('REGION', text('REGION'), REGIONS, 'us');

  if (env.WORKERS?.trim())
    refuse(
      'WORKERS',
      'was replaced by REUSE_PORT=1: start each process by itself, with a DATA_DIR of its own. An earlier worker kept its data in workers/1 and so on below DATA_DIR',
    );
  const reusePort = isOn('REUSE_PORT', text('REUSE_PORT'));
  if (reusePort && databaseUrl === null)
    refuse('REUSE_PORT', 'needs PostgreSQL (DATABASE_URL): one process alone can use the SQLite file');

  const metricsPort = integer('METRICS_PORT', text('METRICS_PORT'), null, 1, 65_535);
  if (metricsPort === port) refuse('METRICS_PORT', `and PORT are both ${port}: give each a port of its own`);

  // Its reader cannot wait for the other settings.
  isOn('WAIT_WHEN_REFUSED', text('WAIT_WHEN_REFUSED'));

  return {
    port,
    host: text('HOST') ?? '0.0.0.0',
    publicUrl,
    shortLinkUrl: baseUrl('SHORT_LINK_URL', text('SHORT_LINK_URL')) ?? publicUrl,
    region,
    otherRegionUrl: baseUrl('OTHER_REGION_URL', text('OTHER_REGION_URL')),
    dataDir: text('DATA_DIR') ?? './data',
    databaseUrl,
    ...secrets(text, databaseUrl),
    acceptNewSecretKey: isOn('ACCEPT_NEW_SECRET_KEY', text('ACCEPT_NEW_SECRET_KEY')),
    ...monitoring(text),
    backup: readBackupSettings(
      { dir: text('BACKUP_DIR'), at: text('BACKUP_AT'), keepDays: text('BACKUP_KEEP_DAYS') },
      databaseUrl,
    ),
    oidc: oidc(text),
    mail: readMailSettings(text('SMTP_URL'), text('MAIL_FROM')),
    trustProxy: trustProxy(text('TRUST_PROXY')),
    erasureIntervalSeconds: integer(
      'ERASURE_INTERVAL_SECONDS',
      text('ERASURE_INTERVAL_SECONDS'),
      900,
      1,
      86_400,
    ),
    vacuumHourUtc: integer('VACUUM_HOUR_UTC', text('VACUUM_HOUR_UTC'), 3, 0, 23),
    clickRetentionDays: integer('CLICK_RETENTION_DAYS', text('CLICK_RETENTION_DAYS'), 90, 1, 36_500),
    webhookRetentionDays: integer('WEBHOOK_RETENTION_DAYS', text('WEBHOOK_RETENTION_DAYS'), 30, 1, 36_500),
    eventRetentionDays: integer('EVENT_RETENTION_DAYS', text('EVENT_RETENTION_DAYS'), null, 1, 36_500),
    webhookAllowCidrs: allowedNetworks('WEBHOOK_ALLOW_CIDRS', text('WEBHOOK_ALLOW_CIDRS')),
    appleAdsUrl: baseUrl('APPLE_ADS_URL', text('APPLE_ADS_URL')) ?? 'https://api-adservices.apple.com/api/v1',
    ...watchedHosts(text),
    geoipFile: text('GEOIP_FILE'),
    reusePort,
    metricsPort,
    shutdownDelaySeconds: integer('SHUTDOWN_DELAY_SECONDS', text('SHUTDOWN_DELAY_SECONDS'), 0, 0, 300),
    accessLog: isOn('ACCESS_LOG', text('ACCESS_LOG')),
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL'), LOG_LEVELS, 'info'),
    bootstrap: bootstrap(text, region),
  };
}

type Text = (name: SettingName) => string | null;
type Secrets = 'secretKey' | 'previousSecretKey' | 'nextSecretKey' | 'adminToken' | 'previousAdminToken';

function secrets(text: Text, databaseUrl: string | null): Pick<Config, Secrets> {
  const secretKey = text('SECRET_KEY');
  if (databaseUrl !== null && secretKey === null)
    refuse(
      'SECRET_KEY',
      'is required with DATABASE_URL: every process needs the same one (try: openssl rand -base64 32)',
    );
  return {
    secretKey,
    previousSecretKey: text('PREVIOUS_SECRET_KEY'),
    nextSecretKey: text('NEXT_SECRET_KEY'),
    adminToken: token('ADMIN_TOKEN', text('ADMIN_TOKEN')),
    previousAdminToken: token('PREVIOUS_ADMIN_TOKEN', text('PREVIOUS_ADMIN_TOKEN')),
  };
}

function monitoring(text: Text): Pick<Config, 'metricsToken' | 'tracesUrl'> {
  const metricsToken = token('METRICS_TOKEN', text('METRICS_TOKEN'));
  if (metricsToken !== null && metricsToken === text('ADMIN_TOKEN'))
    refuse('METRICS_TOKEN', 'is the ADMIN_TOKEN, which opens everything: take another one for Prometheus');
  const tracesUrl = baseUrl('OTEL_EXPORTER_OTLP_ENDPOINT', text('OTEL_EXPORTER_OTLP_ENDPOINT'));
  return { metricsToken, tracesUrl };
}

type WatchedHosts = Pick<Config, 'watchHosts' | 'blockLists' | 'appleAssociationUrl' | 'assetLinksUrl'>;

function watchedHosts(text: Text): WatchedHosts {
  return {
    watchHosts: isOn('WATCH_HOSTS', text('WATCH_HOSTS'), '1'),
    blockLists: blockLists(text('BLOCK_LISTS')),
    appleAssociationUrl:
      baseUrl('APPLE_ASSOCIATION_URL', text('APPLE_ASSOCIATION_URL')) ??
      'https://app-site-association.cdn-apple.com/a/v1',
    assetLinksUrl:
      baseUrl('ASSET_LINKS_URL', text('ASSET_LINKS_URL')) ?? 'https://digitalassetlinks.googleapis.com/v1',
  };
}

const MAX_BLOCK_LISTS = 20;

function blockLists(value: string | null): readonly string[] {
  const addresses = value === null ? [] : [...new Set(listOf(value))];
  for (const address of addresses) {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url !== null && url.username + url.password !== '')
      refuse('BLOCK_LISTS', 'must not contain a user or password');
    if (url === null || !/^https?:$/.test(url.protocol))
      refuse('BLOCK_LISTS', `must be http(s) addresses with commas between, not “${address}”`);
  }
  if (addresses.length > MAX_BLOCK_LISTS)
    refuse('BLOCK_LISTS', `may have at most ${MAX_BLOCK_LISTS} addresses`);
  return addresses;
}

function oidc(text: Text): Config['oidc'] {
  // As given: a slash at the end is part of the issuer's name.
  const issuer = baseUrl('OIDC_ISSUER', text('OIDC_ISSUER')) && text('OIDC_ISSUER');
  const [clientId, clientSecret] = [text('OIDC_CLIENT_ID'), text('OIDC_CLIENT_SECRET')];
  const domains = text('OIDC_ALLOWED_DOMAINS');
  if (issuer === null) {
    if ((clientId ?? clientSecret ?? domains) !== null)
      refuse('OIDC_ISSUER', 'is required with the other OIDC_ settings');
    return null;
  }
  if (isPlain(issuer) && !isLoopback(new URL(issuer).hostname))
    refuse('OIDC_ISSUER', 'must be an https address: by http a network in between could sign in as anybody');
  if (clientId === null) refuse('OIDC_CLIENT_ID', 'is required with OIDC_ISSUER');
  if (clientSecret === null) refuse('OIDC_CLIENT_SECRET', 'is required with OIDC_ISSUER');
  const allowedDomains = domains === null ? [] : listOf(domains.toLowerCase());
  for (const domain of allowedDomains)
    if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))
      refuse('OIDC_ALLOWED_DOMAINS', `must be a list of domains such as example.com, not “${domain}”`);
  return { issuer, clientId, clientSecret, allowedDomains };
}

function isPlain(address: string): boolean {
  return address.toLowerCase().startsWith('http:');
}

/** @param hostname of a parsed URL, which has one spelling of an IPv4 address. */
export function isLoopback(hostname: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname);
}

function baseUrl(name: string, value: string | null): string | null {
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url !== null && url.username + url.password !== '')
    refuse(name, 'must not contain a user or password: it is public');
  // Two schemes, as of DOMAIN=https://… in Docker's .env, would make a host of the second.
  const isPlainForm = /^https?:\/\/(?!https?:\/\/)[^/]/i.test(value);
  if (url === null || !isPlainForm || url.search !== '' || url.hash !== '')
    refuse(
      name,
      `must be an http(s) address without query, such as https://links.example.com, not “${value}”`,
    );
  return value.replace(/\/+$/, '');
}
