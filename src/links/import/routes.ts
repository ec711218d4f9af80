import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { type Static, Type } from 'typebox';
import { type Actor, byApp, operatorOf, whileAllowed } from '../../auth/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { isUuid } from '../../lib/ids.ts';
import { givingWay } from '../../server/give-way.ts';
import type { OpenExports } from '../../server/open-exports.ts';
import { errorResponses } from '../../server/schemas.ts';
import type { Api } from '../../server/server.ts';
import type { ImportFormat } from './imported-row.ts';
import type { Imports } from './imports.ts';
import type { ImportRow } from './queries.ts';
import { discard } from './receive-file.ts';
import { failuresAsCsv, rowsAsCsv } from './report.ts';
import { Import, ListImports, presentImport, readMapping, StartImport } from './schemas.ts';

interface ImportDeps extends Pick<Foundation, 'db'> {
  readonly imports: Imports;
  readonly openExports: OpenExports;
}

/** What differs between the endpoints of a key and those of the operator. */
interface Scope {
  readonly path: string;
  readonly tag: string;
  /** Behind the ids of operations. */
  readonly suffix: string;
  readonly params: Record<string, ReturnType<typeof Type.String>>;
  actorOf(request: FastifyRequest): Actor | Promise<Actor>;
}

const FORMATS: Readonly<Record<string, ImportFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/json': 'ndjson',
};
const NO_FORMAT =
  'Send the file with Content-Type: text/csv, or application/x-ndjson for a JSON object a line.';
const STILL_RUNNING = 'The import is running. Get its report once its status is no longer running.';
const UPLOAD_TIMEOUT_MS = 10 * 60_000;
const Csv = Type.Unsafe<Readable>({
  description: 'The rows',
  content: { 'text/csv': { schema: { type: 'string' } } },
});

/** `/v1/imports`. */
export const importRoutes: FastifyPluginAsyncTypebox<ImportDeps> = async (api, deps) =>
  addImports(api, deps, {
    ...{ path: '/v1/imports', tag: 'Links', suffix: '', params: {} },
    actorOf: ({ actor }) => actor,
  });

/** The same for the operator; the enclosing scope has found the operator. */
export const importAdminRoutes: FastifyPluginAsyncTypebox<ImportDeps> = async (api, deps) =>
  addImports(api, deps, {
    ...{ path: '/v1/admin/apps/:appId/imports', tag: 'Admin', suffix: 'OfApp' },
    params: { appId: Type.String() },
    actorOf: ({ params, operator }) => operatorOf(deps.db, (params as { appId: string }).appId, operator),
  });

function addImports(api: Api, deps: ImportDeps, scope: Scope): void {
  api.register(async (uploads: Api) => {
    readFiles(uploads);
    answerRefused(uploads);
    addStart(uploads, deps, scope);
  });
  addReads(api, deps, scope);
  addEnd(api, deps, scope);
  addReport(api, deps, scope, { name: 'rows', summary: 'Get what became of each row, as CSV' });
  addReport(api, deps, scope, {
    name: 'failures',
    summary: 'Get the failed rows in the source’s own columns, each with its line and the reason, as CSV',
  });
}

/** Bodies are files, which handlers read as they arrive. */
function readFiles(scope: Api): void {
  scope.removeAllContentTypeParsers();
  for (const type of Object.keys(FORMATS))
    scope.addContentTypeParser(type, (_request, body, done) => done(null, body));
  scope.addContentTypeParser('*', (_request, _body, done) =>
    done(new AppError('request.not_json', { message: NO_FORMAT })),
  );
}

/** A client that is still sending would lose the answer at the end of the connection. */
function answerRefused(scope: Api): void {
  scope.addHook('onSend', async (request, reply) => {
    if (reply.statusCode < 400) return;
    // One that is too large has been read for as long by now. What is left would be read as the next request.
    const isRead = reply.statusCode !== 413 && (await discard(request.raw));
    if (!isRead) reply.header('connection', 'close');
  });
}

function schemaOf(scope: Scope, operation: string, params: Scope['params'] = {}): FastifySchema {
  const all = { ...scope.params, ...params };
  return {
    operationId: `${operation}${scope.suffix}`,
    tags: [scope.tag],
    ...(Object.keys(all).length > 0 && { params: Type.Object(all) }),
  };
}

function addStart(api: Api, { imports }: ImportDeps, scope: Scope): void {
  api.post(scope.path, {
    config: {
      role: 'editor',
      streamedForMs: UPLOAD_TIMEOUT_MS,
      ...(scope.suffix === '' && { rateLimit: byApp('imports', 60) }),
    },
    schema: {
      ...schemaOf(scope, 'startImport'),
      summary: 'Import links from a file of another service',
      description:
        'The file is the body: at most 50 MB and a million rows. Every row is judged before a link is stored; read the result with `GET /v1/imports/{id}`. The same file again changes nothing. One import of an app runs at a time. See docs/guide/importing.md.',
      querystring: StartImport,
      body: Type.Unsafe<Readable>({}),
      fileBody: ['text/csv', 'application/x-ndjson'],
      response: { 202: Import, ...errorResponses(400, 401, 404, 409, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { source, dryRun, columns } = request.query as Static<typeof StartImport>;
      const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1);
      const format = FORMATS[type.trim().toLowerCase()];
      const body = request.body as Readable | null | undefined;
      if (format === undefined || body == null)
        throw new AppError('request.not_json', { message: NO_FORMAT });
      const mapping = readMapping(source, columns);
      const actor = await scope.actorOf(request);
      const isDryRun = dryRun === 'true';
      const upload = { source, format, columns: mapping, isDryRun, body, server: api.connections };
      const announced = Number(request.headers['content-length'] ?? 0);
      const { checkAgain } = request;
      const row = await imports.accept(actor, { ...upload, announced, checkAgain });
      return reply.code(202).send(presentImport(row));
    },
  });
}

function addReads(api: Api, { imports }: ImportDeps, scope: Scope): void {
  api.get(scope.path, {
    schema: {
      ...schemaOf(scope, 'listImports'),
      summary: 'List imports of the last 30 days, newest first',
      querystring: ListImports,
      response: { 200: Type.Array(Import), ...errorResponses(400, 401, 404, 429, 503) },
    },
    handler: async (request) => {
      const { before, limit } = request.query as Static<typeof ListImports>;
      const page = { before: before?.toLowerCase() ?? null, limit };
      return (await imports.list(await scope.actorOf(request), page)).map(presentImport);
    },
  });
  api.get(`${scope.path}/:id`, {
    schema: {
      ...schemaOf(scope, 'readImport', { id: Type.String() }),
      summary: 'Read an import: its progress, and what became of its rows',
      response: { 200: Import, ...errorResponses(401, 404, 429, 503) },
    },
    handler: async (request) => presentImport(await importOf({ imports }, scope, request)),
  });
}

function addEnd(api: Api, { imports }: ImportDeps, scope: Scope): void {
  api.delete(`${scope.path}/:id`, {
    config: { role: 'editor' },
    schema: {
      ...schemaOf(scope, 'endImport', { id: Type.String() }),
      summary: 'End a running import',
      description:
        'Links that are stored stay, each whole, and its report says which. The import is `failed` then, and its `error` says by whom it was ended.',
      response: { 200: Import, ...errorResponses(401, 404, 409, 429, 503) },
    },
    handler: async (request) => {
      await imports.end(await scope.actorOf(request), await importOf({ imports }, scope, request));
      return presentImport(await importOf({ imports }, scope, request));
    },
  });
}

async function importOf(
  { imports }: Pick<ImportDeps, 'imports'>,
  scope: Scope,
  request: FastifyRequest,
): Promise<ImportRow> {
  const id = (request.params as { id: string }).id.toLowerCase();
  const actor = await scope.actorOf(request);
  const row = isUuid(id) ? await imports.find(actor, id) : undefined;
  if (row === undefined) throw new AppError('import.not_found');
  return row;
}

function addReport(
  api: Api,
  deps: ImportDeps,
  scope: Scope,
  { name, summary }: { name: 'rows' | 'failures'; summary: string },
): void {
  const operation = name === 'rows' ? 'listImportRows' : 'listImportFailures';
  api.get(`${scope.path}/:id/${name}`, {
    schema: {
      ...schemaOf(scope, operation, { id: Type.String() }),
      summary,
      response: { 200: Csv, ...errorResponses(401, 404, 409, 429, 503) },
    },
    handler: async (request, reply) => {
      const row = await importOf(deps, scope, request);
      if (row.status === 'running') throw new AppError('import.running', { message: STILL_RUNNING });
      const texts = name === 'rows' ? rowsAsCsv(deps.db, row) : failuresAsCsv(deps.db, row);
      return sendCsv(api, deps, { request, reply }, { row, name, texts });
    },
  });
}

function sendCsv(
  api: Api,
  { openExports }: ImportDeps,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { row, name, texts }: { row: ImportRow; name: string; texts: AsyncIterable<string> },
): FastifyReply {
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="import-${row.id}-${name}.csv"`);
  // Fastify would read the whole report for a HEAD.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  openExports.assertRoom(row.app_id);
  const pieces = Readable.from(givingWay(whileAllowed(texts, request.checkAgain), api.connections));
  openExports.add(row.app_id, pieces);
  return reply.send(pieces);
}
