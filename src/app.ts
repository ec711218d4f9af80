/** Wires all modules together. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { migrations } from '../migrations/index.ts';
import { createOidc, createPasswords, type PasswordCost } from './accounts/index.ts';
import { API } from './api-description.ts';
import { assertSqliteMoved, createAppDirectory, createHostDirectory, META_KEYS } from './apps/index.ts';
import { createDailyInstallLimit, createMeasure, type RecordingDeps } from './attribution/index.ts';
import { createKeyRing } from './auth/index.ts';
import { startBackups } from './backups/index.ts';
import { ClickWaits, createJournalFlushes, openClickLog } from './click-log/index.ts';
import type { Config } from './config.ts';
import {
  createPartitionsAhead,
  isUnavailable,
  openMigrated,
  type Store,
  startDailyVacuum,
  toStartError,
} from './db/index.ts';
import { createDailyEventLimits, createEvents, type Events } from './events/index.ts';
import type { Foundation } from './foundation.ts';
import { createHistory } from './health/history.ts';
import { type After, after as afterBySystemClock, type Clock, SECOND_MS, systemClock } from './lib/clock.ts';
import { type Countries, openCountries } from './lib/countries.ts';
import { type DataDir, openDataDir, type RootSecrets } from './lib/data-dir/index.ts';
import { createIds } from './lib/ids.ts';
import { InFlight } from './lib/in-flight.ts';
import type { Log } from './lib/log.ts';
import { createMailer } from './lib/mail/mailer.ts';
import { createLinkDirectory, createLongLinks, createLoopFinder, Imports, QrDrawer } from './links/index.ts';
import { Live } from './live/live.ts';
import { observeStatements, startMonitoring } from './monitoring/index.ts';
import { createAppleAds } from './networks/index.ts';
import { createEraser } from './privacy/eraser.ts';
import { startRetention } from './privacy/retention.ts';
import { answerTaps } from './redirect/answer-tap.ts';
import { redirectRoutes, shortLinks } from './redirect/routes.ts';
import { createRevenueCat, type RevenueCat, WAITING_CONTENTS } from './revenuecat/index.ts';
import { openSecrets, type RootSecret } from './root-secret/index.ts';
import { addRoutes, SDK_PATH } from './routes.ts';
import { OpenExports } from './server/open-exports.ts';
import { createRateLimits } from './server/rate-limit.ts';
import { createReadTurns } from './server/read-turns.ts';
import { type Api, closeServer, createServer } from './server/server.ts';
import { createShareLimits } from './share-links/index.ts';
import { type AppleKeys, createTrim, publishedKeys } from './skadnetwork/index.ts';
import {
  createAccuracyCounts,
  createDailyUsage,
  createFolder,
  createRecordCounters,
  startFolding,
} from './stats/index.ts';
import {
  createDestinationKind,
  createDispatcher,
  createEnabledWebhooks,
  createWebhookKind,
  startForming,
  WEBHOOK_SECRETS,
} from './webhooks/index.ts';

/** The whole service, assembled and not yet listening. */
export interface Service extends Foundation, Modules {
  readonly api: Api;
  readonly dataDir: DataDir;
  /** Answers on, so that clients and proxies leave for another process, and loses no request. Before `close`. */
  drain(): Promise<void>;
  /** Completes the requests in progress, flushes buffers, and releases the database and the data directory. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly log: Log;
  readonly clock?: Clock;
  /** Of webhook attempts. */
  readonly after?: After;
  /** Keys that verify postbacks; by default those that Apple published. */
  readonly appleKeys?: AppleKeys;
  /** By default that of `createPasswords`. */
  readonly passwordCost?: PasswordCost;
  /** Called when this process can no longer store anything. */
  readonly onDeath: (cause: unknown) => void;
}

/** Opens the database for a command: migrated, with all clicks of the journal. The caller holds `dataDir`. */
export async function openWholeStore(config: Config, dataDir: DataDir, log: Log): Promise<Store> {
  const onDeath = (cause: unknown) => {
    throw cause;
  };
  const foundation = await openFoundation(config, { log, onDeath }, dataDir);
  const clickLog = await openClickLog(foundation);
  while ((await clickLog.flush(async () => undefined)).length > 0);
  await clickLog.close();
  return foundation.store;
}

/** @throws StartError if a file or the data directory cannot be used, or the database is unavailable. */
export async function openService(config: Config, options: ServiceOptions): Promise<Service> {
  const countries = openCountries(config);
  const dataDir = openDataDir(config);
  try {
    return await assemble(config, options, { dataDir, countries });
  } catch (error) {
    dataDir.release();
    throw isUnavailable(error) ? toStartError(config, error) : error;
  }
}

async function assemble(
  config: Config,
  options: ServiceOptions,
  { dataDir, countries }: { dataDir: DataDir; countries: Countries },
): Promise<Service> {
  const foundation = await openFoundation(config, options, dataDir);
  const modules = await createModules({ ...foundation, countries }, options);
  const { clickLog, dispatcher, dailyUsage, eraser, history, journalFlushes, keyRing } = modules;
  const { hostDirectory, imports, linkDirectory, live, longLinks, qrDrawer, revenuecat } = modules;
  const { accuracyCounts, backups, measure } = modules;
  const answerTap = answerTaps({
    ...{ ...foundation, countries, hostDirectory, linkDirectory, longLinks, clickLog },
  });
  const api = await createServer(foundation, {
    shortcut: shortLinks({ ...foundation, hostDirectory }, answerTap),
    description: API,
    openPath: SDK_PATH,
  });
  redirectRoutes(api, answerTap);
  // A scope, so that its hooks leave the redirect alone: `measureRequests` would count taps of escaped paths twice.
  await api.register(async (scope: Api) =>
    addRoutes(scope, {
      foundation,
      modules,
      adminTokens: [dataDir.adminToken, config.previousAdminToken ?? []].flat(),
    }),
  );
  await api.ready();
  const folding = startFolding(foundation);
  const forming = startForming({ ...foundation, dispatcher });
  const retention = startRetention(foundation);
  const dailyVacuum = startDailyVacuum(foundation);
  const monitoring = await startMonitoring(foundation);
  const rotation = foundation.rootSecret.start([...WEBHOOK_SECRETS, META_KEYS, WAITING_CONTENTS]);

  return {
    ...foundation,
    ...modules,
    api,
    dataDir,
    async drain() {
      await Promise.all([
        api.connections.drain(api.server, config.shutdownDelaySeconds * SECOND_MS),
        live.stop(),
      ]);
    },
    async close() {
      const loops = [
        folding,
        forming,
        retention,
        dailyVacuum,
        rotation,
        backups,
        eraser,
        history,
        live,
        imports,
        revenuecat,
      ];
      // The dispatcher does not wait for slow receivers: undelivered messages are due at the next start.
      await Promise.all([closeServer(api), dispatcher.stop(), ...loops.map((loop) => loop.stop())]);
      const measured = measure.stop().then(() => accuracyCounts.stop());
      await Promise.all([clickLog.close(), keyRing.close(), dailyUsage.stop(), qrDrawer.stop(), measured]);
      monitoring.stop();
      // Last: an erasure in another process waits while clicks of this journal may still be applied.
      await journalFlushes.stop();
      await foundation.store.close();
      dataDir.release();
    },
  };
}

export type Modules = Awaited<ReturnType<typeof createModules>>;

async function createModules(
  foundation: Foundation & { readonly countries: Countries; readonly rootSecret: RootSecret },
  { appleKeys = publishedKeys(), after = afterBySystemClock, passwordCost }: ServiceOptions,
) {
  const { store, db, clock, ids, config, secrets, log, metrics, rootSecret } = foundation;
  const appDirectory = createAppDirectory({ db, clock });
  const hostDirectory = await createHostDirectory({ db, clock, config, log });
  const keyRing = createKeyRing({ db, clock, config, log });
  const linkDirectory = createLinkDirectory({ db, clock, config, log });
  const longLinks = createLongLinks({ db, clock, ids, config, hostDirectory, linkDirectory });
  await createPartitionsAhead({ store, clock, log });
  // Before the click log: from its first click on, erasures in other processes have to wait for this journal.
  const journalFlushes = await createJournalFlushes({ db, clock, ids, log });
  const clickLog = await openClickLog({ store, db, clock, config, secrets, log, metrics });
  const foldCounts = createFolder(db);
  const counted = async (appId: string) => {
    await clickLog.applied(appId);
    await foldCounts(appId);
  };
  const clickWaits = new ClickWaits(metrics);
  // Calls that record installs, opens or events: erasures and deletions of installs wait for those that began before.
  const recordings = new InFlight();
  journalFlushes.serve({ recordings, clickLog });
  const [dailyUsage, counters] = [createDailyUsage({ db, log }), createRecordCounters({ metrics })];
  const webhooks = createEnabledWebhooks({ db, clock });
  const appleAds = createAppleAds({ db, clock, ids, config, log, metrics, appDirectory, webhooks });
  const kinds = {
    webhook: createWebhookKind({ clock, secrets }),
    destination: createDestinationKind({ db, clock, ids, secrets, appDirectory }),
    apple_ads: appleAds.kind,
  };
  const dispatcher = await createDispatcher({ db, clock, after, ids, config, log, metrics, kinds });
  const publishing = { appDirectory, webhooks, dispatcher, recordings, counters };
  const dailyLimits = createDailyEventLimits({ clock, secrets, log, metrics }, dailyUsage);
  const recorder = createEvents({ store, db, clock, ids, secrets, log, ...publishing, dailyLimits });
  const revenuecat = createRevenueCat({ ...foundation, appDirectory, events: recorder });
  const events = tellingOfUsers(recorder, revenuecat);
  const accuracyCounts = createAccuracyCounts({ db, log });
  const measure = createMeasure({ db, log, metrics, accuracyCounts });
  const recording: RecordingDeps = {
    measure,
    ...{ store, db, clock, ids, config, secrets, log, ...publishing },
    ...{ linkDirectory, longLinks, clickLog, journalFlushes, clickWaits, countries: foundation.countries },
    appleAds,
    installLimit: createDailyInstallLimit({ clock, secrets, metrics }, dailyUsage),
  };
  return {
    ...{ ...publishing, hostDirectory, keyRing, linkDirectory, longLinks, clickLog, clickWaits },
    shareLimits: createShareLimits({ clock, secrets, metrics }, dailyUsage),
    ...{ journalFlushes, counted, foldCounts, dailyUsage, dailyLimits },
    ...{ events, appleAds, recording, revenuecat, measure, accuracyCounts },
    postbacks: {
      ...{ store, db, clock, ids, webhooks, dispatcher, appleKeys },
      trimUnproven: createTrim({ db, log }),
    },
    eraser: createEraser({ store, db, clock, ids, config, secrets, log, journalFlushes, foldCounts }),
    ...{ rootSecret, backups: startBackups(foundation), qrDrawer: new QrDrawer() },
    imports: await Imports.open({
      ...{ store, db, clock, ids, config, log },
      ...{ appDirectory, hostDirectory, linkDirectory },
    }),
    openExports: new OpenExports(),
    statisticsInTurn: createReadTurns(1),
    listsInTurn: createReadTurns(2),
    loops: createLoopFinder({ config, hostDirectory, linkDirectory }),
    history: createHistory({ clock, config, log, metrics }),
    live: new Live({ db, clock, log, metrics }),
    rateLimits: createRateLimits({ store, log, secrets, metrics }),
    oidc: createOidc({ config, secrets, clock }),
    passwords: createPasswords(passwordCost),
    mailer: config.mail === null ? null : createMailer(config.mail, { log }),
  };
}

/** Tells of users that were identified, for purchases that wait for them. */
function tellingOfUsers(events: Events, { arrived }: Pick<RevenueCat, 'arrived'>): Events {
  return {
    ...events,
    async identify(call) {
      await events.identify(call);
      arrived(call.actor.appId, call.input.userId);
    },
  };
}

/** Of prom-client. They say again what metrics by type say, under names that only counters may have. */
const NO_COUNTERS = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

/** Opens and migrates the database. @throws StartError if it cannot be used. */
export async function openFoundation(
  config: Config,
  { log, onDeath, clock = systemClock }: ServiceOptions,
  given: RootSecrets,
): Promise<Foundation & { readonly rootSecret: RootSecret }> {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  for (const name of NO_COUNTERS) metrics.removeSingleMetric(name);
  const observe = observeStatements({ metrics });
  const { store, applied } = await openMigrated(config, migrations, { log, onDeath, observe });
  if (applied.length > 0) log.info({ migrations: applied }, 'Database migrated');
  const [db, ids] = [store.db, createIds(clock)];
  const base = { config, store, db, clock, ids, log, metrics };
  try {
    await assertSqliteMoved(base);
    const rootSecret = await openSecrets(base, given);
    return { ...base, secrets: rootSecret.secrets, rootSecret };
  } catch (error) {
    await store.close();
    throw error;
  }
}
