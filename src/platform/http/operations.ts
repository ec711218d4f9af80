import type { onRequestAsyncHookHandler } from 'fastify';
import { Type } from 'typebox';
import { isoTime, monotonicMs, SECOND_MS } from '../clock.ts';
import type { Ctx } from '../ctx.ts';
import { faultReason } from '../db/index.ts';
import { inRounds } from '../rounds.ts';
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

/** The database is written to no more often, however many callers ask. */
const PROBE_EVERY_MS = SECOND_MS;

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
  const databaseHealth = atMostEvery(PROBE_EVERY_MS, () => checkDatabase(ctx));
  ctx.siblings?.answer('metrics', () => ctx.metrics.getMetricsAsJSON());
  api.get('/healthz', {
    schema: { tags, summary: 'The process lives', response: { 200: Alive } },
    handler: async () => ({ status: 'ok' as const }),
  });

  api.get('/readyz', {
    schema: {
      tags,
      summary: 'The database can be read and written, its migrations are applied, clicks can be recorded',
      response: { 200: Readiness, 503: Readiness },
    },
    handler: async (_request, reply) => {
      const results: Record<string, Health> = { database: withDamage(ctx, await databaseHealth()) };
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

/** Shares one answer among all that ask while it is being made, or soon after. */
function atMostEvery<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly answer: T; readonly atMs: number } | null = null;
  return inRounds(async () => {
    if (last === null || monotonicMs() - last.atMs >= ms) last = { answer: await ask(), atMs: monotonicMs() };
    return last.answer;
  });
}

async function checkDatabase(ctx: Ctx): Promise<Health> {
  try {
    const pendingMigrations = await ctx.store.pendingMigrations();
    if (pendingMigrations.length > 0) return { ok: false, pendingMigrations, reason: MIGRATIONS_MISSING };
    await probeWrite(ctx);
    return { ok: true, pendingMigrations };
  } catch (error) {
    ctx.log.warn({ err: error }, 'The readiness check of the database failed');
    return { ok: false, reason: faultReason(error) ?? 'The database does not answer.' };
  }
}

/** The probes read and write other pages than those that are damaged. */
function withDamage({ store }: Ctx, health: Health): Health {
  const damage = store.damage();
  return damage === undefined ? health : { ...health, ok: false, reason: faultReason(damage) };
}

const MIGRATIONS_MISSING = 'Migrations are missing. Run: throughline migrate.';

/** A transaction like any other, on a row that means nothing. */
async function probeWrite({ db, clock, ids }: Ctx): Promise<void> {
  const held_until = isoTime(clock.nowMs());
  await db
    .insertInto('leases')
    .values({ name: 'readiness', holder: ids.next(), held_until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ held_until }))
    .execute();
}
