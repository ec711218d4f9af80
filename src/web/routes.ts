/** The script that other sites’ pages load: banner, links and QR codes, as `npm run build -w packages/web` made it. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { programFile } from '../lib/program-folder.ts';

interface WebOptions {
  /** Where the build put the script. */
  readonly dist?: string;
}

const DIST = programFile('packages/web/dist');
const FILE = 'web.js';
const HASH_CHARACTERS = 16;

/** Pages of any origin may load it and check its bytes, also those that embed nothing else (COEP). */
const HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
};

const NOT_BUILT =
  'throw new Error("The script is not built: run npm ci --include=dev in the folder of the Throughline service");';

export const webRoutes: FastifyPluginAsync<WebOptions> = async (api, { dist = DIST }) => {
  const script = await readFile(join(dist, FILE)).catch(() => null);
  const name = script === null ? null : hash('sha256', script, 'hex').slice(0, HASH_CHARACTERS);
  await api.register(fastifyStatic, { root: dist, serve: false, preCompressed: true, cacheControl: false });
  api.get<{ Params: { file: string } }>('/sdk/:file', {
    schema: { hide: true },
    handler: async ({ params: { file }, headers }, reply) => {
      const isPinned = file === `web-${name}.js`;
      if (file !== FILE && !isPinned) {
        // Of another version: during an update another process may have it.
        return /^web-\w+\.js$/.test(file)
          ? reply.headers(HEADERS).header('cache-control', 'no-store').redirect(FILE)
          : reply.callNotFound();
      }
      reply.headers(HEADERS);
      if (name === null)
        return reply.code(503).type('text/javascript').header('cache-control', 'no-store').send(NOT_BUILT);
      const etag = `W/"${name}"`;
      reply.headers({
        etag,
        'cache-control': isPinned ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
        'content-location': `web-${name}.js`,
        vary: 'accept-encoding',
      });
      if (headers['if-none-match']?.includes(`"${name}"`)) return reply.code(304).send();
      return reply.sendFile(FILE, { etag: false, lastModified: false, acceptRanges: false });
    },
  });
};
