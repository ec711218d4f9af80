/** The documents of this version: an installation without the internet has them, too. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import { escapeHtml } from '../lib/html.ts';
import { DOCUMENT, type Document, HEADERS, PICTURE, pageOf, renderDocument } from './page.ts';

const FOLDER = fileURLToPath(new URL('../../docs', import.meta.url));
/** What a reader looks for first, before the design of the service. */
const PARTS = [
  ['guide', 'Guides'],
  ['reference', 'Reference'],
] as const;

const MISSING: Document = {
  title: 'No document has this address',
  html: '<h1>No document has this address</h1><p>Choose one from the list of documents.</p>',
};

export const documentRoutes: FastifyPluginAsync<{ config: Pick<Config, 'publicUrl'> }> = async (
  api,
  { config },
) => {
  const root = new URL(config.publicUrl).pathname.replace(/\/$/, '');
  /** By path; no more than there are files. */
  const documents = new Map<string, Document>();

  async function documentOf(path: string): Promise<Document | null> {
    const known = documents.get(path);
    if (known !== undefined) return known;
    const markdown = DOCUMENT.test(path) ? await readOrNull(path) : null;
    if (markdown === null) return null;
    const document = renderDocument(path, markdown.toString('utf8'));
    documents.set(path, document);
    return document;
  }

  async function listOf(): Promise<Document> {
    const parts = PARTS.map(async ([folder, name]) => {
      const files = (await readdir(join(FOLDER, folder))).filter((file) => file.endsWith('.md')).sort();
      const items = files.map(async (file) => {
        const path = `${folder}/${file}`;
        return `<li><a href="${path}">${escapeHtml((await documentOf(path))?.title ?? path)}</a></li>`;
      });
      return `<h2>${name}</h2><ul>${(await Promise.all(items)).join('')}</ul>`;
    });
    return { title: 'Documents', html: `<h1>Documents</h1>${(await Promise.all(parts)).join('')}` };
  }

  const send = (reply: FastifyReply, document: Document) =>
    reply.headers(HEADERS).type('text/html; charset=utf-8').send(pageOf(document, root));

  const schema = { hide: true };
  api.get('/docs', {
    schema,
    handler: async (_request, reply) => reply.redirect(`${config.publicUrl}/docs/`),
  });
  api.get<{ Params: { '*': string } }>('/docs/*', {
    schema,
    handler: async ({ params: { '*': path } }, reply) => {
      if (path === '') return send(reply, await listOf());
      const picture = PICTURE.test(path) ? await readOrNull(path) : null;
      if (picture !== null) return reply.headers(HEADERS).type('image/png').send(picture);
      const document = await documentOf(path);
      return send(document === null ? reply.code(404) : reply, document ?? MISSING);
    },
  });
};

async function readOrNull(path: string): Promise<Buffer | null> {
  return await readFile(join(FOLDER, path)).catch(() => null);
}
