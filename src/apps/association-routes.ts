import { Type } from 'typebox';
import type { Ctx } from '../platform/ctx.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api } from '../platform/http/server.ts';
import type { AssociationFiles } from './association-files.ts';
import type { HostDirectory } from './host-directory.ts';

const FILES = [
  {
    url: '/.well-known/apple-app-site-association',
    file: 'apple',
    summary: 'Which iOS apps open the short links of this host',
  },
  {
    url: '/.well-known/assetlinks.json',
    file: 'android',
    summary: 'Which Android apps open the short links of this host',
  },
] as const satisfies readonly { url: string; file: keyof AssociationFiles; summary: string }[];

/** For phones, and for the servers that fetch for them: no key, no redirect, and no type but the plain one. */
export function associationRoutes(api: Api, ctx: Ctx & { hostDirectory: HostDirectory }): void {
  for (const { url, file, summary } of FILES)
    api.get(url, {
      schema: {
        tags: ['Association'],
        summary,
        response: { 200: Type.Unsafe<Buffer>({ description: 'The file, as JSON' }), ...errorAnswers(503) },
      },
      handler: async ({ headers }, reply) => {
        const files = await ctx.hostDirectory.filesAt(headers.host ?? '');
        // Sent as bytes: to text the framework adds a charset, which JSON does not have.
        return reply
          .header('content-type', 'application/json')
          .header('cache-control', 'public, max-age=60')
          .send(files[file]);
      },
    });
}
