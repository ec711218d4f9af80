import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { withoutWrongExtras } from '../networks/index.ts';
import type { RateLimit } from '../server/rate-limit.ts';
import { errorResponses } from '../server/schemas.ts';
import { debugAttribution } from './debug-attribution.ts';
import type { RecordingDeps } from './record-once.ts';
import { DebugAttribution, DebugResult, FINGERPRINT_EXAMPLE } from './schemas.ts';

/** Small, since the body is read before the caller is authenticated. All fields at full length take 42 KiB of ASCII. */
const MAX_DEBUG_BYTES = 48 * 1024;

export const DEBUG_LIMIT: RateLimit = { name: 'debug', points: 30, shared: true, countedBy: 'address' };

/** `POST /v1/debug/attribution`, the only endpoint with its key in the body. */
export const debugRoute: FastifyPluginAsyncTypebox<{ recording: RecordingDeps }> = async (
  api,
  { recording },
) => {
  api.post('/v1/debug/attribution', {
    bodyLimit: MAX_DEBUG_BYTES,
    config: { role: 'viewer' },
    preValidation: withoutWrongExtras,
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
