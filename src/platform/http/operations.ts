import type { onRequestAsyncHookHandler } from 'fastify';
import { Type } from 'typebox';
import type { Ctx } from '../ctx.ts';
import { sumMetrics } from '../workers/index.ts';
import { type JsonDocument, sendDocument, serializeDocument } from './json-document.ts';
import { errorAnswers } from './schemas.ts';
import type { Api } from './server.ts';

/** What a part of the server says of itself. */
export interface Health {
  readonly ok: boolean;
  readonly [detail: string]: unknown;
}

const Alive = Type.Object({ status: Type.Literal('ok') });
const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not_ready']),
  checks: Type.Record(Type.String(), Type.Object({ ok: Type.Boolean() }, { additionalProperties: true })),
});

/** For whoever runs the server: is it alive, is it ready, how is it doing. */
export function operationRoutes(
  api: Api,
  ctx: Ctx,
  {
    requireAdmin,
    checks,
  }: { requireAdmin: onRequestAsyncHookHandler; checks: Record<string, () => Promise<Health>> },
): void {
  const tags = ['Server'];
  ctx.siblings?.answer('metrics', () => ctx.metrics.getMetricsAsJSON());
  api.get('/healthz', {
    schema: { tags, summary: 'The process lives', response: { 200: Alive } },
    handler: async () => ({ status: 'ok' as const }),
  });

  api.get('/readyz', {
    schema: {
      tags,
      summary: 'The database answers, its migrations are applied, clicks can be written',
      response: { 200: Readiness, 503: Readiness },
    },
    handler: async (_request, reply) => {
      const results: Record<string, Health> = { database: await checkDatabase(ctx) };
      // Whoever cannot even be asked is not well.
      for (const [name, check] of Object.entries(checks))
        results[name] = await check().catch(() => ({ ok: false }));
      const isReady = Object.values(results).every(({ ok }) => ok);
      const body = { status: isReady ? ('ready' as const) : ('not_ready' as const), checks: results };
      return reply.code(isReady ? 200 : 503).send(body);
    },
  });

  api.get('/metrics', {
    onRequest: requireAdmin,
    schema: {
      tags,
      summary: 'Prometheus metrics',
      security: [{ adminToken: [] }],
      response: { 200: Type.String(), ...errorAnswers(401) },
    },
    handler: async (_request, reply) =>
      reply
        .type(ctx.metrics.contentType)
        .serializer((text: string) => text)
        .send(await metricsText(ctx)),
  });

  // Made at the first request: the document is complete only once all routes are added.
  let apiDocument: JsonDocument | undefined;
  api.get('/openapi.json', {
    schema: { hide: true },
    handler: async (request, reply) => {
      apiDocument ??= serializeDocument(api.swagger());
      return sendDocument(request, reply, apiDocument);
    },
  });
}

/** Of all workers of the machine, where there are several. */
async function metricsText({ metrics, siblings }: Ctx): Promise<string> {
  if (siblings === null) return await metrics.metrics();
  const replies = await siblings.ask('metrics');
  return await sumMetrics(replies.flatMap((reply) => (reply.state === 'answered' ? [reply.answer] : [])));
}

async function checkDatabase(ctx: Ctx): Promise<Health> {
  try {
    const pendingMigrations = await ctx.store.pendingMigrations();
    if (await ctx.store.isReadOnly())
      return { ok: false, pendingMigrations, reason: 'the database takes no changes' };
    return { ok: pendingMigrations.length === 0, pendingMigrations };
  } catch (error) {
    ctx.log.warn({ err: error }, 'the database does not answer');
    return { ok: false, reason: 'the database does not answer' };
  }
}
