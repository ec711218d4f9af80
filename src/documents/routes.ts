/** The documents of this version: an installation without the internet has them, too. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import { escapeHtml } from '../lib/html.ts';
import { readOrNull, readParts } from './files.ts';
import { listForPrograms } from './list-for-programs.ts';
import { DOCUMENT, type Document, HEADERS, PICTURE, pageOf, renderDocument, sendText } from './page.ts';

const MISSING: Document = {
  title: 'No document has this address',
  html: '<h1>No document has this address</h1><p>Choose one from the list of documents.</p>',
};

/** `/docs/guide/links` is the page of `docs/guide/links.md`, and `/docs/guide/links.md` its Markdown. */
export const documentRoutes: FastifyPluginAsync<{ config: Pick<Config, 'publicUrl'> }> = async (
  api,
  { config },
) => {
  const root = new URL(config.publicUrl).pathname.replace(/\/$/, '');
  const readList = listForPrograms(config.publicUrl);
  /** By path of the Markdown; no more than there are files. */
  const documents = new Map<string, Document>();

  async function documentOf(path: string): Promise<Document | null> {
    const known = documents.get(path);
    if (known !== undefined) return known;
    const markdown = await markdownOf(path);
    if (markdown === null) return null;
    const document = renderDocument(path, markdown);
    documents.set(path, document);
    return document;
  }

  async function listOf(): Promise<Document> {
    const parts = (await readParts()).map(async ({ name, paths }) => {
      const items = paths.map(async (path) => {
        const title = escapeHtml((await documentOf(path))?.title ?? path);
        return `<li><a href="${path.replace(/\.md$/, '')}">${title}</a></li>`;
      });
      return `<h2>${name}</h2><ul>${(await Promise.all(items)).join('')}</ul>`;
    });
    return { title: 'Documents', html: `<h1>Documents</h1>${(await Promise.all(parts)).join('')}` };
  }

  const sendPage = (reply: FastifyReply, document: Document) =>
    reply.headers(HEADERS).type('text/html; charset=utf-8').send(pageOf(document, root));

  async function sendMissing(reply: FastifyReply) {
    return await sendPage(reply.code(404), MISSING);
  }

  const schema = { hide: true };
  api.get('/docs', {
    schema,
    handler: async (_request, reply) => reply.redirect(`${config.publicUrl}/docs/`),
  });
  api.get<{ Params: { '*': string } }>('/docs/*', {
    schema,
    handler: async ({ params: { '*': path } }, reply) => {
      if (path === '') return sendPage(reply, await listOf());
      if (path === 'llms.txt') return await sendText(reply, await readList(), 'text/plain');
      const picture = PICTURE.test(path) ? await readOrNull(path) : null;
      if (picture !== null) return reply.headers(HEADERS).type('image/png').send(picture);
      if (path.endsWith('.md')) {
        const markdown = await markdownOf(path);
        return markdown === null ? sendMissing(reply) : await sendText(reply, markdown, 'text/markdown');
      }
      const document = await documentOf(`${path}.md`);
      return document === null ? sendMissing(reply) : sendPage(reply, document);
    },
  });
};

async function markdownOf(path: string): Promise<string | null> {
  return DOCUMENT.test(path) ? ((await readOrNull(path))?.toString('utf8') ?? null) : null;
}
