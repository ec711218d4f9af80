import { perKey, requireKey } from '../apps/index.ts';
import { limitRate, type RateLimit } from '../platform/http/rate-limit.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api } from '../platform/http/server.ts';
import type { StatisticsCtx } from '../statistics/index.ts';
import { reportLinks } from './report-links.ts';
import { LinksReport, presentReport, ReportLinks } from './schemas.ts';

/** A report may take half a second of the database: 600 a minute would slow every other request down. */
const FRAUD_LIMIT: RateLimit = { ...perKey('fraud', 10), shared: false };

/** `GET /v1/fraud/links`. */
export function fraudRoutes(api: Api, ctx: StatisticsCtx): void {
  api.get('/v1/fraud/links', {
    onRequest: [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, FRAUD_LIMIT)],
    schema: {
      tags: ['Links'],
      security: [{ apiKey: [] }],
      summary:
        'Report links whose clicks look forged: too few or too many installs, or clicks from one network',
      description:
        'From one day in UTC to another, both included: at most 31, and the last 30 where none are given. A live key gets live links, a test key sandbox links.',
      querystring: ReportLinks,
      response: { 200: LinksReport, ...errorAnswers(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => presentReport(await reportLinks(ctx, { actor, ...query })),
  });
}
