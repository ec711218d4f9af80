import { Type } from 'typebox';
import { MANAGEMENT_LIMIT, requireKey } from '../apps/index.ts';
import { limitRate } from '../platform/http/rate-limit.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api } from '../platform/http/server.ts';
import { readLinkStats } from './read-link-stats.ts';
import { LinkStats, presentLinkStats, ReadLinkStats } from './schemas.ts';
import type { StatisticsCtx } from './statistics-ctx.ts';

/** `GET /v1/links/{shortCode}/stats`. */
export function statisticsRoutes(api: Api, ctx: StatisticsCtx): void {
  api.get('/v1/links/:shortCode/stats', {
    onRequest: [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, MANAGEMENT_LIMIT)],
    schema: {
      tags: ['Links'],
      security: [{ apiKey: [] }],
      summary: 'Count a link’s clicks, installs, opens and events by day, platform, method and campaign',
      description:
        'From one day in UTC to another, both included: at most 366, and the last 30 where none are given.',
      params: Type.Object({ shortCode: Type.String() }),
      querystring: ReadLinkStats,
      response: { 200: LinkStats, ...errorAnswers(400, 401, 404, 429, 503) },
    },
    handler: async ({ actor, params: { shortCode }, query }) =>
      presentLinkStats(await readLinkStats(ctx, { actor, shortCode, ...query })),
  });
}
