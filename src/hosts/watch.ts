/** Looks at the host of each app once a day, in one process at a time, and at once on demand. */
import { LRUCache } from 'lru-cache';
import { listOwnerEmails } from '../accounts/index.ts';
import { type AppDirectory, type AppRow, type HostDirectory, listApps } from '../apps/index.ts';
import { holdLease, type Lease, releaseLease } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { HOUR_MS, isoTime, MINUTE_MS } from '../lib/clock.ts';
import { type Loop, LoopStopped, startLoop } from '../lib/loop.ts';
import type { Mailer } from '../lib/mail/mailer.ts';
import { type Place, placeOf } from './host.ts';
import { hostMail } from './host-mail.ts';
import { createLooker, type Looker } from './look-at-host.ts';
import {
  checksOf,
  deleteOtherHosts,
  findHost,
  type HostRow,
  insertHosts,
  listLookTimes,
  wasReached,
} from './queries.ts';
import { type RecordDeps, recordLook, type Told } from './record-look.ts';

const EVERY_MS = MINUTE_MS;
/** Time to make the DNS record of a host that was just set. */
const FIRST_LOOK_AFTER_MS = 10 * MINUTE_MS;
/** Of one turn; the others follow in the next one. */
const LOOKS_OF_TURN = 100;
const RETRY_AFTER_MS = HOUR_MS;
const MAX_OWNERS_MAILED = 50;

export interface WatchDeps extends RecordDeps, Pick<Foundation, 'config' | 'log' | 'secrets'> {
  readonly appDirectory: AppDirectory;
  readonly hostDirectory: HostDirectory;
  readonly mailer: Mailer | null;
  readonly authorities?: readonly string[] | undefined;
}

/** The host of an app, and what is known of it; null where it was never looked at. */
export interface Watched {
  readonly app: AppRow;
  readonly place: Place;
  readonly row: HostRow | null;
}

export interface HostWatch extends Loop {
  read(appId: string): Promise<Watched>;
  /** Looks now, unless the last look was within a minute. */
  check(appId: string): Promise<Watched>;
  /** What is due, of all apps. */
  turn(): Promise<void>;
}

export function createHostWatch(deps: WatchDeps): HostWatch {
  const { db, clock, ids, config, log } = deps;
  const listHosts = async () => {
    const places = (await listApps(db)).map((app) => placeOf(config, app));
    return [...new Set(places.filter(isWatched).map(({ host }) => host))];
  };
  const looker = createLooker({ ...deps, listHosts });
  const lease: Lease = { name: 'hosts', holder: ids.next(), forMs: 5 * MINUTE_MS };
  const retryAtMs = new LRUCache<string, number>({ max: 1_000 });
  let isStopping = false;

  async function turn(): Promise<void> {
    if (!config.watchHosts || !(await holdLease({ db, clock }, lease))) return;
    const errors: unknown[] = [];
    for (const app of await dueApps(deps)) {
      if (isStopping) throw new LoopStopped();
      if (!(await holdLease({ db, clock }, lease))) return;
      if (clock.nowMs() < (retryAtMs.get(app.id) ?? 0)) continue;
      await lookAt(deps, looker, app).catch((error: unknown) => {
        // An app that cannot be stored delays itself alone, and its host is not asked each minute.
        retryAtMs.set(app.id, clock.nowMs() + RETRY_AFTER_MS);
        errors.push(error);
      });
    }
    if (errors.length > 0) throw isStopping ? new LoopStopped() : errors[0];
  }

  const loop = startLoop('watch of hosts', EVERY_MS, log, turn);
  const read = async (appId: string): Promise<Watched> => {
    const app = await deps.appDirectory.get(appId);
    const place = placeOf(config, app);
    return { app, place, row: (await findHost(db, appId, place.host)) ?? null };
  };
  return {
    read,
    turn,
    async check(appId) {
      const app = await deps.appDirectory.get(appId);
      if (isWatched(placeOf(config, app))) await lookAt(deps, looker, app);
      return await read(appId);
    },
    async stop() {
      isStopping = true;
      // Ends a look in progress.
      await Promise.all([loop.stop(), looker.close()]);
      await releaseLease({ db, log }, lease);
    },
  };
}

function isWatched({ watching }: Place): boolean {
  return watching === 'on';
}

/** In the order of their hosts, so that apps of one host share what is asked about it. */
async function dueApps({ db, clock, config }: WatchDeps): Promise<AppRow[]> {
  const [apps, rows] = await Promise.all([listApps(db), listLookTimes(db)]);
  const watched = apps.map((app) => ({ app, place: placeOf(config, app) }));
  const current = new Map(watched.map(({ app, place }) => [app.id, place.host]));
  for (const row of rows)
    if (current.get(row.app_id) !== row.host)
      await deleteOtherHosts(db, row.app_id, current.get(row.app_id) ?? '');
  const known = new Map(rows.map((row) => [`${row.app_id} ${row.host}`, row]));
  const inOrder = watched
    .filter(({ place }) => isWatched(place))
    .sort((a, b) => a.place.host.localeCompare(b.place.host));
  const rowOf = ({ app, place }: (typeof inOrder)[number]) => known.get(`${app.id} ${place.host}`);
  const unseen = inOrder.filter((each) => rowOf(each) === undefined);
  const firstLookAt = isoTime(clock.nowMs() + FIRST_LOOK_AFTER_MS);
  await insertHosts(
    db,
    unseen.map(({ app, place }) => ({ app_id: app.id, host: place.host, next_look_at: firstLookAt })),
  );
  const isDue = (row: { next_look_at: string } | undefined) =>
    row !== undefined && Date.parse(row.next_look_at) <= clock.nowMs();
  return inOrder
    .filter((each) => isDue(rowOf(each)))
    .slice(0, LOOKS_OF_TURN)
    .map(({ app }) => app);
}

async function lookAt(deps: WatchDeps, looker: Looker, app: AppRow): Promise<void> {
  const place = placeOf(deps.config, app);
  const row = await findHost(deps.db, app.id, place.host);
  const known = row === undefined ? [] : checksOf(row);
  const look = await looker.look({ app, place, wasHere: wasReached(known) });
  const told = await recordLook(deps, { app, place, look });
  if (told.length > 0) await mailOwners(deps, { app, place, told });
}

/** One mail for all that changed. One that the mail server refuses is in the log, and is not sent again. */
async function mailOwners(
  { db, config, mailer, log }: WatchDeps,
  { app, place, told }: { app: AppRow; place: Place; told: readonly Told[] },
): Promise<void> {
  for (const { change, check } of told)
    log.info({ appId: app.id, host: place.host, check: check.check, change }, 'The state of a host changed');
  if (mailer === null) return;
  const owners = (await listOwnerEmails(db, app.id)).slice(0, MAX_OWNERS_MAILED);
  const url = `${config.publicUrl}/console/${app.id}/settings`;
  for (const to of owners)
    await mailer.send(hostMail({ to, appName: app.name, host: place.host, told, url }));
}
