/** The documents of this version: an installation without the internet has them, too. */
import type { FastifyPluginAsync } from 'fastify';
import type { Config } from '../config.ts';
import { Site } from './site.ts';

const FILE = /\.(?:md|png|css|js|json)$/;

/** `/docs/guide/links` is the page of `docs/guide/links.md`, and `/docs/guide/links.md` its Markdown. */
export const documentRoutes: FastifyPluginAsync<{ config: Pick<Config, 'publicUrl'> }> = async (
  api,
  { config },
) => {
  const site = new Site(config.publicUrl);
  const schema = { hide: true };
  api.get('/docs', {
    schema,
    handler: async (_request, reply) => reply.redirect(`${config.publicUrl}/docs/`),
  });
  api.get<{ Params: { '*': string } }>('/docs/*', {
    schema,
    handler: async (request, reply) => await site.send(request, reply, fileOf(request.params['*'])),
  });
};

/** @param path below `/docs/` */
function fileOf(path: string): string {
  if (path === '') return 'index.html';
  return FILE.test(path) || path === 'llms.txt' ? path : `${path}.html`;
}
