import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Foundation } from '../foundation.ts';
import { cursorOf } from '../server/cursor.ts';
import { errorResponses } from '../server/schemas.ts';
import { listAuditEntries } from './queries.ts';
import { AuditLogEntry, ListAuditLog, ListServiceAuditLog, presentEntry } from './schemas.ts';
import { listServiceLog } from './service-log.ts';

/**
 * `GET /v1/audit-log`.
 * @param onRequest authenticates a secret key and limits the rate; a parameter, because `apps` imports this module.
 */
export const auditRoutes: FastifyPluginAsyncTypebox<Pick<Foundation, 'db'>> = async (api, { db }) => {
  api.get('/v1/audit-log', {
    schema: {
      operationId: 'listAuditLog',
      tags: ['Audit log'],
      summary: 'List changes, erasures, exports and abandoned deliveries, newest first',
      querystring: ListAuditLog,
      response: { 200: Type.Array(AuditLogEntry), ...errorResponses(400, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const { action = null, shortCode = null, before, limit } = query;
      const page = { action, shortCode, sandboxOnly: actor.mode === 'test', ...cursorOf(before), limit };
      return (await listAuditEntries(db, actor.appId, page)).map(presentEntry);
    },
  });
};

/** `GET /v1/admin/audit-log`; the enclosing scope has found the operator. */
export const serviceAuditRoute: FastifyPluginAsyncTypebox<Pick<Foundation, 'db'>> = async (api, { db }) => {
  api.get('/v1/admin/audit-log', {
    schema: {
      operationId: 'listServiceAuditLog',
      tags: ['Admin'],
      summary: 'List changes of operators, set-up addresses and new passwords, newest first',
      querystring: ListServiceAuditLog,
      response: { 200: Type.Array(AuditLogEntry), ...errorResponses(400, 503) },
    },
    handler: async ({ query: { action = null, before, limit } }) => {
      const page = { action, ...cursorOf(before), limit };
      return (await listServiceLog(db, page)).map(presentEntry);
    },
  });
};
