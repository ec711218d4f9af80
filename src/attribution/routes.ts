import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { authenticate, type BySession, type KeyRing } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { MAX_BATCH_BYTES, parseListBody, readBodiesWith } from '../server/json-body.ts';
import type { RateLimits } from '../server/rate-limit.ts';
import { errorResponses } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import type { Attribution } from './index.ts';
import { readInstall } from './read-install.ts';
import {
  AttributionResult,
  DebugAttribution,
  DebugResult,
  FINGERPRINT_EXAMPLE,
  Install,
  InstallBatch,
  InstallExplanation,
  InstallsRecorded,
  MAX_BATCH,
  OpenBatch,
  OpenResult,
  OpensRecorded,
  presentInstall,
  RecordInstall,
  RecordInstalls,
  RecordOpen,
  RecordOpens,
  ResolveDeepLink,
  ResolvedDeepLink,
} from './schemas.ts';

/** Small, since the body is read before the caller is authenticated. All fields at full length take 29 KiB of ASCII. */
const MAX_DEBUG_BYTES = 32 * 1024;

/** `POST /v1/sdk/install`, `open` and `resolve`, and `GET /v1/sdk/installs/{installId}/explanation`. */
export const attributionRoutes: FastifyPluginAsyncTypebox<{ attribution: Attribution }> = async (
  api,
  { attribution },
) => {
  const common = { tags: ['SDK'], security: [{ apiKey: [] }] };
  const faults = errorResponses(400, 401, 404, 409, 413, 415, 429, 503);

  api.post('/v1/sdk/install', {
    schema: {
      ...common,
      operationId: 'recordInstall',
      summary: 'Record an install',
      body: RecordInstall,
      bodyExample: {
        fingerprint: FINGERPRINT_EXAMPLE,
        installId: '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e',
        debugBuild: false,
      },
      response: { 200: AttributionResult, ...faults },
    },
    handler: ({ actor, ip, body }) => attribution.recordInstall({ actor, connectionAddress: ip, call: body }),
  });
  api.post('/v1/sdk/open', {
    schema: {
      ...common,
      operationId: 'recordOpen',
      summary: 'Record a deferred deep-link open',
      body: RecordOpen,
      bodyExample: { fingerprint: FINGERPRINT_EXAMPLE, openId: '01985f2e-9c5b-7a0e-8f11-6d7c8b9a0f1e' },
      response: { 200: OpenResult, ...faults },
    },
    handler: ({ actor, ip, body }) => attribution.recordOpen({ actor, connectionAddress: ip, call: body }),
  });
  api.post('/v1/sdk/resolve', {
    schema: {
      ...common,
      operationId: 'resolveDeepLink',
      summary: 'Resolve the link that opened the app directly, and record the open',
      body: ResolveDeepLink,
      bodyExample: { shortCode: 'spring-shoes' },
      response: { 200: ResolvedDeepLink, ...errorResponses(400, 401, 404, 409, 410, 413, 415, 429, 503) },
    },
    handler: ({ actor, ip, body }) =>
      attribution.resolveDeepLink({ actor, connectionAddress: ip, input: body }),
  });
  api.get('/v1/sdk/installs/:installId/explanation', {
    config: { key: 'test' },
    schema: {
      ...common,
      operationId: 'explainInstall',
      summary: 'Explain why a sandbox install has its click, or none; with a test key only',
      params: Type.Object({ installId: Type.String() }),
      response: { 200: InstallExplanation, ...errorResponses(401, 404, 429, 503) },
    },
    handler: ({ actor, params }) => attribution.explainInstall({ actor, installId: params.installId }),
  });
};

const batch = {
  tags: ['SDK'],
  security: [{ apiKey: [] }],
  description:
    'For servers, and for apps that were offline. Each item counts as a call. 429, 500 or 503 if every item is to be sent again; if only some are, 200 with that as their status.',
};
const batchFaults = errorResponses(400, 401, 413, 415, 429, 503);

/** `POST /v1/sdk/installs` and `opens`. */
export const batchRoutes: FastifyPluginAsyncTypebox<{ attribution: Attribution }> = async (
  api,
  { attribution },
) => {
  api.register(async (installs: Api) => {
    readBodiesWith(installs, parseListBody('installs', MAX_BATCH));
    installs.post('/v1/sdk/installs', {
      config: { batch: { list: 'installs', maxItems: MAX_BATCH } },
      bodyLimit: MAX_BATCH_BYTES,
      schema: {
        ...batch,
        operationId: 'recordInstalls',
        summary: 'Record up to 100 installs; an invalid one does not fail the others',
        body: RecordInstalls,
        documentedBody: InstallBatch,
        bodyExample: { installs: [{ fingerprint: FINGERPRINT_EXAMPLE }] },
        response: { 200: InstallsRecorded, ...batchFaults },
      },
      handler: async ({ actor, id, ip, body }) => ({
        results: await attribution.recordInstalls({
          ...{ actor, connectionAddress: ip, requestId: id },
          installs: body.installs,
        }),
      }),
    });
  });
  api.register(async (opens: Api) => {
    readBodiesWith(opens, parseListBody('opens', MAX_BATCH));
    opens.post('/v1/sdk/opens', {
      config: { batch: { list: 'opens', maxItems: MAX_BATCH } },
      bodyLimit: MAX_BATCH_BYTES,
      schema: {
        ...batch,
        operationId: 'recordOpens',
        summary: 'Record up to 100 deferred deep-link opens; an invalid one does not fail the others',
        body: RecordOpens,
        documentedBody: OpenBatch,
        bodyExample: { opens: [{ fingerprint: FINGERPRINT_EXAMPLE }] },
        response: { 200: OpensRecorded, ...batchFaults },
      },
      handler: async ({ actor, id, ip, body }) => ({
        results: await attribution.recordOpens({
          ...{ actor, connectionAddress: ip, requestId: id },
          opens: body.opens,
        }),
      }),
    });
  });
};

/** `POST /v1/debug/attribution`, the only endpoint with its key in the body; authenticates before the body is validated. */
export const debugRoute: FastifyPluginAsyncTypebox<{
  attribution: Attribution;
  keyRing: KeyRing;
  rateLimits: RateLimits;
  bySession: BySession;
}> = async (api, { attribution, keyRing, rateLimits, bySession }) => {
  const limit = rateLimits.hook({ name: 'debug', points: 30, shared: true, countedBy: 'address' });
  api.post('/v1/debug/attribution', {
    bodyLimit: MAX_DEBUG_BYTES,
    config: { role: 'viewer' },
    // The limit comes first, so that wrong keys count, too.
    preValidation: [limit, (request: FastifyRequest) => authenticateByBody({ keyRing, bySession }, request)],
    schema: {
      operationId: 'debugAttribution',
      tags: ['Debug'],
      summary: 'Match without recording or claiming anything',
      body: DebugAttribution,
      bodyExample: { apiKey: 'svc_test_us_…', fingerprint: FINGERPRINT_EXAMPLE },
      querystring: Type.Object({
        explain: Type.Optional(
          Type.Enum(['true', 'false'], { description: 'true adds the reasons for the decision' }),
        ),
      }),
      response: { 200: DebugResult, ...errorResponses(400, 401, 413, 415, 429, 503) },
    },
    handler: ({ actor, body, query }) =>
      attribution.debug({ actor, call: body, explain: query.explain === 'true' }),
  });
};

/** `GET /v1/installs/{installId}`. */
export const readInstallRoute: FastifyPluginAsyncTypebox<{ db: Db }> = async (api, { db }) => {
  api.get('/v1/installs/:installId', {
    schema: {
      operationId: 'readInstall',
      tags: ['Installs'],
      security: [{ apiKey: [] }],
      summary: 'Read an install and its opens, with the reasons of their attribution',
      params: Type.Object({ installId: Type.String() }),
      response: { 200: Install, ...errorResponses(401, 404, 429, 503) },
    },
    handler: async ({ actor, params }) =>
      presentInstall(await readInstall(db, { actor, installId: params.installId })),
  });
};

async function authenticateByBody(
  { keyRing, bySession }: { keyRing: KeyRing; bySession: BySession },
  request: FastifyRequest,
): Promise<void> {
  const { body } = request;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('request.invalid', {
      message: 'The body must be a JSON object with apiKey and fingerprint.',
    });
  const { apiKey } = body as { apiKey?: unknown };
  const user = apiKey === undefined ? await bySession(request) : null;
  if (user !== null) {
    request.actor = user;
    return;
  }
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new AppError('key.missing', {
      message: 'apiKey is missing from the body. Send a live or test key of the app in it.',
    });
  request.actor = await authenticate(keyRing, apiKey, 'secret');
}
