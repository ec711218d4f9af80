/** The web console: compiled files, and one page for every other address below `/console`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import { programFile } from '../lib/program-folder.ts';

interface ConsoleOptions {
  readonly config: Config;
  /** Where `npm run build` put the console. */
  readonly dist?: string;
}

const DIST = programFile('console/dist');
/** Files whose names stay the same from build to build. */
const UNHASHED: readonly string[] = ['icon.svg', 'theme.js'];
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;
/** In `console/index.html`, relative addresses start here. */
const BASE = '<base href="/console/" />';

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // QR codes come from the API with a header that images cannot send, so the page makes addresses of its own.
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const NOT_BUILT = `<!doctype html><meta charset="utf-8"><title>Console not built</title>
<h1>The console is not built</h1>
<p>Run <code>npm ci --include=dev</code> in the folder of the service, and load this page again. <code>npm prune --omit=dev</code> then removes what only the build needs.</p>`;

export const consoleRoutes: FastifyPluginAsync<ConsoleOptions> = async (api, { config, dist = DIST }) => {
  const base = `<base href="${escapeAttribute(new URL(config.publicUrl).pathname.replace(/\/$/, ''))}/console/" />`;
  await api.register(fastifyStatic, { root: dist, serve: false, preCompressed: true, cacheControl: false });

  async function sendPage(reply: FastifyReply): Promise<FastifyReply> {
    reply.headers(HEADERS).header('cache-control', 'no-store').type('text/html; charset=utf-8');
    const page = await readFile(join(dist, 'index.html'), 'utf8').catch(() => null);
    return page === null ? reply.code(503).send(NOT_BUILT) : reply.send(page.replace(BASE, base));
  }

  const schema = { hide: true };
  api.get('/console', { schema, handler: async (_request, reply) => await sendPage(reply) });
  api.get<{ Params: { '*': string } }>('/console/*', {
    schema,
    handler: async ({ params }, reply) => {
      const path = params['*'];
      const isHashed = path.startsWith('assets/');
      if (!isHashed && !UNHASHED.includes(path)) return await sendPage(reply);
      const caching = isHashed ? { maxAge: YEAR_MS, immutable: true } : { maxAge: 0 };
      return reply.headers(HEADERS).sendFile(path, { cacheControl: true, ...caching });
    },
  });
};

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
