import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Registry } from 'prom-client';
import { Type } from 'typebox';
import { DATABASE_BACK, faultReason, NO_CONNECTIONS } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime, SECOND_MS } from '../lib/clock.ts';
import { cachedFor } from '../lib/coalesce.ts';
import { type FixedBody, sendDocument, serializeDocument } from './fixed-body.ts';
import { errorResponses, Named } from './schemas.ts';

/** Result of a readiness check. */
export interface CheckResult {
  readonly ok: boolean;
  /** The cause and what to do, where they are known. With `ok` it tells why calls take longer. */
  readonly reason?: string | null;
  readonly [detail: string]: unknown;
}

const Alive = Named('Liveness', { status: Type.Enum(['ok', 'stopping']) });
const Readiness = Named('Readiness', {
  status: Type.Enum(['ready', 'not_ready']),
  checks: Type.Record(
    Type.String(),
    Named('ReadinessCheck', { ok: Type.Boolean() }, { additionalProperties: true }),
  ),
});

const Text = Type.Unsafe<string>({
  description: 'In the text format of Prometheus',
  content: { 'text/plain': { schema: { type: 'string' } } },
});

/** Bounds the writes that unauthenticated callers of /readyz cause. */
const PROBE_EVERY_MS = SECOND_MS;

interface OperationOptions {
  /** Readiness checks, by name. */
  readonly checks: Readonly<Record<string, () => Promise<CheckResult>>>;
}

const STOPPING = 'The process is stopping. Send requests to another one.';

const tags = ['Server'];

/** `/healthz`, `/readyz` and `/openapi.json`. */
export const operationRoutes: FastifyPluginAsyncTypebox<OperationOptions> = async (api, { checks }) => {
  api.get('/healthz', {
    schema: {
      operationId: 'readLiveness',
      tags,
      summary: 'The process is alive and takes requests, whatever the state of the database',
      response: { 200: Alive, 503: Alive },
    },
    handler: async (_request, reply) =>
      api.connections.isClosing
        ? reply.code(503).send({ status: 'stopping' as const })
        : { status: 'ok' as const },
  });

  api.get('/readyz', {
    schema: {
      operationId: 'readReadiness',
      tags,
      summary: 'The database is migrated and writable, and all other checks pass',
      response: { 200: Readiness, 503: Readiness },
    },
    handler: async (_request, reply) => {
      const results: Record<string, CheckResult> = {};
      for (const [name, check] of Object.entries(checks))
        results[name] = await check().catch(() => ({ ok: false }));
      if (api.connections.isClosing) results.process = { ok: false, reason: STOPPING };
      const isReady = Object.values(results).every(({ ok }) => ok);
      const body = { status: isReady ? ('ready' as const) : ('not_ready' as const), checks: results };
      return reply.code(isReady ? 200 : 503).send(body);
    },
  });

  // At the first request: the document is complete only once all routes are added.
  let apiDocument: FixedBody | undefined;
  api.get('/openapi.json', {
    schema: { hide: true },
    handler: async (request, reply) => {
      apiDocument ??= serializeDocument(api.swagger());
      return sendDocument(request, reply, apiDocument);
    },
  });
};

/** `/metrics`; the enclosing scope has checked the token. */
export const metricsRoute: FastifyPluginAsyncTypebox<{ metrics: Registry }> = async (api, { metrics }) => {
  api.get('/metrics', {
    schema: {
      operationId: 'readMetrics',
      tags,
      summary: 'Prometheus metrics, for `METRICS_TOKEN` or the admin token',
      response: { 200: Text, ...errorResponses(401) },
    },
    handler: async (_request, reply) =>
      reply
        .type(metrics.contentType)
        .serializer((text: string) => text)
        .send(await metrics.metrics()),
  });
};

type DatabaseCheckDeps = Pick<Foundation, 'store' | 'clock' | 'ids' | 'log'>;

/** A readiness check: migrations, and one write at most once a second. Never rejects. */
export function createDatabaseCheck(deps: DatabaseCheckDeps): () => Promise<CheckResult> {
  const probe = cachedFor(PROBE_EVERY_MS, () => checkDatabase(deps));
  return async () => withDamage(deps, await probe());
}

async function checkDatabase({ store, clock, ids, log }: DatabaseCheckDeps): Promise<CheckResult> {
  try {
    const pendingMigrations = await store.pendingMigrations();
    if (pendingMigrations.length > 0) return { ok: false, pendingMigrations, reason: MIGRATIONS_MISSING };
    await probeWrite({ db: store.db, clock, ids });
    log.warn(...DATABASE_BACK);
    // Ready: a process that a balancer drops would help no other one, since each keeps its connections.
    return { ok: true, pendingMigrations, ...(store.isShort() && { reason: NO_CONNECTIONS }) };
  } catch (error) {
    log.warn({ err: error }, 'The database failed its readiness check');
    return { ok: false, reason: faultReason(error) ?? 'The database does not answer.' };
  }
}

/** A probe does not touch damaged pages, so statements that met one are reported here. */
function withDamage({ store }: Pick<Foundation, 'store'>, result: CheckResult): CheckResult {
  const damage = store.damage();
  return damage === undefined ? result : { ...result, ok: false, reason: faultReason(damage) };
}

const MIGRATIONS_MISSING = 'Migrations are missing. Run: throughline migrate.';

async function probeWrite({ db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>): Promise<void> {
  const held_until = isoTime(clock.nowMs());
  await db
    .insertInto('leases')
    .values({ name: 'readiness', holder: ids.next(), held_until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ held_until }))
    .execute();
}
