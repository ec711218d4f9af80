import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../lib/html.ts';
import { programFile } from '../lib/program-folder.ts';
import { type FixedBody, fixedBody, sendDocument } from '../server/fixed-body.ts';

/** Where `npm run site` put the documents. */
const DIST = programFile('site/dist');
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
};
/** Pages that several addresses have, with `{root}` for the path of PUBLIC_URL; `llms.txt` has it for the whole address. */
const FOR_ANY_ADDRESS: readonly string[] = ['front.html', 'missing.html', 'llms.txt'];
const NOT_BUILT = `<!doctype html><meta charset="utf-8"><title>Documents not built</title>
<h1>The documents are not built</h1>
<p>Run <code>npm ci --include=dev</code> in the folder of the service, and restart it. <code>npm prune --omit=dev</code> then removes what only the build needs.</p>`;

/** Of every page: one script, which searches, and no other host. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** The files of the documents, read at their first request and kept. */
export class Site {
  readonly #publicUrl: string;
  #names: Promise<ReadonlySet<string>> | undefined;
  readonly #files = new Map<string, FixedBody>();

  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  /**
   * Sends a file, or 304 if the client has it. A name without a file gets a page with status 404.
   * @param name below `site/dist`.
   */
  async send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    reply.headers(HEADERS);
    this.#names ??= listFiles();
    const names = await this.#names;
    if (names.size === 0) return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT);
    if (!names.has(name)) return await this.send(request, reply.code(404), 'missing.html');
    const isZipped = names.has(`${name}.gz`) && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (names.has(`${name}.gz`)) reply.header('vary', 'accept-encoding');
    if (isZipped) reply.header('content-encoding', 'gzip');
    const body = await this.#read(isZipped ? `${name}.gz` : name);
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    return reply.statusCode === 404
      ? reply.type(type).send(body.bytes)
      : sendDocument(request, reply, body, type);
  }

  async #read(name: string): Promise<FixedBody> {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const bytes = await readFile(join(DIST, name));
    const body = fixedBody(FOR_ANY_ADDRESS.includes(name) ? this.#atRoot(name, bytes) : bytes);
    this.#files.set(name, body);
    return body;
  }

  #atRoot(name: string, bytes: Buffer): Buffer {
    const path = escapeHtml(new URL(this.#publicUrl).pathname.replace(/\/$/, ''));
    return Buffer.from(
      bytes.toString('utf8').replaceAll('{root}', name === 'llms.txt' ? this.#publicUrl : path),
    );
  }
}

/** @returns none if the documents are not built. */
async function listFiles(): Promise<ReadonlySet<string>> {
  const entries = await readdir(DIST, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return new Set(files.map((file) => relative(DIST, join(file.parentPath, file.name))));
}
