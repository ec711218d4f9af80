import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { errorResponses } from '../server/schemas.ts';
import type { AssociationFiles } from './association-files.ts';
import type { HostDirectory } from './host-directory.ts';

const FILES = [
  {
    url: '/.well-known/apple-app-site-association',
    file: 'apple',
    operationId: 'readAppleAssociation',
    shape: { type: 'object', additionalProperties: true },
    summary: 'iOS apps that open the short links of this host',
  },
  {
    url: '/.well-known/assetlinks.json',
    file: 'android',
    operationId: 'readAndroidAssociation',
    shape: { type: 'array', items: { type: 'object', additionalProperties: true } },
    summary: 'Android apps that open the short links of this host',
  },
] as const satisfies readonly { file: keyof AssociationFiles; [field: string]: unknown }[];

/** Apple and Google require no redirect and exactly this content type. */
export const associationRoutes: FastifyPluginAsyncTypebox<{ hostDirectory: HostDirectory }> = async (
  api,
  { hostDirectory },
) => {
  for (const { url, file, operationId, shape, summary } of FILES)
    api.get(url, {
      schema: {
        operationId,
        tags: ['Association'],
        summary,
        response: { 200: Type.Unsafe<Buffer>({ description: 'The file', ...shape }), ...errorResponses(503) },
      },
      handler: async ({ headers }, reply) => {
        const files = await hostDirectory.filesAt(headers.host ?? '');
        // A buffer: the framework adds a charset to a string.
        return reply
          .header('content-type', 'application/json')
          .header('cache-control', 'public, max-age=60')
          .send(files[file]);
      },
    });
};
