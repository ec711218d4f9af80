import type { FastifyPluginAsync } from 'fastify';
import { type HostDirectory, hostNameOf } from '../apps/index.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { preferredType } from '../server/accept.ts';
import { listForPrograms } from './list-for-programs.ts';
import { type Document, pageOf, sendText } from './page.ts';

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
  const root = new URL(config.publicUrl).pathname.replace(/\/$/, '');
  const readList = listForPrograms(config.publicUrl);
  const page = pageOf(frontPage(root), root);
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
      return sendText(request, reply, { text: page, type: 'text/html' });
    },
  });
  api.get('/llms.txt', {
    schema: { hide: true },
    handler: async (request, reply) => {
      if (await isForLinks(request.headers.host ?? '')) throw new AppError('route.not_found');
      return sendText(request, reply, { text: await readList(), type: 'text/plain' });
    },
  });
};

function frontPage(root: string): Document {
  return {
    title: 'Mobile attribution and deep links',
    html: `<h1>Throughline</h1>
<p>Short links that open apps, and the reason why each install came. The service runs.</p>
<ul>
<li><a href="${root}/console/">Open the console</a>: links, numbers, records, and a set-up that takes you to the first install</li>
<li><a href="${root}/docs/guide/console">What the console shows</a>, and who may <a href="${root}/docs/guide/accounts">sign in</a></li>
<li><a href="${root}/docs/guide/running">How to run the service</a></li>
<li><a href="${root}/docs/reference/api">The API</a>, also as <a href="${root}/openapi.json">OpenAPI</a></li>
<li><a href="${root}/docs/">All documents</a></li>
</ul>
<p>To look around first, fill an app with 90 days of made-up traffic: <code>npx throughline demo</code>.</p>`,
  };
}
