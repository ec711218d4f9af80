import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { errorResponses } from '../server/schemas.ts';
import { type DiagnosisDeps, diagnoseLink } from './diagnose-link.ts';
import { Diagnosis } from './schemas.ts';

/** `GET /v1/links/{shortCode}/diagnosis`. */
export const diagnosisRoutes: FastifyPluginAsyncTypebox<DiagnosisDeps> = async (api, deps) => {
  api.get('/v1/links/:shortCode/diagnosis', {
    schema: {
      operationId: 'diagnoseLink',
      tags: ['Links'],
      summary: 'Responses that visitors of a link get, and problems found; records no click',
      params: Type.Object({ shortCode: Type.String() }),
      response: { 200: Diagnosis, ...errorResponses(401, 404, 429, 503) },
    },
    handler: async ({ actor, params: { shortCode } }) => await diagnoseLink(deps, { actor, shortCode }),
  });
};
