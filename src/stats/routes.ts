import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Db } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import { errorResponses } from '../server/schemas.ts';
import { readLinkStats } from './read-link-stats.ts';
import { LinkStats, presentLinkStats, ReadLinkStats } from './schemas.ts';

/** `GET /v1/links/{shortCode}/stats`. */
export const statisticsRoutes: FastifyPluginAsyncTypebox<{
  db: Db;
  clock: Clock;
  /** Resolves once all clicks that this process acknowledged are stored. */
  clicksApplied: () => Promise<void>;
}> = async (api, { db, clock, clicksApplied }) => {
  api.get('/v1/links/:shortCode/stats', {
    schema: {
      tags: ['Links'],
      security: [{ apiKey: [] }],
      summary: 'Count a link’s clicks, installs, opens and events by day, platform, method and campaign',
      description: 'From one UTC day to another, both included: at most 366 days; by default the last 30.',
      params: Type.Object({ shortCode: Type.String() }),
      querystring: ReadLinkStats,
      response: { 200: LinkStats, ...errorResponses(400, 401, 404, 429, 503) },
    },
    handler: async ({ actor, params: { shortCode }, query }) =>
      presentLinkStats(await readLinkStats({ db, clock, clicksApplied }, { actor, shortCode, ...query })),
  });
};
