import { Type } from 'typebox';
import { type KeyRing, MANAGEMENT_LIMIT, requireKey } from '../apps/index.ts';
import { isMoment, isoTime, LATEST_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { limitRate } from '../platform/http/rate-limit.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api } from '../platform/http/server.ts';
import { isUuid } from '../platform/ids.ts';
import { listAuditEntries } from './queries.ts';
import { AuditLogEntry, ListAuditLog, presentEntry } from './schemas.ts';

/** `GET /v1/audit-log`. */
export function auditRoutes(api: Api, ctx: Ctx & { keyRing: KeyRing }): void {
  api.get('/v1/audit-log', {
    onRequest: [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, MANAGEMENT_LIMIT)],
    schema: {
      tags: ['Audit log'],
      security: [{ apiKey: [] }],
      summary: 'List what has to be kept track of, newest first',
      querystring: ListAuditLog,
      response: { 200: Type.Array(AuditLogEntry), ...errorAnswers(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const page = { sandboxOnly: actor.mode === 'test', ...cursorOf(query.before), limit: query.limit };
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
