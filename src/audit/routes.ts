import type { onRequestAsyncHookHandler } from 'fastify';
import { Type } from 'typebox';
import { isMoment, isoTime, LATEST_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { checkText } from '../platform/http/json-body.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api } from '../platform/http/server.ts';
import { isUuid } from '../platform/ids.ts';
import { listAuditEntries } from './queries.ts';
import { AuditLogEntry, ListAuditLog, presentEntry } from './schemas.ts';

/**
 * `GET /v1/audit-log`.
 * @param onRequest authenticates a secret key and limits the rate. Given, since apps write to this log themselves.
 */
export function auditRoutes(api: Api, ctx: Ctx, onRequest: onRequestAsyncHookHandler[]): void {
  api.get('/v1/audit-log', {
    onRequest,
    schema: {
      tags: ['Audit log'],
      security: [{ apiKey: [] }],
      summary: 'List changes, erasures, exports and deliveries that were given up, newest first',
      querystring: ListAuditLog,
      response: { 200: Type.Array(AuditLogEntry), ...errorAnswers(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const { action = null, before, limit } = query;
      if (action !== null) checkText(action, 'action');
      const page = { action, sandboxOnly: actor.mode === 'test', ...cursorOf(before), limit };
      return (await listAuditEntries(ctx.db, actor.appId, page)).map(presentEntry);
    },
  });
}

function cursorOf(before: string | undefined): { beforeId: string | null; beforeTime: string | null } {
  if (before === undefined) return { beforeId: null, beforeTime: null };
  if (isUuid(before)) return { beforeId: before.toLowerCase(), beforeTime: null };
  if (!isMoment(before))
    throw new AppError('request.invalid', {
      message: 'before must be the id of an entry or a date-time such as 2026-01-31T12:00:00Z.',
    });
  const timeMs = Math.min(Math.max(0, Date.parse(before)), LATEST_MS);
  return { beforeId: null, beforeTime: isoTime(timeMs) };
}
