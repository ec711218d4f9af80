import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { authenticate, type BySession, type KeyRing } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { RateLimits } from '../server/rate-limit.ts';
import { errorResponses } from '../server/schemas.ts';
import { debugAttribution } from './debug-attribution.ts';
import type { RecordingDeps } from './record-once.ts';
import { DebugAttribution, DebugResult, FINGERPRINT_EXAMPLE } from './schemas.ts';

/** Small, since the body is read before the caller is authenticated. All fields at full length take 29 KiB of ASCII. */
const MAX_DEBUG_BYTES = 32 * 1024;

/** `POST /v1/debug/attribution`, the only endpoint with its key in the body; authenticates before the body is validated. */
export const debugRoute: FastifyPluginAsyncTypebox<{
  recording: RecordingDeps;
  keyRing: KeyRing;
  rateLimits: RateLimits;
  bySession: BySession;
}> = async (api, { recording, keyRing, rateLimits, bySession }) => {
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
      debugAttribution(recording, { actor, call: body, explain: query.explain === 'true' }),
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
