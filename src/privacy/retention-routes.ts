import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { recordServiceChange } from '../audit/index.ts';
import type { Db, Store } from '../db/index.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { errorResponses, Named, Nullable } from '../server/schemas.ts';
import { type ClockReading, confirmClock, readClock } from './retention-clock.ts';

const Retention = Named('RetentionStatus', {
  status: Type.Enum(['running', 'waiting']),
  reason: Nullable(Type.Enum(['leap', 'clocks_differ'])),
  now: Type.String({ format: 'date-time' }),
  newestSeen: Type.String({ format: 'date-time' }),
});

/** `GET /v1/admin/retention` and `POST /v1/admin/retention/confirmation`. */
export const retentionRoutes: FastifyPluginAsyncTypebox<{
  db: Db;
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Log;
}> = async (api, deps) => {
  const common = { tags: ['Admin'] };
  api.get('/v1/admin/retention', {
    schema: {
      ...common,
      operationId: 'readRetentionStatus',
      summary: 'Read whether retention drops old records or waits because the clock may be wrong',
      response: { 200: Retention, ...errorResponses(401, 503) },
    },
    handler: async () => present(await readClock(deps)),
  });
  api.post('/v1/admin/retention/confirmation', {
    schema: {
      ...common,
      operationId: 'confirmClock',
      summary: 'Confirm that the clock is right, so that retention resumes without waiting an hour',
      response: { 200: Retention, ...errorResponses(401, 409, 503) },
    },
    handler: async ({ operator: by }) => {
      const reading = await confirmClock(deps);
      const change = { action: 'retention.clock_confirmed', by, recordId: null } as const;
      await deps.db.transaction().execute((tx) => recordServiceChange(tx, deps, change));
      return present(reading);
    },
  });
};

function present({ nowMs, seenMs, doubt }: ClockReading) {
  const status = doubt === null ? ('running' as const) : ('waiting' as const);
  return { status, reason: doubt, now: isoTime(nowMs), newestSeen: isoTime(seenMs) };
}
