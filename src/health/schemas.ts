import { Type } from 'typebox';
import { Named, Nullable, Timestamp } from '../server/schemas.ts';
import { FAILING } from './failing-links.ts';

/** Apps that a problem lists, and webhooks that fail. */
export const MAX_APPS_NAMED = 20;
export const MAX_WEBHOOKS_NAMED = 20;

/** Rows of a queue are counted up to this. */
export const MAX_COUNTED = 100_000;

/** Beside those of links, whose codes are the diagnosis's. */
export const PROBLEMS = [
  'database.refusing',
  'database.node_away',
  'clicks.failing',
  'clicks.waiting',
  'clicks.lost',
  'journal.damaged',
  'disk.full',
  'disk.low',
  'deliveries.abandoned',
  'webhooks.failing',
  'erasures.waiting',
  'backup.old',
  'backup.failing',
  'hosts.shared_failing',
  'hosts.failing',
  'deliveries.waiting',
  'webhooks.unsigned',
  'secret.unknown',
  'apple_ads.unreachable',
  'retention.leap',
  'retention.clocks_differ',
] as const;

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const UP_TO = `at most ${MAX_COUNTED.toLocaleString('en')} are counted`;

/** Response of `GET /v1/admin/health`. */
export const Health = Named('Health', {
  version: Type.String({ description: 'Of the service' }),
  startedAt: Timestamp,
  checkedAt: Timestamp,
  problems: Type.Array(
    Named('HealthProblem', {
      code: Type.Enum([...PROBLEMS, ...FAILING]),
      message: Type.String({ description: 'The cause and what to do' }),
      apps: Type.Array(Named('HealthApp', { id: Type.String(), name: Type.String() }), {
        description: `Whose users it meets, at most ${MAX_APPS_NAMED}; empty for problems of the service`,
      }),
    }),
  ),
  database: Named('DatabaseHealth', {
    engine: Type.Enum(['sqlite', 'postgres']),
    version: Type.String(),
    bytes: Count('Of the file, or of the database on the server'),
    status: Type.Enum(['ok', 'refusing'], { description: 'As in `/readyz`' }),
  }),
  journal: Named('JournalHealth', {
    bytes: Count('Of the click journal’s files'),
    oldestWaitingMs: Nullable(Count('Age of the oldest click that is not in the database')),
  }),
  queues: Named('QueueHealth', {
    deliveriesWaiting: Count(`Deliveries to webhooks that wait for an attempt; ${UP_TO}`),
    oldestDeliveryMs: Nullable(Count('How long the one that is due longest is due; null if none is due')),
    deliveriesAbandonedToday: Count(`Since 00:00 UTC; ${UP_TO}`),
    deliveriesAbandoned24h: Count(`In the last 24 hours; ${UP_TO}`),
    pendingCounts: Count(`Records that statistics do not have yet, in rows; ${UP_TO}`),
    erasuresRunning: Count('Erasures that are not complete'),
    oldestErasureMs: Nullable(Count('How long ago the first of them was requested')),
  }),
  disk: Named('DiskHealth', {
    freeBytes: Nullable(Count('On the file system of DATA_DIR')),
    reservedBytes: Nullable(Count('Clicks leave this much free')),
    dataBytes: Nullable(Count('Of the files in DATA_DIR')),
    databaseBytes: Nullable(Count('Of these, the SQLite database')),
    journalBytes: Nullable(Count('Of these, the click journal')),
  }),
  secret: Named('SecretHealth', {
    replacedAt: Nullable(Timestamp, {
      description: 'When the root secret was last replaced; null if it never was',
    }),
    mayRemovePrevious: Type.Boolean({
      description: 'Whether the previous root secret is no longer needed, also if there is none',
    }),
  }),
  backup: Named('BackupHealth', {
    lastAt: Nullable(Timestamp, {
      description:
        'When a backup was last completed, by `BACKUP_DIR` or `throughline db backup`; null if that is not known, as on PostgreSQL',
    }),
  }),
  links: Named('LinkHealth', {
    checkedAt: Timestamp,
    apps: Count('All apps'),
    appsNotChecked: Count('Beyond the newest 200, or with records on a node that is away'),
  }),
  webhooks: Type.Array(
    Named('FailingWebhook', {
      appId: Type.String(),
      appName: Type.String(),
      webhookId: Type.String(),
      url: Type.String({ description: 'Without the path; empty for a destination' }),
      name: Nullable(Type.String(), { description: 'Of a destination; null for a webhook' }),
      failed24h: Count('Deliveries given up in the last 24 hours, in whole hours'),
      failingSince: Nullable(Timestamp, {
        description: 'The first failure since the last success; null unless the last attempt failed',
      }),
    }),
    {
      description: `Enabled ones that gave up deliveries in the last 24 hours or fail now, the most given up first; at most ${MAX_WEBHOOKS_NAMED}`,
    },
  ),
  retention: Named('RetentionHealth', {
    clocksDiffer: Type.Boolean({
      description: 'Whether the clocks of this machine and of the database are more than a day apart',
    }),
  }),
});

/** Response of `GET /v1/admin/caller`. */
export const Caller = Named('Caller', {
  address: Type.String({ description: 'Whose visitors and limits the service would take this for' }),
  isForwarded: Type.Boolean({ description: 'Whether the request has `X-Forwarded-For`' }),
});

/** Response of `GET /v1/admin/health/history`. */
export const HealthHistory = Named('HealthHistory', {
  startedAt: Timestamp,
  quarters: Type.Array(
    Named('HealthQuarter', {
      at: Timestamp,
      installs: Count('Of all apps, sandbox included'),
      events: Count('Of all apps, sandbox included'),
      redirects: Count('Taps that got a redirect or a page'),
      redirectP95Ms: Nullable(
        Type.Number({ description: '95 of 100 of them took no longer; null without redirects' }),
      ),
      serverErrors: Count('Responses with a status of 500 and above'),
      deliveriesFailed: Count('Attempts to deliver to webhooks that failed'),
      diskFreeBytes: Nullable(Count('The least')),
      memoryBytes: Nullable(Count('The most')),
    }),
    { description: 'Of the last 24 hours by quarter hour, the oldest first; the last is not over' },
  ),
});
