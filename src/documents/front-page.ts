import type { FastifyPluginAsync } from 'fastify';
import { type HostDirectory, hostNameOf } from '../apps/index.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { preferredType } from '../server/accept.ts';
import { Site } from './site.ts';

interface FrontPageOptions {
  readonly config: Pick<Config, 'publicUrl' | 'shortLinkUrl'>;
  readonly hostDirectory: Pick<HostDirectory, 'ownerOf'>;
}

/**
 * `GET /` leads people to the console and the documents, `GET /llms.txt` programs to the documents. Visitors of a host for
 * links alone find neither.
 */
export const frontPageRoute: FastifyPluginAsync<FrontPageOptions> = async (
  api,
  { config, hostDirectory },
) => {
  const site = new Site(config.publicUrl);
  const [host, linkHost] = [config.publicUrl, config.shortLinkUrl].map((base) => new URL(base).hostname);
  const isForLinks = async (name: string) =>
    (hostNameOf(name) === linkHost && linkHost !== host) || (await hostDirectory.ownerOf(name)) !== undefined;
  api.get('/', {
    schema: { hide: true },
    handler: async (request, reply) => {
      const { headers } = request;
      reply.header('vary', 'Accept');
      const isBrowser = preferredType(headers.accept, ['application/json', 'text/html']) === 'text/html';
      if (!isBrowser || (await isForLinks(headers.host ?? ''))) throw new AppError('route.not_found');
      return await site.send(request, reply, 'front.html');
    },
  });
  api.get('/llms.txt', {
    schema: { hide: true },
    handler: async (request, reply) => {
      if (await isForLinks(request.headers.host ?? '')) throw new AppError('route.not_found');
      return await site.send(request, reply, 'llms.txt');
    },
  });
};
