/** The documents of this version: an installation without the internet has them, too. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { escapeHtml } from '../lib/html.ts';
import { fixedBody, sendDocument } from '../server/fixed-body.ts';
import { readOrNull, readParts } from './files.ts';
import { fileOf, withServedLinks } from './links.ts';
import { listForPrograms } from './list-for-programs.ts';
import { type Document, HEADERS, pageOf, renderDocument, sendText } from './page.ts';

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
    const markdown = await contentsOf(path);
    if (markdown === null) return null;
    const document = renderDocument(path, markdown.toString('utf8'));
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

  const sendPage = (request: FastifyRequest, reply: FastifyReply, document: Document) =>
    sendText(request, reply, { text: pageOf(document, root), type: 'text/html' });

  const sendMissing = (reply: FastifyReply) =>
    reply.code(404).headers(HEADERS).type('text/html; charset=utf-8').send(pageOf(MISSING, root));

  const schema = { hide: true };
  api.get('/docs', {
    schema,
    handler: async (_request, reply) => reply.redirect(`${config.publicUrl}/docs/`),
  });
  api.get<{ Params: { '*': string } }>('/docs/*', {
    schema,
    handler: async (request, reply) => {
      const { '*': path } = request.params;
      if (path === '') return sendPage(request, reply, await listOf());
      if (path === 'llms.txt')
        return sendText(request, reply, { text: await readList(), type: 'text/plain' });
      if (path.endsWith('.png')) {
        const picture = await contentsOf(path);
        if (picture === null) return sendMissing(reply);
        return sendDocument(request, reply.headers(HEADERS), fixedBody(picture), 'image/png');
      }
      if (path.endsWith('.md')) {
        const markdown = (await contentsOf(path))?.toString('utf8');
        if (markdown === undefined) return sendMissing(reply);
        const text = withServedLinks(path, markdown);
        return sendText(request, reply, { text, type: 'text/markdown' });
      }
      const document = await documentOf(`${path}.md`);
      return document === null ? sendMissing(reply) : sendPage(request, reply, document);
    },
  });
};

/** @param path below `/docs/` */
async function contentsOf(path: string): Promise<Buffer | null> {
  const file = fileOf(path);
  return file === null ? null : await readOrNull(file);
}
