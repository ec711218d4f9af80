import { setTimeout as sleep } from 'node:timers/promises';
import { isoTime, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { type GoOn, LoopStopped, startLoop } from '../platform/loop.ts';
import type { UnderWay } from '../platform/under-way.ts';
import type { ClickLog } from './click-log.ts';
import { type Outage, Outages } from './outages.ts';

/** What a process holds that is not in the database yet. */
interface Unstored {
  /** Installs and opens whose call it has taken and not answered. */
  readonly recordings: UnderWay;
  readonly clickLog: Pick<ClickLog, 'flush'>;
}

/** The click journals of all processes that share the database, and the calls that they have taken. */
export interface JournalFlushes {
  /** Flushes what this process holds from now on, where any process has asked for it. */
  serve(unstored: Unstored): void;
  /**
   * Resolves when every install and open that any running process was recording is in the database, and every click that
   * it has acknowledged, which is out of its journal's files too. What the journal of a process that is gone holds is
   * found when it starts again.
   */
  flushAll(goOn: GoOn): Promise<void>;
  /** When the database was away last, and others could not apply what they recorded; null where it never was. */
  lastOutage(): Outage | null;
  stop(): Promise<void>;
}

/** Others know from here on that this process has a journal: whatever of it is stored later, they wait for it. */
export async function createJournalFlushes(ctx: Ctx): Promise<JournalFlushes> {
  return ctx.store.isShared ? await amongOthers(ctx) : alone();
}

function alone(): JournalFlushes {
  let own: Unstored | undefined;
  return {
    serve: (unstored) => {
      own = unstored;
    },
    flushAll: async (goOn) => {
      if (own !== undefined) await flush(own, goOn);
    },
    // There are no others.
    lastOutage: () => null,
    stop: async () => undefined,
  };
}

/** Recordings first: they wait for clicks, and clicks for nobody. */
async function flush({ recordings, clickLog }: Unstored, goOn: GoOn): Promise<void> {
  await recordings.settled(goOn);
  await clickLog.flush(goOn);
}

const REPORT_EVERY_MS = SECOND_MS;
const GONE_AFTER_MS = 30 * SECOND_MS;
const ASK_AGAIN_MS = 100;

async function amongOthers({ db, clock, ids, log }: Ctx): Promise<JournalFlushes> {
  const id = ids.next();
  const outages = new Outages(clock);
  let own: Unstored | undefined;
  let isStopping = false;
  const unlessStopping = async () => {
    if (isStopping) throw new LoopStopped();
  };
  await report(unlessStopping);
  const reporting = startLoop('click journals', REPORT_EVERY_MS, log, () => report(unlessStopping));

  async function sayAlive() {
    const seen_at = isoTime(clock.nowMs());
    return await db
      .insertInto('journals')
      .values({ id, seen_at, flush_wanted_at: null, flushed_at: null })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at }))
      .returning(['flush_wanted_at', 'flushed_at'])
      .executeTakeFirstOrThrow();
  }

  /** Says that this process lives, and flushes where somebody has asked for it. */
  async function report(goOn: GoOn): Promise<void> {
    const row = await sayAlive().catch((error: unknown) => {
      outages.noteFault();
      throw error;
    });
    outages.noteAnswer();
    if (own === undefined || row.flush_wanted_at === null || row.flushed_at === row.flush_wanted_at) return;
    await flush(own, async () => {
      await goOn();
      // Who says nothing for long is taken for gone, and what its journal holds is not waited for.
      await db
        .updateTable('journals')
        .set({ seen_at: isoTime(clock.nowMs()) })
        .where('id', '=', id)
        .execute();
    });
    await db.updateTable('journals').set({ flushed_at: row.flush_wanted_at }).where('id', '=', id).execute();
  }

  return {
    serve(unstored) {
      own = unstored;
    },
    lastOutage: () => outages.last(),
    async flushAll(goOn) {
      const wantedAt = isoTime(clock.nowMs());
      await db.updateTable('journals').set({ flush_wanted_at: wantedAt }).execute();
      await report(goOn);
      for (;;) {
        const behind = await db
          .selectFrom('journals')
          .select('id')
          .where('seen_at', '>', isoTime(clock.nowMs() - GONE_AFTER_MS))
          .where('flush_wanted_at', '=', wantedAt)
          .where(({ or, eb }) => or([eb('flushed_at', 'is', null), eb('flushed_at', '!=', wantedAt)]))
          .executeTakeFirst();
        if (behind === undefined) return;
        await goOn();
        await sleep(ASK_AGAIN_MS);
      }
    },
    async stop() {
      isStopping = true;
      await reporting.stop();
      // A row that stays is taken for a process that is gone, a little later.
      await db
        .deleteFrom('journals')
        .where('id', '=', id)
        .execute()
        .catch((error: unknown) => log.warn({ err: error }, 'a click journal was not signed off'));
    },
  };
}
