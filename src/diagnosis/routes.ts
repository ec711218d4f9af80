import { Type } from 'typebox';
import { type KeyRing, MANAGEMENT_LIMIT, requireKey } from '../apps/index.ts';
import { limitRate } from '../server/rate-limit.ts';
import { errorResponses } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { type DiagnosisCtx, diagnoseLink } from './diagnose-link.ts';
import { Diagnosis } from './schemas.ts';

/** `GET /v1/links/{shortCode}/diagnosis`. */
export function diagnosisRoutes(api: Api, ctx: DiagnosisCtx & { keyRing: KeyRing }): void {
  api.get('/v1/links/:shortCode/diagnosis', {
    onRequest: [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, MANAGEMENT_LIMIT)],
    schema: {
      tags: ['Links'],
      security: [{ apiKey: [] }],
      summary: 'Responses that visitors of a link get, and problems found; records no click',
      params: Type.Object({ shortCode: Type.String() }),
      response: { 200: Diagnosis, ...errorResponses(401, 404, 429, 503) },
    },
    handler: async ({ actor, params: { shortCode } }) => await diagnoseLink(ctx, { actor, shortCode }),
  });
}
