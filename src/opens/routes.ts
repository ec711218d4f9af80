import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { addBatchRoute, FINGERPRINT_EXAMPLE, type RecordingDeps } from '../attribution/index.ts';
import { errorResponses } from '../server/schemas.ts';
import { resolveDeepLink } from './record-direct-open.ts';
import { recordOpen } from './record-open.ts';
import {
  type OpenAnswer,
  OpenResult,
  RecordOpen,
  type RecordOpenInput,
  ResolveDeepLink,
  ResolvedDeepLink,
} from './schemas.ts';

/** `POST /v1/sdk/open`, `opens` and `resolve`. */
export const openSdkRoutes: FastifyPluginAsyncTypebox<{ recording: RecordingDeps }> = async (
  api,
  { recording },
) => {
  const common = { tags: ['SDK'] };

  api.post('/v1/sdk/open', {
    schema: {
      ...common,
      operationId: 'recordOpen',
      summary: 'Record a deferred deep-link open',
      body: RecordOpen,
      bodyExample: { fingerprint: FINGERPRINT_EXAMPLE, openId: '01985f2e-9c5b-7a0e-8f11-6d7c8b9a0f1e' },
      response: { 200: OpenResult, ...errorResponses(400, 401, 404, 409, 413, 415, 429, 503) },
    },
    handler: ({ actor, ip, body }) => recordOpen(recording, { actor, connectionAddress: ip, call: body }),
  });
  addBatchRoute<RecordOpenInput, OpenAnswer>(api, recording, {
    kind: 'open',
    summary: 'Record up to 100 deferred deep-link opens; an invalid one does not fail the others',
    call: RecordOpen,
    answer: OpenResult,
    // The last open of an install takes the credit for its events.
    installOf: ({ installId }) => installId?.toLowerCase() ?? null,
    record: (sending) => recordOpen(recording, sending),
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
      resolveDeepLink(recording, { actor, connectionAddress: ip, input: body }),
  });
};
