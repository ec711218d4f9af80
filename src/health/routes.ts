import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Foundation } from '../foundation.ts';
import { errorResponses } from '../server/schemas.ts';
import type { History } from './history.ts';
import { addProblemMetric } from './problem-metric.ts';
import { createHealth, type HealthDeps } from './read-health.ts';
import { createHistoryReader } from './read-history.ts';
import { Caller, Health, HealthHistory } from './schemas.ts';

interface HealthRoutes extends HealthDeps, Pick<Foundation, 'metrics'> {
  readonly history: History;
}

/** `GET /v1/admin/health` and `/v1/admin/health/history`; the enclosing scope has found the operator. */
export const healthRoutes: FastifyPluginAsyncTypebox<HealthRoutes> = async (api, { history, ...deps }) => {
  const readHealth = createHealth(deps);
  addProblemMetric(deps, readHealth);
  api.get('/v1/admin/health', {
    schema: {
      operationId: 'readHealth',
      tags: ['Admin'],
      summary: 'Read what fails, and the state of the database, the queues and the disk, with what to do',
      description:
        'Links and webhooks are looked at once a minute, no other host is asked. The journal, the disk and lost clicks are those of the process that responds.',
      response: { 200: Health, ...errorResponses(503) },
    },
    handler: async () => await readHealth(),
  });

  api.get('/v1/admin/caller', {
    schema: {
      operationId: 'readCaller',
      tags: ['Admin'],
      summary: 'Read the address that the service sees of this request, to check TRUST_PROXY',
      response: { 200: Caller, ...errorResponses(503) },
    },
    handler: ({ ip, headers }) => ({ address: ip, isForwarded: headers['x-forwarded-for'] !== undefined }),
  });

  const readHistory = createHistoryReader({ ...deps, history });
  api.get('/v1/admin/health/history', {
    schema: {
      operationId: 'readHealthHistory',
      tags: ['Admin'],
      summary: 'Read the last 24 hours of the service by quarter hour',
      description:
        'Installs and events are those of the database. Everything else is of the process that responds, in its memory: it begins anew with each start.',
      response: { 200: HealthHistory, ...errorResponses(503) },
    },
    handler: async () => await readHistory(),
  });
};
