import { setTimeout as sleep } from 'node:timers/promises';
import { DATABASE_BACK, type Db, isShared } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime, SECOND_MS } from '../lib/clock.ts';
import type { InFlight } from '../lib/in-flight.ts';
import { type Heartbeat, LoopStopped, startLoop } from '../lib/loop.ts';
import type { ClickLog } from './click-log.ts';
import { type Outage, Outages } from './outages.ts';

/** Data of this process that may not be in the database yet. */
interface PendingData {
  readonly recordings: InFlight;
  readonly clickLog: Pick<ClickLog, 'flush'>;
}

/** Flushes the click journals and pending calls of all processes that share the database, before an erasure. */
export interface JournalFlushes {
  /** From now on this process flushes `pending` on requests of any process. */
  serve(pending: PendingData): void;
  /**
   * Resolves when all installs, opens and clicks that any running process had accepted are in the database, and the clicks
   * are removed from its journal. The journal of a stopped process is applied at its next start.
   * @returns the apps for which this does not hold: a process cannot store their clicks now.
   */
  flushAll(goOn: Heartbeat): Promise<ReadonlySet<string>>;
  /** The last outage of the database, in which no process could apply its journal; null if there was none. */
  lastOutage(): Outage | null;
  stop(): Promise<void>;
}

/** On a shared database, registers this process so that erasures of other processes wait for its journal. */
export async function createJournalFlushes({
  db,
  clock,
  ids,
  log,
}: Pick<Foundation, 'db' | 'clock' | 'ids' | 'log'>): Promise<JournalFlushes> {
  return isShared(db) ? await createShared({ db, clock, ids, log }) : createSingle();
}

function createSingle(): JournalFlushes {
  let own: PendingData | undefined;
  return {
    serve: (pending) => {
      own = pending;
    },
    flushAll: async (goOn) => new Set(own === undefined ? [] : await flush(own, goOn)),
    lastOutage: () => null,
    stop: async () => undefined,
  };
}

/** Recordings first, since they may wait for clicks. */
async function flush({ recordings, clickLog }: PendingData, goOn: Heartbeat): Promise<readonly string[]> {
  await recordings.settled(goOn);
  return await clickLog.flush(goOn);
}

const HEARTBEAT_EVERY_MS = SECOND_MS;
const STOPPED_AFTER_MS = 30 * SECOND_MS;
const POLL_EVERY_MS = 100;

async function createShared({
  db,
  clock,
  ids,
  log,
}: Pick<Foundation, 'db' | 'clock' | 'ids' | 'log'>): Promise<JournalFlushes> {
  const id = ids.next();
  const outages = new Outages(clock);
  let own: PendingData | undefined;
  let isStopping = false;
  const unlessStopping = async () => {
    if (isStopping) throw new LoopStopped();
  };
  await report(unlessStopping);
  const reporting = startLoop('click journals', HEARTBEAT_EVERY_MS, log, () => report(unlessStopping));

  async function sendHeartbeat() {
    const seen_at = isoTime(clock.nowMs());
    return await db
      .insertInto('journals')
      .values({ id, seen_at, flush_wanted_at: null, flushed_at: null, apps_behind: null })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at }))
      .returning(['flush_wanted_at', 'flushed_at'])
      .executeTakeFirstOrThrow();
  }

  /** Sends a heartbeat, and flushes if any process requested it. */
  async function report(goOn: Heartbeat): Promise<void> {
    const row = await sendHeartbeat().catch((error: unknown) => {
      outages.addFault();
      throw error;
    });
    outages.addSuccess();
    log.warn(...DATABASE_BACK);
    if (own === undefined || row.flush_wanted_at === null || row.flushed_at === row.flush_wanted_at) return;
    const behind = await flush(own, async () => {
      await goOn();
      // Flushes do not wait for a process without a recent heartbeat.
      await sendHeartbeat();
    });
    const flushed = { flushed_at: row.flush_wanted_at, apps_behind: toText(behind) };
    await db.updateTable('journals').set(flushed).where('id', '=', id).execute();
  }

  return {
    serve(pending) {
      own = pending;
    },
    lastOutage: () => outages.last(),
    async flushAll(goOn) {
      const wantedAt = isoTime(clock.nowMs());
      await db.updateTable('journals').set({ flush_wanted_at: wantedAt }).execute();
      await report(goOn);
      for (;;) {
        const pending = await db
          .selectFrom('journals')
          .select('id')
          .where('seen_at', '>', isoTime(clock.nowMs() - STOPPED_AFTER_MS))
          .where('flush_wanted_at', '=', wantedAt)
          .where(({ or, eb }) => or([eb('flushed_at', 'is', null), eb('flushed_at', '!=', wantedAt)]))
          .executeTakeFirst();
        if (pending === undefined) return await readAppsBehind(db, wantedAt);
        await goOn();
        await sleep(POLL_EVERY_MS);
      }
    },
    async stop() {
      isStopping = true;
      await reporting.stop();
      await db
        .deleteFrom('journals')
        .where('id', '=', id)
        .execute()
        .catch((error: unknown) =>
          log.warn({ err: error }, 'Failed to remove the registration of the click journal; it expires'),
        );
    },
  };
}

async function readAppsBehind(db: Db, wantedAt: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('journals')
    .select('apps_behind')
    .where('flushed_at', '=', wantedAt)
    .execute();
  return new Set(rows.flatMap((row) => row.apps_behind?.split(' ') ?? []));
}

function toText(appIds: readonly string[]): string | null {
  return appIds.length === 0 ? null : appIds.join(' ');
}
