import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { MANAGEMENT_LIMIT, perKey, requireAdmin, requireKey } from '../apps/index.ts';
import { isoTime, LATEST_MS } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import { checkText } from '../platform/http/json-body.ts';
import {
  callerAddress,
  limitRate,
  RateCounter,
  type RateLimit,
  refusal,
} from '../platform/http/rate-limit.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api } from '../platform/http/server.ts';
import { NO_APP } from './postback.ts';
import { presentGroup, presentPostback } from './present.ts';
import { listPostbacks, type PostbackFilter } from './queries.ts';
import { keepRawBody } from './raw-body.ts';
import { readConversionValues } from './read-conversion-values.ts';
import { receiveCopy } from './receive-copy.ts';
import { receivePostback } from './receive-postback.ts';
import {
  AdAttributionKitPostback,
  ConversionValues,
  ListPostbacks,
  type ListPostbacksInput,
  ListStrayPostbacks,
  Postback,
  PostbackCopy,
  PostbackReceived,
  ReadSummary,
  SetConversionValues,
  SkadnetworkPostback,
  SummaryGroup,
} from './schemas.ts';
import { setConversionValues } from './set-conversion-values.ts';
import type { SkanCtx } from './skan-ctx.ts';
import { summarize } from './summarize.ts';
import { createUnprovenPostbacks } from './unproven-postbacks.ts';
import { type Fields, type Kind, unsignedFieldsOf, type Verification } from './verification/index.ts';

/** Ten times what the longest postback takes. */
const MAX_POSTBACK_BYTES = 16 * 1024;
/** Phones send few, but a proxy that passes on a whole domain's has one address: after a 429 some do not come again. */
const DEVICE_LIMIT: RateLimit = {
  name: 'postbacks',
  points: 3_000,
  shared: false,
  countedBy: callerAddress,
};
/** Room for 1,500 of Apple's, which may be of a version or key that is not known here yet. */
const UNPROVEN_BYTES = { name: 'postback-bytes', points: 1024 * 1024, shared: false };
const COPY_LIMIT: RateLimit = { ...perKey('postback-copies', 3_000), shared: false };

const common = { tags: ['Postbacks'], security: [{ apiKey: [] }] };

/**
 * The addresses that phones send postbacks to; `/v1/skan`: copies, lists, sums and the names of conversion values; and
 * `GET /v1/admin/skan/postbacks`.
 */
export function skanRoutes(api: Api, rooms: Omit<SkanCtx, 'unproven'>, adminToken: string): void {
  const ctx: SkanCtx = { ...rooms, unproven: createUnprovenPostbacks(rooms) };
  api.register(async (scope: Api) => {
    keepRawBody(scope);
    deviceRoutes(scope, ctx);
    copyRoute(scope, ctx);
  });
  listRoutes(api, ctx, adminToken);
  conversionValueRoutes(api, ctx);
}

const DEVICE_ENDPOINTS = [
  {
    path: '/.well-known/skadnetwork/report-attribution',
    kind: 'skadnetwork',
    framework: 'SKAdNetwork',
    body: SkadnetworkPostback,
  },
  {
    path: '/.well-known/appattribution/report-attribution',
    kind: 'adattributionkit',
    framework: 'AdAttributionKit',
    body: AdAttributionKitPostback,
  },
] as const;

/** Phones send to the address with the slash, and follow no redirect with their body. */
function deviceRoutes(api: Api, ctx: SkanCtx): void {
  const response = { 200: PostbackReceived, ...errorAnswers(400, 413, 415, 429, 500, 503) };
  const onRequest = limitRate(ctx, DEVICE_LIMIT);
  const unprovenBytes = new RateCounter(ctx, UNPROVEN_BYTES);
  for (const { path, kind, framework, body } of DEVICE_ENDPOINTS) {
    const handler = async (request: FastifyRequest) => {
      const fields = request.body as Fields;
      const spendUnproven = async () => {
        const bytes = Buffer.byteLength(request.rawBody);
        const count = await unprovenBytes.take(callerAddress(request, ctx), bytes);
        if (count?.isRefused)
          throw refusal(count, 'Too many unverified postbacks: at most 1 MiB a minute. Try again');
      };
      const received = await receivePostback(ctx, { kind, fields, body: request.rawBody, spendUnproven });
      return answerOf({ ...received, kind }, fields);
    };
    const route = { onRequest, bodyLimit: MAX_POSTBACK_BYTES, handler };
    const documented = { tags: common.tags, summary: `Take a postback of ${framework} from a phone` };
    api.post(path, { ...route, schema: { ...documented, body, response } });
    api.post(`${path}/`, { ...route, schema: { body, response } });
  }
}

function copyRoute(api: Api, ctx: SkanCtx): void {
  api.post('/v1/skan/postbacks', {
    onRequest: [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, COPY_LIMIT)],
    bodyLimit: MAX_POSTBACK_BYTES,
    schema: {
      ...common,
      summary: 'Take a copy of a postback, of either framework, that an ad network passes on',
      body: PostbackCopy,
      response: { 200: PostbackReceived, ...errorAnswers(400, 401, 409, 413, 415, 429, 503) },
    },
    handler: async ({ actor, body: fields, rawBody: body }) =>
      answerOf(await receiveCopy(ctx, { actor, fields, body }), fields),
  });
}

function answerOf(
  { kind, verdict, reason, claims, isCopy }: Verification & { kind: Kind; isCopy: boolean },
  fields: Fields,
): Static<typeof PostbackReceived> {
  const unsignedFields = unsignedFieldsOf({ kind, verdict, version: claims.version }, fields);
  return { verdict, reason, isCopy, unsignedFields };
}

function listRoutes(api: Api, ctx: SkanCtx, adminToken: string): void {
  const onRequest = [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, MANAGEMENT_LIMIT)];
  api.get('/v1/skan/postbacks', {
    onRequest,
    schema: {
      ...common,
      summary: 'List postbacks, newest first',
      querystring: ListPostbacks,
      response: { 200: Type.Array(Postback), ...errorAnswers(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const filter = filterOf(query, actor.mode === 'test');
      const before = query.before?.toLowerCase() ?? null;
      const windows = await readConversionValues(ctx, actor.appId);
      const rows = await listPostbacks(ctx.db, actor.appId, { filter, before, limit: query.limit });
      return rows.map((row) => presentPostback(row, windows));
    },
  });
  api.get('/v1/skan/summary', {
    onRequest,
    schema: {
      ...common,
      summary: 'Count verified postbacks by day, source identifier or campaign, and conversion value',
      description:
        'From one day to another, both included: at most 366, and the last 30 where none are given.',
      querystring: ReadSummary,
      response: { 200: Type.Array(SummaryGroup), ...errorAnswers(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const windows = await readConversionValues(ctx, actor.appId);
      return (await summarize(ctx, { actor, ...query })).map((row) => presentGroup(row, windows));
    },
  });
  api.get('/v1/admin/skan/postbacks', {
    onRequest: requireAdmin(adminToken),
    schema: {
      tags: ['Admin'],
      security: [{ adminToken: [] }],
      summary: 'List postbacks of App Store ids that no app has, newest first',
      querystring: ListStrayPostbacks,
      response: { 200: Type.Array(Postback), ...errorAnswers(400, 401, 503) },
    },
    handler: async ({ query }) => {
      const before = query.before?.toLowerCase() ?? null;
      const page = { filter: filterOf({}, false), before, limit: query.limit };
      return (await listPostbacks(ctx.db, NO_APP, page)).map((row) => presentPostback(row, []));
    },
  });
}

function filterOf(query: Partial<ListPostbacksInput>, sandboxOnly: boolean): PostbackFilter {
  for (const name of ['version', 'adNetworkId', 'sourceIdentifier'] as const)
    checkText(query[name] ?? '', name);
  return {
    kind: query.kind ?? null,
    version: query.version ?? null,
    verdict: query.verdict ?? null,
    adNetworkId: query.adNetworkId ?? null,
    sourceIdentifier: query.sourceIdentifier ?? null,
    campaignId: query.campaignId ?? null,
    sequenceIndex: query.sequenceIndex ?? null,
    didWin: query.didWin ?? null,
    from: timeOf('from', query.from),
    to: timeOf('to', query.to),
    sandboxOnly,
  };
}

/** The format allows leap seconds, which no clock here has, and by its zone a year that not every database has. */
function timeOf(name: string, time: string | undefined): string | null {
  if (time === undefined) return null;
  const ms = Date.parse(time);
  if (Number.isNaN(ms) || ms < 0 || ms > LATEST_MS)
    throw new AppError('request.invalid', { message: `${name} must be a date-time from 1970 to 9999.` });
  return isoTime(ms);
}

function conversionValueRoutes(api: Api, ctx: SkanCtx): void {
  const onRequest = [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, MANAGEMENT_LIMIT)];
  api.get('/v1/skan/conversion-values', {
    onRequest,
    schema: {
      ...common,
      summary: 'Read what the app calls its conversion values',
      response: { 200: ConversionValues, ...errorAnswers(401, 429, 503) },
    },
    handler: async ({ actor }) => ({ windows: await readConversionValues(ctx, actor.appId) }),
  });
  api.put('/v1/skan/conversion-values', {
    onRequest,
    schema: {
      ...common,
      summary: 'Name conversion values; replaces all names, for postbacks received before too',
      body: SetConversionValues,
      response: { 200: ConversionValues, ...errorAnswers(400, 401, 413, 415, 429, 503) },
    },
    handler: async ({ actor, body }) => ({
      windows: await setConversionValues(ctx, { actor, input: body }),
    }),
  });
}
