import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TObject, Type } from 'typebox';
import type { Foundation } from '../foundation.ts';
import { type Cursor, cursorOf, momentOf } from '../server/cursor.ts';
import { errorResponses, JsonOr } from '../server/schemas.ts';
import { ACTIONS, actionsNamed, SERVICE_ACTIONS, withoutOwners } from './actions.ts';
import { listAuditEntries, type Page } from './list-entries.ts';
import { presentEntries } from './present.ts';
import { AuditLogEntry, ListAuditLog, ListServiceAuditLog } from './schemas.ts';
import { listServiceLog } from './service-log.ts';

const STREAMED = ['text/csv', 'application/x-ndjson'] as const;
const DESCRIPTION =
  'With `Accept: text/csv` or `application/x-ndjson`, streams every matching entry, oldest first, whatever `limit`, `order`, `before` and `after`.';

/** Streams records in the format that `Accept` names; false if it asks for JSON. Given, as `records` imports this module. */
export type SendExport = (
  exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  records: { readonly item: TObject; readonly of: string; readonly chunks: AsyncIterable<readonly object[]> },
) => boolean;

type AuditDeps = Pick<Foundation, 'db' | 'clock'> & { readonly sendExport: SendExport };

/** `GET /v1/audit-log`. */
export const auditRoutes: FastifyPluginAsyncTypebox<AuditDeps> = async (api, { db, clock, sendExport }) => {
  api.get('/v1/audit-log', {
    schema: {
      operationId: 'listAuditLog',
      tags: ['Audit log'],
      summary: 'List changes, erasures, exports and abandoned deliveries, newest first',
      description: DESCRIPTION,
      querystring: ListAuditLog,
      response: { 200: JsonOr(Type.Array(AuditLogEntry), ...STREAMED), ...errorResponses(400, 429, 503) },
    },
    handler: async (request, reply) => {
      const { actor, query } = request;
      const { shortCode = null } = query;
      const filter = pageOf(query, ACTIONS);
      const seesAll = actor.role === undefined || actor.role === 'owner';
      const actions = seesAll ? filter.actions : withoutOwners(filter.actions);
      const page = { ...filter, actions, shortCode, sandboxOnly: actor.mode === 'test' };
      const list = async (some: Page) =>
        await presentEntries(db, actor.appId, await listAuditEntries(db, actor.appId, { ...page, ...some }));
      const all = { item: AuditLogEntry, of: actor.appId, chunks: allOf(list, page, clock.nowMs()) };
      return sendExport({ request, reply }, all) ? reply : await list(page);
    },
  });
};

/** `GET /v1/admin/audit-log`; the enclosing scope has found the operator. */
export const serviceAuditRoute: FastifyPluginAsyncTypebox<AuditDeps> = async (
  api,
  { db, clock, sendExport },
) => {
  api.get('/v1/admin/audit-log', {
    schema: {
      operationId: 'listServiceAuditLog',
      tags: ['Admin'],
      summary:
        'List sign-ins, new apps, changes of operators, set-up addresses and new passwords, newest first',
      description: DESCRIPTION,
      querystring: ListServiceAuditLog,
      response: { 200: JsonOr(Type.Array(AuditLogEntry), ...STREAMED), ...errorResponses(400, 429, 503) },
    },
    handler: async (request, reply) => {
      const page = pageOf(request.query, SERVICE_ACTIONS);
      const list = async (some: Page) => await presentEntries(db, null, await listServiceLog(db, some));
      const all = { item: AuditLogEntry, of: 'service', chunks: allOf(list, page, clock.nowMs()) };
      return sendExport({ request, reply }, all) ? reply : await list(page);
    },
  });
};

const ENTRIES_AT_ONCE = 200;

/** Every entry of a filter until the beginning of the export, oldest first. */
async function* allOf(
  list: (page: Page) => Promise<Static<typeof AuditLogEntry>[]>,
  filter: Page,
  begunMs: number,
): AsyncGenerator<object[]> {
  const toMs = Math.min(filter.toMs ?? Infinity, begunMs + 1);
  for (let after: Cursor | null = null; ; ) {
    const entries = await list({
      ...filter,
      toMs,
      order: 'asc',
      before: null,
      after,
      limit: ENTRIES_AT_ONCE,
    });
    if (entries.length > 0) yield entries;
    if (entries.length < ENTRIES_AT_ONCE) return;
    after = { id: entries.at(-1)?.id ?? '' };
  }
}

/** @throws AppError `request.invalid`. */
function pageOf(query: Static<typeof ListServiceAuditLog>, actions: readonly string[]): Page {
  const { action, actor, resource, from, to, order = 'desc', before, after, limit } = query;
  return {
    actions: action === undefined ? null : actionsNamed(actions, action),
    actor: actor?.toLowerCase() ?? null,
    resource: resource?.toLowerCase() ?? null,
    fromMs: from === undefined ? null : momentOf('from', from),
    toMs: to === undefined ? null : momentOf('to', to),
    order,
    before: cursorOf('before', before),
    after: cursorOf('after', after),
    limit,
  };
}
