import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Db } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import { findShortCodes } from '../links/index.ts';
import { preferredType } from '../server/accept.ts';
import { toCsv } from '../server/csv.ts';
import { errorResponses, JsonOr } from '../server/schemas.ts';
import { readLinkStats } from './read-link-stats.ts';
import { readRetention } from './read-retention.ts';
import { readStats } from './read-stats.ts';
import { presentRetention, ReadRetention, Retention } from './retention-schemas.ts';
import { LinkStats, presentLinkStats, ReadLinkStats } from './schemas.ts';
import { presentStats, ReadStats, StatsAnswer, toTable } from './stats-schemas.ts';

interface StatsDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Resolves once everything that this process acknowledged is in the numbers of an app. */
  readonly counted: (appId: string) => Promise<void>;
}

/** `GET /v1/links/{shortCode}/stats`, `GET /v1/stats` and `GET /v1/stats/retention`. */
export const statisticsRoutes: FastifyPluginAsyncTypebox<StatsDeps> = async (api, deps) => {
  const common = { tags: ['Statistics'] };
  api.get('/v1/links/:shortCode/stats', {
    schema: {
      operationId: 'readLinkStats',
      tags: ['Links'],
      summary: 'Count a link’s clicks, installs, opens and events by day, platform, method and campaign',
      description: 'From one UTC day to another, both included: at most 366 days; by default the last 30.',
      params: Type.Object({ shortCode: Type.String() }),
      querystring: ReadLinkStats,
      response: { 200: LinkStats, ...errorResponses(400, 401, 404, 429, 503) },
    },
    handler: async ({ actor, params: { shortCode }, query }) =>
      presentLinkStats(await readLinkStats(deps, { ...query, actor, shortCode })),
  });

  api.get('/v1/stats', {
    schema: {
      ...common,
      operationId: 'readStats',
      summary: 'Count an app’s clicks, installs, opens, events and revenue',
      description:
        'By interval in a time zone, and by the values of a dimension. As CSV with `Accept: text/csv`: the groups, or the series without `groupBy`.',
      querystring: ReadStats,
      response: { 200: JsonOr(StatsAnswer, 'text/csv'), ...errorResponses(400, 401, 404, 429, 503) },
    },
    handler: async ({ actor, query, headers }, reply) => {
      const input = { ...query, sandbox: toBoolean(query.sandbox) };
      const stats = await readStats(deps, { actor, input });
      const linkIds = stats.groupBy === 'link' ? stats.groups.flatMap(({ key }) => key ?? []) : [];
      const answer = presentStats(stats, await findShortCodes(deps.db, actor.appId, linkIds));
      if (preferredType(headers.accept, ['application/json', 'text/csv']) === 'application/json')
        return answer;
      return sendCsv(reply, toCsv(toTable(answer, query.groupBy !== undefined)));
    },
  });
  api.get('/v1/stats/retention', {
    schema: {
      ...common,
      operationId: 'readRetention',
      summary: 'Count the installs of each day that were active on the 30 days after it',
      description: 'In UTC. An install is active on a day with an open, an event or a `session_start`.',
      querystring: ReadRetention,
      response: { 200: Retention, ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const retention = await readRetention(deps, { ...query, actor, sandbox: toBoolean(query.sandbox) });
      const linkIds = query.groupBy === 'link' ? retention.cohorts.flatMap(({ key }) => key ?? []) : [];
      return presentRetention(retention, await findShortCodes(deps.db, actor.appId, linkIds));
    },
  });
};

function toBoolean(text: 'true' | 'false' | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}

/** Past the serializer of the JSON schema. */
function sendCsv(reply: FastifyReply, csv: string): never {
  return reply.type('text/csv; charset=utf-8').serializer(String).send(csv) as never;
}
