import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { byApp } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime, LATEST_MS } from '../lib/clock.ts';
import { readDays } from '../server/days.ts';
import { sendDocument, serializeDocument } from '../server/fixed-body.ts';
import { type RateLimit, type RateLimits, rateLimited } from '../server/rate-limit.ts';
import { errorResponses } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { readConversionValues, setConversionValues } from './conversion-values.ts';
import { NO_APP } from './postback.ts';
import { presentGroup, presentPostback } from './present.ts';
import { listPostbacks, type PostbackFilter, summarizePostbacks } from './queries.ts';
import { keepRawBody } from './raw-body.ts';
import { receiveCopy, receivePostback } from './receive-postback.ts';
import {
  AdAttributionKitPostback,
  ConversionSchema,
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
import type { PostbackDeps } from './store-postback.ts';
import { type Fields, type Kind, unsignedFieldsOf, type Verification } from './verification/index.ts';

/** Ten times the longest postback of Apple. */
const MAX_POSTBACK_BYTES = 16 * 1024;
/** High, since a proxy may forward a whole domain's postbacks from one address, and phones may not retry a 429. */
export const DEVICE_LIMIT: RateLimit = {
  name: 'postbacks',
  points: 3_000,
  shared: false,
  countedBy: 'address',
};
/** Enough for 1,500 of Apple's postbacks, which are unproven if their version or key is new. */
const UNPROVEN_BYTES = { name: 'postback-bytes', points: 1024 * 1024, shared: false };
const COPY_LIMIT: RateLimit = { ...byApp('postback-copies', 3_000), shared: false };

const common = { tags: ['Postbacks'] };

/** `/v1/skan`. */
export const skanRoutes: FastifyPluginAsyncTypebox<PostbackDeps> = async (api, deps) => {
  api.register(async (scope: Api) => {
    keepRawBody(scope);
    copyRoute(scope, deps);
  });
  listRoutes(api, deps);
  conversionValueRoutes(api, deps);
};

const SKADNETWORK_EXAMPLE = {
  version: '4.0',
  'ad-network-id': 'com.example',
  'source-identifier': '5239',
  'app-id': 525463029,
  'transaction-id': '6aafb7a5-0170-41b5-bbe4-fe71dedf1e30',
  'did-win': true,
  'postback-sequence-index': 0,
  'coarse-conversion-value': 'high',
  'attribution-signature': 'MEUCIQDY',
};

const DEVICE_ENDPOINTS = [
  {
    path: '/.well-known/skadnetwork/report-attribution',
    kind: 'skadnetwork',
    framework: 'SKAdNetwork',
    operationId: 'receiveSkadnetworkPostback',
    body: SkadnetworkPostback,
    bodyExample: SKADNETWORK_EXAMPLE,
  },
  {
    path: '/.well-known/appattribution/report-attribution',
    kind: 'adattributionkit',
    framework: 'AdAttributionKit',
    operationId: 'receiveAdAttributionKitPostback',
    body: AdAttributionKitPostback,
    bodyExample: {
      'jws-string': 'eyJhbGciOiJFUzI1NiJ9.eyJpbXByZXNzaW9uLXR5cGUiOiJhcHAtaW1wcmVzc2lvbiJ9.c2ln',
    },
  },
] as const;

/** Receives postbacks from phones. With a trailing slash too: phones send to it, and do not follow redirects. */
export const deviceRoutes: FastifyPluginAsyncTypebox<PostbackDeps & { rateLimits: RateLimits }> = async (
  api,
  deps,
) => {
  const response = { 200: PostbackReceived, ...errorResponses(400, 413, 415, 429, 500, 503) };
  keepRawBody(api);
  const unprovenBytes = deps.rateLimits.counterOf(UNPROVEN_BYTES);
  for (const { path, kind, framework, operationId, body, bodyExample } of DEVICE_ENDPOINTS) {
    const handler = async (request: FastifyRequest) => {
      const fields = request.body as Fields;
      const spendUnproven = async () => {
        const bytes = Buffer.byteLength(request.rawBody);
        const count = await unprovenBytes.take(deps.rateLimits.addressOf(request), bytes);
        if (count?.isRefused)
          throw rateLimited(count, 'Too many unverified postbacks: at most 1 MiB a minute. Try again');
      };
      const received = await receivePostback(deps, { kind, fields, body: request.rawBody, spendUnproven });
      return presentReceived({ ...received, kind }, fields);
    };
    const route = { bodyLimit: MAX_POSTBACK_BYTES, handler };
    const documented = {
      operationId,
      tags: common.tags,
      summary: `Receive a ${framework} postback from a phone`,
    };
    api.post(path, { ...route, schema: { ...documented, body, bodyExample, response } });
    api.post(`${path}/`, { ...route, schema: { body, response } });
  }
};

function copyRoute(api: Api, deps: PostbackDeps): void {
  api.post('/v1/skan/postbacks', {
    config: { rateLimit: COPY_LIMIT },
    bodyLimit: MAX_POSTBACK_BYTES,
    schema: {
      ...common,
      operationId: 'copyPostback',
      summary: 'Receive a copy of a postback, of either framework, that an ad network forwards',
      body: PostbackCopy,
      bodyExample: SKADNETWORK_EXAMPLE,
      response: { 200: PostbackReceived, ...errorResponses(400, 401, 409, 413, 415, 429, 503) },
    },
    handler: async ({ actor, body: fields, rawBody: body }) =>
      presentReceived(await receiveCopy(deps, { actor, fields, body }), fields),
  });
}

function presentReceived(
  { kind, verdict, reason, claims, isCopy }: Verification & { kind: Kind; isCopy: boolean },
  fields: Fields,
): Static<typeof PostbackReceived> {
  const unsignedFields = unsignedFieldsOf({ kind, verdict, version: claims.version }, fields);
  return { verdict, reason, isCopy, unsignedFields };
}

function listRoutes(api: Api, { db, clock }: Pick<Foundation, 'db' | 'clock'>): void {
  api.get('/v1/skan/postbacks', {
    schema: {
      ...common,
      operationId: 'listPostbacks',
      summary: 'List postbacks, newest first',
      querystring: ListPostbacks,
      response: { 200: Type.Array(Postback), ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const filter = filterOf(query, actor.mode === 'test');
      const before = query.before?.toLowerCase() ?? null;
      const windows = await readConversionValues(db, actor.appId);
      const rows = await listPostbacks(db, actor.appId, { filter, before, limit: query.limit });
      return rows.map((row) => presentPostback(row, windows));
    },
  });
  api.get('/v1/skan/summary', {
    schema: {
      ...common,
      operationId: 'summarizePostbacks',
      summary: 'Count verified postbacks by day, source identifier or campaign, and conversion value',
      description: 'For the days from `from` to `to`, both inclusive: at most 366, by default the last 30.',
      querystring: ReadSummary,
      response: { 200: Type.Array(SummaryGroup), ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const page = { ...query, ...readDays({ clock }, query), sandbox: actor.mode === 'test' };
      const windows = await readConversionValues(db, actor.appId);
      return (await summarizePostbacks(db, actor.appId, page)).map((row) => presentGroup(row, windows));
    },
  });
}

/** `GET /v1/admin/skan/postbacks`; the enclosing scope has found the operator. */
export const strayPostbackRoute: FastifyPluginAsyncTypebox<{ db: Db }> = async (api, { db }) => {
  api.get('/v1/admin/skan/postbacks', {
    schema: {
      operationId: 'listStrayPostbacks',
      tags: ['Admin'],
      summary: 'List postbacks of App Store ids that no app has, newest first',
      querystring: ListStrayPostbacks,
      response: { 200: Type.Array(Postback), ...errorResponses(400, 401, 503) },
    },
    handler: async ({ query }) => {
      const before = query.before?.toLowerCase() ?? null;
      const page = { filter: { sandboxOnly: false }, before, limit: query.limit };
      return (await listPostbacks(db, NO_APP, page)).map((row) => presentPostback(row, []));
    },
  });
};

function filterOf(query: ListPostbacksInput, sandboxOnly: boolean): PostbackFilter {
  return { ...query, from: timeOf('from', query.from), to: timeOf('to', query.to), sandboxOnly };
}

/** The schema's format allows leap seconds and years that databases do not store. */
function timeOf(name: string, time: string | undefined): string | undefined {
  if (time === undefined) return undefined;
  const ms = Date.parse(time);
  if (Number.isNaN(ms) || ms < 0 || ms > LATEST_MS)
    throw new AppError('request.invalid', { message: `${name} must be a date-time from 1970 to 9999.` });
  return isoTime(ms);
}

function conversionValueRoutes(api: Api, { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>): void {
  api.get('/v1/skan/conversion-values', {
    schema: {
      ...common,
      operationId: 'readConversionValues',
      summary: 'Read the names of conversion values',
      response: { 200: ConversionValues, ...errorResponses(401, 429, 503) },
    },
    handler: async ({ actor }) => ({ windows: await readConversionValues(db, actor.appId) }),
  });
  api.put('/v1/skan/conversion-values', {
    // The names are those of live postbacks, too.
    config: { role: 'editor', key: 'live' },
    schema: {
      ...common,
      operationId: 'setConversionValues',
      summary: 'Replace the names of conversion values; stored postbacks use them too',
      body: SetConversionValues,
      bodyExample: {
        windows: [{ fine: [{ from: 1, to: 20, eventName: 'sign-up' }], coarse: { high: 'purchase' } }],
      },
      response: { 200: ConversionValues, ...errorResponses(400, 401, 413, 415, 429, 503) },
    },
    handler: async ({ actor, body }) => ({
      windows: await setConversionValues({ db, clock, ids }, { actor, input: body }),
    }),
  });
}

/** `GET /v1/sdk/conversion-schema`. */
export const conversionSchemaRoute: FastifyPluginAsyncTypebox<{ db: Db }> = async (api, { db }) => {
  api.get('/v1/sdk/conversion-schema', {
    schema: {
      tags: ['SDK'],
      operationId: 'readConversionSchema',
      summary: 'Read which conversion values the SDK sets on iPhones',
      description:
        'As `PUT /v1/skan/conversion-values` stores them. Phones ask once a day, with `If-None-Match`.',
      documentedHeaders: Type.Object({
        'If-None-Match': Type.Optional(
          Type.String({ description: 'The ETag of the answer that the phone has' }),
        ),
      }),
      response: {
        200: ConversionSchema,
        304: Type.Null({ description: 'Unchanged; no body' }),
        ...errorResponses(401, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const windows = await readConversionValues(db, request.actor.appId);
      return sendDocument(request, reply, serializeDocument({ windows }));
    },
  });
};
