/** The endpoints, in scopes whose hooks authenticate a kind of key and limit the rate. */

import { accountAdminRoutes } from './accounts/admin-routes.ts';
import { memberRoutes } from './accounts/member-routes.ts';
import { oidcRoutes } from './accounts/oidc-routes.ts';
import { accountRoutes } from './accounts/routes.ts';
import type { Modules } from './app.ts';
import { associationRoutes } from './apps/association-routes.ts';
import type { AppDirectory } from './apps/index.ts';
import { ownAppRoutes } from './apps/own-app-routes.ts';
import { adminRoutes } from './apps/routes.ts';
import { DEBUG_LIMIT, debugRoute } from './attribution/routes.ts';
import { auditRoutes, type SendExport, serviceAuditRoute } from './audit/routes.ts';
import { type Auth, createAuth, limitSdkCalls, MANAGEMENT_LIMIT } from './auth/index.ts';
import { keyAdminRoutes, ownKeyRoutes } from './auth/routes.ts';
import { consoleRoutes } from './console/routes.ts';
import { diagnosisRoutes } from './diagnosis/routes.ts';
import { frontPageRoute } from './documents/front-page.ts';
import { documentRoutes } from './documents/routes.ts';
import { eventRoutes } from './events/routes.ts';
import type { Foundation } from './foundation.ts';
import { fraudRoutes } from './fraud/routes.ts';
import { healthRoutes } from './health/routes.ts';
import {
  installAdminRoutes,
  installDeletionRoutes,
  installSdkRoutes,
  readInstallRoute,
} from './installs/routes.ts';
import { importAdminRoutes, importRoutes } from './links/import/routes.ts';
import type { LinkRow } from './links/index.ts';
import { linkRoutes } from './links/routes.ts';
import { liveRoutes } from './live/routes.ts';
import { openSdkRoutes } from './opens/routes.ts';
import { retentionRoutes } from './privacy/retention-routes.ts';
import { privacyRoutes } from './privacy/routes.ts';
import { recordAdminRoutes, recordRoutes } from './records/routes.ts';
import { sendExport, streamedFormat } from './records/send-export.ts';
import { SIGNALS_LIMIT, signalRoutes } from './redirect/landing/routes.ts';
import { revenuecatRoute, revenuecatStatusRoute } from './revenuecat/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { measureRequests } from './server/metrics.ts';
import { type CheckResult, createDatabaseCheck, metricsRoute, operationRoutes } from './server/operations.ts';
import type { Api } from './server/server.ts';
import { invitationRoutes, shareLinkSdkRoutes } from './share-links/routes.ts';
import {
  conversionSchemaRoute,
  DEVICE_LIMIT,
  deviceRoutes,
  skanRoutes,
  strayPostbackRoute,
} from './skadnetwork/routes.ts';
import { accuracyRoutes } from './stats/accuracy/routes.ts';
import { costRoutes } from './stats/costs/routes.ts';
import { countLinks, countOfLink } from './stats/index.ts';
import { statisticsRoutes } from './stats/routes.ts';
import { webRoutes } from './web/routes.ts';
import { destinationRoutes } from './webhooks/destinations/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

interface RoutesOf {
  readonly foundation: Foundation;
  readonly modules: Modules;
  readonly adminTokens: readonly string[];
}

type DatabaseCheck = () => Promise<CheckResult>;

/** Pages of any origin may call these endpoints: their keys belong inside apps, and no cookie opens them. */
export const SDK_PATH = '/v1/sdk/';

export async function addRoutes(api: Api, { foundation, modules, adminTokens }: RoutesOf): Promise<void> {
  const { events, keyRing, live, rateLimits, recording, shareLimits } = modules;
  const { db, metrics } = foundation;
  const auth = createAuth({ ...foundation, keyRing, rateLimits, adminTokens });
  measureRequests(api, foundation);
  const checkDatabase = createDatabaseCheck(foundation);
  await addPublicRoutes(api, foundation, { ...modules, auth, checkDatabase });
  await api.register(async (sdk: Api) => {
    auth.guard(sdk, { key: 'any' });
    limitSdkCalls(sdk, rateLimits);
    await sdk.register(installSdkRoutes, { recording });
    await sdk.register(openSdkRoutes, { recording });
    await sdk.register(eventRoutes, { events });
    await sdk.register(shareLinkSdkRoutes, { ...recording, shareLimits });
    await sdk.register(conversionSchemaRoute, { db });
  });
  await api.register(async (management: Api) => {
    auth.guard(management, { key: 'secret', session: 'member' });
    management.addHook('onRequest', rateLimits.hook(MANAGEMENT_LIMIT));
    await addManagementRoutes(management, foundation, modules);
    await management.register(liveRoutes, { db, live });
  });
  await addAccountRoutes(api, foundation, { ...modules, auth });
  await api.register(async (admin: Api) => {
    auth.guard(admin, { adminToken: true, session: 'operator' });
    await addAdminRoutes(admin, foundation, { ...modules, checkDatabase });
  });
  await api.register(async (monitoring: Api) => {
    auth.guard(monitoring, { adminToken: true, metricsToken: true });
    await monitoring.register(metricsRoute, { metrics });
  });
}

/** For the console alone: no key opens these. */
async function addAccountRoutes(
  api: Api,
  foundation: Foundation,
  { auth, ...modules }: Modules & { readonly auth: Auth },
): Promise<void> {
  const { db, clock, ids, config, secrets } = foundation;
  const { appDirectory, hostDirectory, keyRing, loops, rateLimits, oidc, passwords, mailer } = modules;
  const accounts = { ...foundation, rateLimits, passwords, mailer };
  await api.register(accountRoutes, { ...accounts, auth });
  await api.register(oidcRoutes, { ...accounts, oidc });
  await api.register(async (own: Api) => {
    auth.guard(own, { session: 'member' });
    own.addHook('onRequest', rateLimits.hook(MANAGEMENT_LIMIT));
    const { refuseApp: refuseLoops } = loops;
    await own.register(ownAppRoutes, {
      ...{ db, clock, ids, config, secrets, appDirectory, hostDirectory, refuseLoops },
    });
    await own.register(ownKeyRoutes, { db, clock, ids, config, keyRing });
    await own.register(memberRoutes, { ...accounts, keyRing });
  });
}

/** Without a key in a header. */
async function addPublicRoutes(
  api: Api,
  { db, clock, config, secrets }: Foundation,
  modules: Modules & { readonly auth: Auth; readonly checkDatabase: DatabaseCheck },
): Promise<void> {
  const { auth, clickLog, clickWaits, hostDirectory, journalFlushes, recording } = modules;
  const { appDirectory, linkDirectory, postbacks, rateLimits, revenuecat } = modules;
  const checks = { database: modules.checkDatabase, clicks: () => clickLog.health() };
  await api.register(operationRoutes, { checks });
  await api.register(associationRoutes, { hostDirectory });
  await api.register(consoleRoutes, { config });
  await api.register(documentRoutes, { config });
  await api.register(webRoutes);
  await api.register(frontPageRoute, { config, hostDirectory });
  await api.register(async (debug: Api) => {
    // The limit comes first, so that wrong keys count, too.
    debug.addHook('preValidation', rateLimits.hook(DEBUG_LIMIT));
    auth.guard(debug, { key: 'secret', keyInBody: true, session: 'member' });
    await debug.register(debugRoute, { recording });
  });
  await api.register(async (page: Api) => {
    page.addHook('onRequest', rateLimits.hook(SIGNALS_LIMIT));
    const waiting = { db, clock, journalFlushes, clickWaits };
    await page.register(signalRoutes, { ...waiting, secrets, linkDirectory, clickLog });
  });
  await api.register(revenuecatRoute, { appDirectory, auth, rateLimits, revenuecat });
  await api.register(async (phones: Api) => {
    phones.addHook('onRequest', rateLimits.hook(DEVICE_LIMIT));
    await phones.register(deviceRoutes, { ...postbacks, rateLimits });
  });
}

async function accuracySettings(appDirectory: AppDirectory, appId: string) {
  const app = await appDirectory.get(appId);
  const threshold = app.fingerprint_threshold_percent / 100;
  return {
    ...{ threshold, measureAccuracy: app.measure_accuracy === 1 },
    fingerprint: { ANDROID: app.fingerprint_android === 1, IOS: app.fingerprint_ios === 1 },
  };
}

async function addManagementRoutes(
  api: Api,
  { store, db, clock, ids, config, secrets, log }: Foundation,
  modules: Modules,
): Promise<void> {
  const { appDirectory, clickLog, counted, dispatcher, eraser, hostDirectory, linkDirectory } = modules;
  const { imports, loops, openExports, postbacks, qrDrawer, rateLimits, recordings, webhooks } = modules;
  const { accuracyCounts, statisticsInTurn, listsInTurn } = modules;
  const readTotals = async (appId: string, links: readonly LinkRow[]) => {
    await counted(appId);
    return await countLinks(db, appId, links);
  };
  const totalOf = async (appId: string, name: 'clicks' | 'installs') => {
    await counted(appId);
    return countOfLink(name);
  };
  await api.register(linkRoutes, {
    ...{ store, db, clock, ids, config, secrets, appDirectory, linkDirectory, readTotals, totalOf },
    ...{ rateLimits, qrDrawer, loops, log },
  });
  await api.register(importRoutes, { db, imports, openExports });
  await api.register(diagnosisRoutes, { db, clock, ids, appDirectory, hostDirectory, linkDirectory, loops });
  await api.register(accuracyRoutes, {
    ...{ db, clock, accuracyCounts, inTurn: statisticsInTurn },
    settingsOf: (appId) => accuracySettings(appDirectory, appId),
  });
  await api.register(statisticsRoutes, { db, clock, counted, inTurn: statisticsInTurn });
  await api.register(costRoutes, { db, clock, ids });
  await api.register(fraudRoutes, { db, clock, counted, inTurn: statisticsInTurn });
  const clicksApplied = (appId: string) => clickLog.applied(appId);
  await api.register(recordRoutes, {
    ...{ db, clock, ids, secrets, openExports, inTurn: listsInTurn },
    clicksApplied,
  });
  await api.register(searchRoutes, {
    ...{ db, secrets, inTurn: listsInTurn },
    ownHostOf: async (appId) => (await appDirectory.get(appId)).short_link_host,
    clicksApplied,
  });
  await api.register(readInstallRoute, { db });
  await api.register(invitationRoutes, { db, secrets, counted, inTurn: listsInTurn, clicksApplied });
  await api.register(installDeletionRoutes, { store, db, clock, ids, secrets, recordings });
  const delivery = { db, clock, ids, config, secrets, appDirectory, webhooks, dispatcher };
  await api.register(webhookRoutes, delivery);
  await api.register(destinationRoutes, delivery);
  await api.register(skanRoutes, postbacks);
  await api.register(revenuecatStatusRoute, { db, config });
  await api.register(auditRoutes, { db, clock, sendExport: exporterOf(api, modules) });
  await api.register(privacyRoutes, { db, clock, ids, secrets, log, eraser, clickLog, config });
}

async function addAdminRoutes(
  api: Api,
  { store, db, clock, ids, config, secrets, log, metrics }: Foundation,
  {
    appDirectory,
    checkDatabase,
    clickLog,
    history,
    hostDirectory,
    imports,
    keyRing,
    linkDirectory,
    loops,
    mailer,
    openExports,
    listsInTurn,
    recordings,
    appleAds,
    rootSecret,
    backups,
  }: Modules & { readonly checkDatabase: DatabaseCheck },
): Promise<void> {
  await api.register(adminRoutes, {
    ...{ db, clock, ids, config, secrets, appDirectory, hostDirectory, refuseLoops: loops.refuseApp },
  });
  await api.register(keyAdminRoutes, { db, clock, ids, config, keyRing });
  await api.register(accountAdminRoutes, { db, clock, ids, config, mailer });
  await api.register(serviceAuditRoute, { db, clock, sendExport: exporterOf(api, { openExports }) });
  await api.register(installAdminRoutes, { store, db, clock, ids, secrets, recordings });
  await api.register(recordAdminRoutes, {
    ...{ db, clock, ids, secrets, openExports, inTurn: listsInTurn },
    clicksApplied: (appId) => clickLog.applied(appId),
  });
  await api.register(importAdminRoutes, { db, imports, openExports });
  await api.register(strayPostbackRoute, { db });
  await api.register(retentionRoutes, { store, db, clock, ids, log });
  await api.register(healthRoutes, {
    ...{ store, db, clock, ids, config, secrets, clickLog, checkDatabase },
    ...{ history, hostDirectory, linkDirectory, loops, appleAds, metrics, rootSecret, backups },
  });
}

/** Streams entries of the audit log as the lists of records do. */
function exporterOf(api: Api, { openExports }: Pick<Modules, 'openExports'>): SendExport {
  return ({ request, reply }, records) => {
    const format = streamedFormat(request);
    if (format !== null) sendExport({ api, openExports }, { request, reply, format }, records);
    return format !== null;
  };
}
