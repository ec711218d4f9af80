/** A variable of the environment that the service reads at startup. */
export interface Setting {
  /** As it would be written in the environment. */
  readonly default?: string;
  /** Describes a default that is not a fixed value. */
  readonly defaultNote?: string;
  /** One line of Markdown. */
  readonly description: string;
}

/** Every variable that `readConfig` may read. `npm run docs` writes them to `docs/reference/settings.md`. */
export const SETTINGS = {
  PORT: { default: '8080', description: 'Port to listen on; `0` takes a free one.' },
  HOST: { default: '0.0.0.0', description: 'Address to listen on.' },
  PUBLIC_URL: {
    defaultNote: '`http://localhost:$PORT`',
    description: 'Base address of this region as callers see it: http(s), without a query.',
  },
  SHORT_LINK_URL: {
    defaultNote: '`$PUBLIC_URL`',
    description: 'Base address of short links. An app can have its own host ([links](../guide/links.md)).',
  },
  REGION: {
    default: 'us',
    description: '`us` or `eu`. Part of every generated key; keys of the other region are refused.',
  },
  OTHER_REGION_URL: {
    description: 'Base address of the other region, named in the response to a key of that region.',
  },
  DATA_DIR: {
    default: './data',
    description: 'Directory of the SQLite file, the click journal and the secrets. One process owns it.',
  },
  DATABASE_URL: {
    description: '`postgres://user:password@host:5432/database` uses PostgreSQL instead of the SQLite file.',
  },
  SECRET_KEY: {
    defaultNote: 'generated in `DATA_DIR`',
    description:
      'Root secret that the other keys are derived from. Required with `DATABASE_URL`, and the same for every process.',
  },
  PREVIOUS_SECRET_KEY: {
    description:
      'The `SECRET_KEY` before, while the data changes to the new one ([secrets](../guide/secrets.md#secret_key)).',
  },
  NEXT_SECRET_KEY: {
    description:
      'The `SECRET_KEY` to come. Set it for every process before the first one uses it ([secrets](../guide/secrets.md#several-processes)).',
  },
  ACCEPT_NEW_SECRET_KEY: {
    default: '0',
    description:
      '`1`, for one start, accepts another root secret than the data was stored with, if that one is lost for good ([backup](../guide/backup.md#a-lost-secret)).',
  },
  CLICK_RETENTION_DAYS: {
    default: '90',
    description: 'Clicks older than this are dropped; their counts stay.',
  },
  WEBHOOK_RETENTION_DAYS: {
    default: '30',
    description:
      'Deliveries older than this are dropped with their messages, at the latest a day before the events they report. While a webhook has extended retries, they are kept for at least 4 days, and events for 5.',
  },
  EVENT_RETENTION_DAYS: {
    description:
      'Events of months that ended longer ago than this are dropped; their counts stay. Without it, events stay until they are erased.',
  },
  ERASURE_INTERVAL_SECONDS: {
    default: '900',
    description:
      'An erasure that a crash interrupted is completed within this time; on PostgreSQL within two minutes at least.',
  },
  VACUUM_HOUR_UTC: {
    default: '3',
    description:
      'Hour of the day, from 0 to 23 in UTC, in which a SQLite file is rewritten that is too large to be rewritten after each erasure, or of which much is free. Calls that store something wait meanwhile.',
  },
  BACKUP_DIR: {
    description:
      'Folder of daily [backups](../guide/backup.md) of a SQLite service, outside of `DATA_DIR`, preferably on another disk.',
  },
  BACKUP_AT: { default: '02:00', description: 'Time of the day at which they are made, in UTC.' },
  BACKUP_KEEP_DAYS: {
    default: '14',
    description:
      'Backups of the service that are older are deleted. The newest stay, as many as this number.',
  },
  WEBHOOK_ALLOW_CIDRS: {
    description:
      'Private networks that webhooks may reach, such as `10.1.0.0/16,127.0.0.0/8`. Without it, only public addresses.',
  },
  APPLE_ADS_URL: {
    default: 'https://api-adservices.apple.com/api/v1/',
    description:
      'Where tokens of [Apple Ads](../guide/networks.md#apple-ads) are exchanged: Apple’s address, or that of a proxy of your own before it, whose network `WEBHOOK_ALLOW_CIDRS` names if it is private.',
  },
  WATCH_HOSTS: {
    default: '1',
    description:
      'Looks once a day at each configured host (`PUBLIC_URL`, `SHORT_LINK_URL`, `shortLinkHost` of an app), and asks Apple and Google what they know of it ([domain](../guide/domain.md)). `0` looks at none.',
  },
  BLOCK_LISTS: {
    description:
      'Addresses of block lists, with commas between, that are read once a day for the watched hosts ([which](../guide/domain.md#block-lists)).',
  },
  APPLE_ASSOCIATION_URL: {
    default: 'https://app-site-association.cdn-apple.com/a/v1/',
    description: 'Where Apple’s copy of a host’s association file is read.',
  },
  ASSET_LINKS_URL: {
    default: 'https://digitalassetlinks.googleapis.com/v1/',
    description: 'Where Google’s verdict on a host’s `assetlinks.json` is read.',
  },
  ADMIN_TOKEN: {
    defaultNote: 'generated in `DATA_DIR`',
    description:
      'Bearer token of `/v1/admin/*` and `/metrics`. Set it where several processes share a database.',
  },
  METRICS_TOKEN: {
    description:
      'Bearer token of `/metrics` alone, for Prometheus ([monitoring](../guide/monitoring.md)). Without it, only the admin token opens that.',
  },
  PREVIOUS_ADMIN_TOKEN: {
    description:
      'The `ADMIN_TOKEN` before, accepted beside the new one until every caller has that ([secrets](../guide/secrets.md#admin_token)).',
  },
  OIDC_ISSUER: {
    description:
      'Issuer of OpenID Connect by which users may sign in to the console, as `https://accounts.example.com` ([accounts](../guide/accounts.md#openid-connect)). Needs the next two.',
  },
  OIDC_CLIENT_ID: { description: 'Client that is registered with the issuer.' },
  OIDC_CLIENT_SECRET: { description: 'Its secret.' },
  OIDC_ALLOWED_DOMAINS: {
    description:
      'Domains of email addresses that may sign in by OpenID Connect, such as `example.com,example.org`; they need no invitation. Without it, invited people and existing users may.',
  },
  SMTP_URL: {
    description:
      'Mail server for [invitations](../guide/accounts.md#inviting-people): `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS where the server has it; a password requires it. Without it, the owner passes the address on.',
  },
  MAIL_FROM: {
    description: 'Sender of mails, as `Throughline <mail@example.com>`. Required with `SMTP_URL`.',
  },
  TRUST_PROXY: {
    description:
      'Number of proxies in front of the service, or their networks, whose `X-Forwarded-For` is trusted. Without it, the address of the connection counts.',
  },
  GEOIP_FILE: {
    defaultNote: '[DB-IP](https://db-ip.com)’s countries, from a package',
    description:
      'Database of countries by IP address, a file in MaxMind’s format (`.mmdb`), read at startup; `none` leaves countries out ([statistics](../guide/statistics.md#countries)).',
  },
  REUSE_PORT: {
    default: '0',
    description:
      '`1` lets several processes on this machine listen on `PORT`, each with its own `DATA_DIR`. Needs PostgreSQL and `SO_REUSEPORT`, as Linux has it.',
  },
  METRICS_PORT: {
    description:
      'Port of this process alone for `/healthz`, `/readyz` and `/metrics`, where processes share `PORT`.',
  },
  SHUTDOWN_DELAY_SECONDS: {
    default: '0',
    description:
      'After SIGTERM, new connections are still accepted for this time, while `/healthz` and `/readyz` are 503: for a load balancer that finds out by health checks ([restarts](../guide/proxies.md#restarts)).',
  },
  WAIT_WHEN_REFUSED: {
    default: '0',
    description:
      '`1`: a start that only a person can mend does not end with exit code 78, but waits, without serving, until it is stopped. For supervisors that start whatever ends, such as Docker ([containers](../guide/docker.md#a-refused-start)); the image sets it.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      'Collector of OpenTelemetry that gets traces, as `http://127.0.0.1:4318` ([traces](../guide/monitoring.md#traces)). Other `OTEL_` variables have their usual meaning. Without it, there are none.',
  },
  ACCESS_LOG: {
    default: '0',
    description:
      '`1` writes a line to the log for each request, without address and key ([running](../guide/running.md#access-log)).',
  },
  LOG_LEVEL: { default: 'info', description: '`fatal`, `error`, `warn`, `info`, `debug` or `silent`.' },
  BOOTSTRAP_APP_NAME: {
    defaultNote: '`My app`',
    description: 'Name of the first app. The `BOOTSTRAP_` variables count at the first start only.',
  },
  BOOTSTRAP_LIVE_KEY: { defaultNote: 'generated', description: 'Live key of the first app, `svc_live_…`.' },
  BOOTSTRAP_TEST_KEY: { defaultNote: 'generated', description: 'Test key of the first app, `svc_test_…`.' },
  BOOTSTRAP_SDK_KEY: {
    defaultNote: 'generated',
    description: 'Publishable key of the first app, `svc_live_pub_…` or `svc_test_pub_…`.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
