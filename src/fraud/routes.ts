import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { byApp } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { RateLimit } from '../server/rate-limit.ts';
import type { ReadInTurn } from '../server/read-turns.ts';
import { errorResponses } from '../server/schemas.ts';
import { reportLinks } from './report-links.ts';
import { LinksReport, presentReport, ReportLinks } from './schemas.ts';

/** A report may take half a second of the database; the usual 600 a minute would slow down other requests. */
const FRAUD_LIMIT: RateLimit = { ...byApp('fraud', 10), shared: false };

/** `GET /v1/fraud/links`. */
export const fraudRoutes: FastifyPluginAsyncTypebox<{
  db: Db;
  clock: Clock;
  /** Resolves once everything that this process acknowledged is in the numbers of an app. */
  counted: (appId: string) => Promise<void>;
  inTurn: ReadInTurn;
}> = async (api, { db, clock, counted, inTurn }) => {
  api.get('/v1/fraud/links', {
    config: { rateLimit: FRAUD_LIMIT },
    schema: {
      operationId: 'reportLinks',
      tags: ['Links'],
      summary:
        'Report links whose clicks look forged: too few or too many installs, or clicks from one network',
      description:
        'Days in UTC, both included: at most 31, by default the last 30. A live key gets live links, a test key sandbox links.',
      querystring: ReportLinks,
      response: { 200: LinksReport, ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) =>
      presentReport(
        await inTurn(actor.appId, () => reportLinks({ db, clock, counted }, { ...query, actor })),
      ),
  });
};
