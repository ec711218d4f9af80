import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { errorResponses } from '../server/schemas.ts';
import { createShareLink, type ShareLinkDeps } from './create-share-link.ts';
import { CreateShareLink, DocumentedShareLink, ShareLink } from './schemas.ts';

/** `POST /v1/sdk/links`. */
export const shareLinkSdkRoutes: FastifyPluginAsyncTypebox<ShareLinkDeps> = async (api, deps) => {
  api.post('/v1/sdk/links', {
    schema: {
      operationId: 'createShareLink',
      tags: ['SDK'],
      summary: 'Make a link that a user of the app shares',
      description:
        'The same content by the same install gives the same link, with status 200. Destinations come from the app’s setting `appLinks`, which turns this endpoint on.',
      body: CreateShareLink,
      documentedBody: DocumentedShareLink,
      bodyExample: {
        installId: '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e',
        deepLinkPath: '/shoes/42',
        deepLinkParams: { colour: 'red' },
        ogTitle: 'Have a look at these',
      },
      response: {
        200: ShareLink,
        201: ShareLink,
        ...errorResponses(400, 401, 403, 404, 413, 415, 429, 503),
      },
    },
    handler: async ({ actor, ip, body }, reply) => {
      const { isNew, answer } = await createShareLink(deps, { actor, connectionAddress: ip, input: body });
      return reply.code(isNew ? 201 : 200).send(answer);
    },
  });
};
