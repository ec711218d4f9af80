import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { byApp, whileAllowed } from '../auth/index.ts';
import type { ClickLog } from '../click-log/index.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Secrets } from '../lib/secrets.ts';
import { createTurns } from '../lib/turns.ts';
import { errorResponses } from '../server/schemas.ts';
import { countPerson } from './count-person.ts';
import type { Eraser } from './eraser.ts';
import { exportPerson } from './export-person.ts';
import { privacyReadRoutes } from './read-routes.ts';
import { requestErasure } from './request-erasure.ts';
import { Erase, ErasureAccepted, ErasureCounted, Export, Exported } from './schemas.ts';

/** Exports and counts, each of many records; further ones of the app wait, at most as many as its rate limit permits. */
const MAX_READS_OF_APP = 5;
const ACCEPTED =
  'The erasure is being worked on and completes within 15 minutes. GET /v1/privacy/erase/{requestId} tells when.';

/** `/v1/privacy/*`. */
export const privacyRoutes: FastifyPluginAsyncTypebox<{
  db: Db;
  clock: Clock;
  ids: Ids;
  secrets: Secrets;
  log: Log;
  eraser: Eraser;
  clickLog: Pick<ClickLog, 'applied'>;
  config: Config;
}> = async (api, deps) => {
  const common = { tags: ['Privacy'] };
  const faults = errorResponses(400, 401, 413, 415, 429, 503);
  const config = { role: 'editor', rateLimit: byApp('privacy', 30) } as const;
  const inTurn = createTurns(MAX_READS_OF_APP);

  await api.register(privacyReadRoutes, deps);

  api.post('/v1/privacy/erase', {
    config,
    schema: {
      ...common,
      operationId: 'erasePerson',
      summary: 'Erase a person’s data, by IP address, user ID or both, or count what that would erase',
      body: Erase,
      bodyExample: { userId: 'user-17', requesterEmail: 'privacy@example.com' },
      response: { 200: ErasureCounted, 202: ErasureAccepted, ...faults },
    },
    handler: async ({ actor, body }, reply) => {
      if (body.dryRun === true)
        return await inTurn(actor.appId, () => countPerson(deps, { actor, input: body }));
      const requestIds = await requestErasure(deps, { actor, input: body });
      return reply.code(202).send({ requestIds, status: 'pending', message: ACCEPTED });
    },
  });

  api.post('/v1/privacy/export', {
    config,
    schema: {
      ...common,
      operationId: 'exportPerson',
      summary: 'Export all data held for a person, by IP address, user ID or both',
      body: Export,
      bodyExample: { userId: 'user-17' },
      response: { 200: Exported, ...faults },
    },
    handler: async (request, reply) => {
      const { id: requestId, actor, body, checkAgain } = request;
      const text = await new Promise<Readable>((resolve, reject) => {
        const exportInTurn = async () => {
          const person = Readable.from(
            whileAllowed(await exportPerson(deps, { actor, input: body }), checkAgain),
          );
          const closed = new Promise((close) => person.once('close', close));
          resolve(person);
          await closed;
        };
        inTurn(actor.appId, exportInTurn).catch(reject);
      });
      // The response has started, so the caller sees only that it is incomplete.
      text.on('error', (error) => deps.log.error({ err: error, requestId }, 'Failed to complete an export'));
      reply.header('content-type', 'application/json; charset=utf-8');
      // Fastify sends a stream without serializing it by the schema, which documents it only.
      return reply.send(text as never);
    },
  });
};
