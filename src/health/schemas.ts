import { Type } from 'typebox';
import { Named, Nullable, Timestamp } from '../server/schemas.ts';

/** Rows of a queue are counted up to this. */
export const MAX_COUNTED = 100_000;

export const PROBLEMS = [
  'database.refusing',
  'database.node_away',
  'clicks.failing',
  'clicks.waiting',
  'clicks.lost',
  'journal.damaged',
  'disk.full',
  'deliveries.waiting',
  'webhooks.unsigned',
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
      code: Type.Enum([...PROBLEMS]),
      message: Type.String({ description: 'The cause and what to do' }),
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
    pendingCounts: Count(`Records that statistics do not have yet, in rows; ${UP_TO}`),
    erasuresRunning: Count('Erasures that are not complete'),
  }),
  disk: Named('DiskHealth', {
    freeBytes: Nullable(Count('On the file system of DATA_DIR')),
    reservedBytes: Nullable(Count('Clicks leave this much free')),
    dataBytes: Nullable(Count('Of the files in DATA_DIR')),
  }),
  retention: Named('RetentionHealth', {
    clocksDiffer: Type.Boolean({
      description: 'Whether the clocks of this machine and of the database are more than a day apart',
    }),
  }),
});
