/** Wires the rooms together: the one place that knows them all. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { migrations } from '../migrations/index.ts';
import { associationRoutes } from './apps/association-routes.ts';
import {
  createAppDirectory,
  createHostDirectory,
  createKeyRing,
  MANAGEMENT_LIMIT,
  refuseBesideUnmoved,
  requireAdmin,
  requireKey,
} from './apps/index.ts';
import { adminRoutes } from './apps/routes.ts';
import { createInstallBound } from './attribution/index.ts';
import { attributionRoutes } from './attribution/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { answerTaps } from './clicks/answer-tap.ts';
import {
  type ClickLog,
  ClickWaits,
  createJournalFlushes,
  openClickLog,
  withSiblings,
} from './clicks/index.ts';
import { signalRoutes } from './clicks/landing/routes.ts';
import { redirectRoutes, shortLinks } from './clicks/routes.ts';
import { diagnosisRoutes } from './diagnosis/routes.ts';
import { createDailyBounds } from './events/index.ts';
import { eventRoutes } from './events/routes.ts';
import { fraudRoutes } from './fraud/routes.ts';
import { installRoutes } from './installs/routes.ts';
import { createLinkDirectory } from './links/index.ts';
import { linkRoutes } from './links/routes.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import type { Ctx } from './platform/ctx.ts';
import { type DataDir, takeDataDir } from './platform/data-dir/index.ts';
import { databaseRefused, isUnavailable, openMigrated, type Store } from './platform/db/index.ts';
import { closeServer } from './platform/http/closing.ts';
import { measureRequests } from './platform/http/metrics.ts';
import { type Health, operationRoutes } from './platform/http/operations.ts';
import { limitRate } from './platform/http/rate-limit.ts';
import { type Api, createServer } from './platform/http/server.ts';
import { createIds } from './platform/ids.ts';
import type { Log } from './platform/log.ts';
import { makePartitionsAhead } from './platform/make-partitions.ts';
import { deriveSecrets } from './platform/secrets.ts';
import { UnderWay } from './platform/under-way.ts';
import type { Siblings } from './platform/workers/index.ts';
import { createEraser } from './privacy/eraser.ts';
import { startRetention } from './privacy/retention.ts';
import { retentionRoutes } from './privacy/retention-routes.ts';
import { privacyRoutes } from './privacy/routes.ts';
import { type AppleKeys, publishedKeys } from './skan/index.ts';
import { skanRoutes } from './skan/routes.ts';
import { createDailyUsage } from './statistics/index.ts';
import { statisticsRoutes } from './statistics/routes.ts';
import { createCourier, createSubscriptions } from './webhooks/index.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** The whole service, assembled and not yet listening. */
export interface Service {
  readonly ctx: Ctx & { readonly clickLog: ClickLog };
  readonly api: Api;
  readonly dataDir: DataDir;
  /** Answers what is under way, writes what is gathered, and lets everything go. */
  close(): Promise<void>;
}

/** @param onDeath called when nothing can be stored any more in this process. */
export interface ServiceOptions {
  readonly log: Log;
  readonly clock?: Clock;
  /** The workers of this machine, where this process is one of several. */
  readonly siblings?: Siblings;
  /** What postbacks are verified with; those that Apple published unless others are given. */
  readonly appleKeys?: AppleKeys;
  readonly onDeath: (cause: unknown) => void;
}

/**
 * Opens the database for a command that needs all of it and no service: migrated, and with every click that waited in the
 * journal.
 * @param dataDir which the caller holds.
 */
export async function openWholeStore(config: Config, dataDir: DataDir, log: Log): Promise<Store> {
  const onDeath = (cause: unknown) => {
    throw cause;
  };
  const ctx = await openCtx(config, { log, onDeath }, dataDir);
  const clickLog = await openClickLog(ctx);
  await clickLog.flush(async () => undefined);
  await clickLog.close();
  return ctx.store;
}

/** @throws StartError when the data directory is taken or the database cannot be reached. */
export async function openService(config: Config, options: ServiceOptions): Promise<Service> {
  const dataDir = takeDataDir(config);
  try {
    return await assemble(config, options, dataDir);
  } catch (error) {
    dataDir.release();
    throw isUnavailable(error) ? databaseRefused(config, error) : error;
  }
}

async function assemble(config: Config, options: ServiceOptions, dataDir: DataDir): Promise<Service> {
  const ctx = await openRooms(await openCtx(config, options, dataDir), options);
  const answerTap = answerTaps(ctx);
  const api = await createServer(ctx, shortLinks(ctx, answerTap));
  redirectRoutes(api, answerTap);
  // A scope of its own: what is hooked into every other request stays away from the hottest path.
  await api.register(async (scope: Api) => addRoutes(scope, ctx, dataDir));
  await api.ready();
  const retention = startRetention(ctx);

  return {
    ctx,
    api,
    dataDir,
    async close() {
      const { clickLog, courier, dailyUsage, eraser, journalFlushes, keyRing, store } = ctx;
      const loops = [retention, eraser];
      // The courier does not wait for a receiver that is silent: what was not delivered is due at the next start.
      await Promise.all([closeServer(api), courier.stop(), ...loops.map((loop) => loop.stop())]);
      await Promise.all([clickLog.close(), keyRing.close(), dailyUsage.stop()]);
      // Not before: as long as clicks of this journal may still be applied, an erasure elsewhere has to wait for them.
      await journalFlushes.stop();
      await store.close();
      dataDir.release();
    },
  };
}

type ServiceCtx = Awaited<ReturnType<typeof openRooms>>;

/** What rooms keep open for their verbs. */
async function openRooms(ctx: Ctx, { appleKeys = publishedKeys() }: ServiceOptions) {
  const appDirectory = createAppDirectory(ctx);
  const hostDirectory = await createHostDirectory(ctx);
  const keyRing = createKeyRing(ctx);
  const linkDirectory = createLinkDirectory(ctx);
  await makePartitionsAhead(ctx);
  const journalFlushes = await createJournalFlushes(ctx);
  const ownClickLog = await openClickLog(ctx);
  const recordings = new UnderWay();
  const dailyUsage = createDailyUsage(ctx);
  journalFlushes.serve({ recordings, clickLog: ownClickLog });
  return {
    ...ctx,
    appDirectory,
    hostDirectory,
    keyRing,
    linkDirectory,
    clickLog: withSiblings(ctx, ownClickLog),
    journalFlushes,
    clickWaits: new ClickWaits(ctx.metrics),
    recordings,
    subscriptions: createSubscriptions(ctx),
    dailyUsage,
    dailyBounds: createDailyBounds(ctx, dailyUsage),
    installBound: createInstallBound(ctx, dailyUsage),
    courier: await createCourier(ctx),
    eraser: createEraser({ ...ctx, journalFlushes }),
    appleKeys,
  };
}

/** Every room's but for the short link, which is answered past the framework. */
function addRoutes(api: Api, ctx: ServiceCtx, { adminToken }: DataDir): void {
  measureRequests(api, ctx);
  associationRoutes(api, ctx);
  linkRoutes(api, ctx);
  diagnosisRoutes(api, ctx);
  signalRoutes(api, ctx);
  statisticsRoutes(api, ctx);
  fraudRoutes(api, ctx);
  attributionRoutes(api, ctx);
  eventRoutes(api, ctx);
  webhookRoutes(api, ctx);
  installRoutes(api, ctx, adminToken);
  skanRoutes(api, ctx, adminToken);
  auditRoutes(api, ctx, [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, MANAGEMENT_LIMIT)]);
  privacyRoutes(api, ctx);
  adminRoutes(api, ctx, adminToken);
  retentionRoutes(api, ctx, adminToken);
  operationRoutes(api, ctx, { requireAdmin: requireAdmin(adminToken), checks: checksOf(ctx) });
}

/**
 * What every verb is given, on a database that has all migrations.
 * @throws StartError when the database cannot be used.
 */
export async function openCtx(
  config: Config,
  { log, onDeath, clock = systemClock, siblings }: ServiceOptions,
  { rootSecret }: DataDir,
): Promise<Ctx> {
  const { store, applied } = await openMigrated(config, migrations, { log, onDeath });
  if (applied.length > 0) log.info({ migrations: applied }, 'database migrated');
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const secrets = deriveSecrets(rootSecret);
  const [db, ids] = [store.db, createIds(clock)];
  const ctx = { config, store, db, clock, ids, log, secrets, metrics, siblings: siblings ?? null };
  try {
    await refuseBesideUnmoved(ctx);
  } catch (error) {
    await store.close();
    throw error;
  }
  return ctx;
}

/** Where there are several workers, how many there are, too: one that is missing is replaced, and the others serve. */
function checksOf({
  clickLog,
  siblings,
}: Ctx & { clickLog: ClickLog }): Record<string, () => Promise<Health>> {
  const clicks = () => clickLog.health();
  if (siblings === null) return { clicks };
  return {
    clicks,
    async workers() {
      const replies = await siblings.ask('clicks');
      const silent = replies.filter(({ state }) => state === 'failed').map(({ worker }) => worker);
      const running = replies.filter(({ state }) => state === 'answered').length;
      return { ok: silent.length === 0, running, of: replies.length, silent };
    },
  };
}
