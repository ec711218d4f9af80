import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { isoTime } from '../lib/clock.ts';
import { errorResponses } from '../server/schemas.ts';
import { type HealthDeps, readHealth } from './read-health.ts';
import { Health } from './schemas.ts';

/** `GET /v1/admin/health`; the enclosing scope has found the operator. */
export const healthRoutes: FastifyPluginAsyncTypebox<HealthDeps> = async (api, deps) => {
  const startedAt = isoTime(deps.clock.nowMs());
  api.get('/v1/admin/health', {
    schema: {
      operationId: 'readHealth',
      tags: ['Admin'],
      summary: 'Read the state of the database, the queues and the disk, with problems and what to do',
      description: 'The journal, the disk and lost clicks are those of the process that responds.',
      response: { 200: Health, ...errorResponses(503) },
    },
    handler: async () => await readHealth(deps, startedAt),
  });
};
