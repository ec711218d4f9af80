import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { findShortCodes } from '../links/index.ts';
import { preferredType } from '../server/accept.ts';
import { toCsv } from '../server/csv.ts';
import type { ReadInTurn } from '../server/read-turns.ts';
import { errorResponses, JsonOr } from '../server/schemas.ts';
import type { GroupBy } from './groups.ts';
import { LinkStats, ReadLinkStats } from './link-schemas.ts';
import { findNames } from './network-campaigns.ts';
import { readLinkStats } from './read-link-stats.ts';
import { readRetention } from './read-retention.ts';
import { DEFAULT_PARTS, type Part, readStats, type StatsInput } from './read-stats.ts';
import { presentRetention, ReadRetention, Retention } from './retention-schemas.ts';
import { presentStats, ReadStats, readList, StatsAnswer } from './schemas.ts';
import { toTable } from './stats-table.ts';

interface StatsDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Resolves once everything that this process acknowledged is in the cells of an app. */
  readonly counted: (appId: string) => Promise<void>;
  readonly inTurn: ReadInTurn;
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
      await deps.inTurn(actor.appId, () => readLinkStats(deps, { ...query, actor, shortCode })),
  });

  api.get('/v1/stats', {
    schema: {
      ...common,
      operationId: 'readStats',
      summary: 'Count an app’s clicks, installs, opens, events and revenue',
      description:
        'By interval in a time zone, and by the values of up to six dimensions; of 366 days at most, by default of the last 30. `include` says what is wanted, by default all but `previousSeries`: only that is read and answered. As CSV with `Accept: text/csv`: the groups of one dimension, with the period before if `include` has `previous`, or the series without `groupBy`. CSV leaves out `other`; `limit` takes up to 100 groups.',
      querystring: ReadStats,
      response: { 200: JsonOr(StatsAnswer, 'text/csv'), ...errorResponses(400, 401, 404, 429, 503) },
    },
    handler: async ({ actor, query, headers }, reply) => {
      const isCsv = preferredType(headers.accept, ['application/json', 'text/csv']) === 'text/csv';
      const input = toInput(query, isCsv);
      const stats = await deps.inTurn(actor.appId, () => readStats(deps, { actor, input }));
      const keysOf = (dimension: GroupBy) =>
        (stats.groupings ?? []).flatMap(({ groupBy, groups }) =>
          groupBy === dimension ? groups.flatMap(({ key }) => key ?? []) : [],
        );
      const answer = presentStats(stats, {
        shortCodes: await findShortCodes(deps.db, actor.appId, keysOf('link')),
        campaigns: await findNames(deps.db, actor.appId, keysOf('networkCampaign')),
      });
      return isCsv ? sendCsv(reply, toCsv(toTable(answer))) : answer;
    },
  });
  api.get('/v1/stats/retention', {
    schema: {
      ...common,
      operationId: 'readRetention',
      summary: 'Count the installs of each day that were active on the 30 days after it',
      description:
        'In UTC. An install is active on a day with an open, an event or a `session_start`, and by itself on day 0, whose share is always 1.',
      querystring: ReadRetention,
      response: { 200: Retention, ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const input = { ...query, actor, sandbox: toBoolean(query.sandbox) };
      const retention = await deps.inTurn(actor.appId, () => readRetention(deps, input));
      const linkIds = query.groupBy === 'link' ? retention.cohorts.flatMap(({ key }) => key ?? []) : [];
      return presentRetention(retention, await findShortCodes(deps.db, actor.appId, linkIds));
    },
  });
};

function toInput(query: Static<typeof ReadStats>, isCsv: boolean): StatsInput {
  const { include, ...rest } = query;
  const groupBy = readList<GroupBy>('groupBy', query.groupBy);
  if (isCsv && groupBy.length > 1)
    throw new AppError('request.invalid', {
      message: 'CSV has the groups of one dimension. Give groupBy one value, or ask for application/json.',
    });
  const given = include === undefined ? null : readList<Part>('include', include);
  const hasGroups = groupBy.length === 1;
  const rows: readonly Part[] = hasGroups
    ? ['groups', ...(given?.filter((part) => part === 'previous') ?? [])]
    : ['series'];
  const parts = isCsv ? rows : (given ?? DEFAULT_PARTS);
  return { ...rest, groupBy, include: new Set(parts), sandbox: toBoolean(query.sandbox) };
}

function toBoolean(text: 'true' | 'false' | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}

/** Past the serializer of the JSON schema. */
function sendCsv(reply: FastifyReply, csv: string): never {
  return reply.type('text/csv; charset=utf-8').serializer(String).send(csv) as never;
}
