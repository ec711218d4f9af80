/**
 * Applies the main journal: the clicks of all apps in one transaction, which costs least. An app whose clicks cannot be
 * stored while those of others can, or which crowds out others, gets a lane: from then on its clicks in the main journal
 * are moved there, and the others go on.
 */
import { sql } from 'kysely';
import { type Db, faultReason, linesOf } from '../db/index.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { inLanes as inParallel } from '../lib/lanes.ts';
import { FAULTS_UNTIL_UNHEALTHY } from './apply-journal.ts';
import type { Journal, Position } from './journal/index.ts';
import type { Lanes } from './lanes.ts';
import type { PendingApps } from './pending-apps.ts';
import type { StoreClicks } from './store-clicks.ts';

interface TogetherOptions {
  readonly db: Db;
  readonly journal: Journal;
  readonly lanes: Lanes;
  readonly pending: PendingApps;
  readonly store: StoreClicks;
  readonly position: () => Position;
}

/** About 7,000 clicks, tens of milliseconds of database time. */
export const MAX_READ_BYTES = 2 * 1024 * 1024;
/** Twice within the time that calls wait for clicks: a shard that does not answer must not make those of others fail. */
const TOGETHER = { timeoutMs: 2 * SECOND_MS };
const MAX_APPS_AT_ONCE = 4;
/** An app crowds out others when a full read waits, and this much of it is in the journal, four times as much as of another. */
const MIN_CROWD_BYTES = 1024 * 1024;
const CROWD_FACTOR = 4;

type RowsByApp = Map<string, string[]>;

/** @returns see `ApplierOptions.apply`. */
export function createApplyTogether(options: TogetherOptions) {
  const { db, lanes, store } = options;

  async function moveToLanes(rows: RowsByApp, appIds: Iterable<string>): Promise<boolean> {
    const moves = [...appIds].map(async (appId) => {
      const lane = await lanes.separate(appId);
      if (lane === null) return false;
      await lane.journal.take(rows.get(appId) ?? [], appId);
      rows.delete(appId);
      return true;
    });
    return (await Promise.all(moves)).every((isMoved) => isMoved);
  }

  /** @throws if it fails for other reasons than those of single apps. */
  async function storeEach(rows: RowsByApp, faults: number): Promise<void> {
    const failed = new Map<string, unknown>();
    let outage: unknown;
    const parallel = { laneOf: () => null, maxLanes: MAX_APPS_AT_ONCE };
    await inParallel([...rows], parallel, async ([appId, ofApp]) => {
      if (outage !== undefined) return;
      try {
        await store([toBuffer(ofApp)], TOGETHER);
      } catch (error) {
        failed.set(appId, error);
        if (!(await answersOthers(db, error))) outage ??= error;
      }
    });
    const [error] = failed.values();
    if (error === undefined) return;
    if (outage !== undefined) throw outage;
    // While all fail, the database is the likelier cause.
    const mayBeAll = failed.size === rows.size && faults < FAULTS_UNTIL_UNHEALTHY;
    if (mayBeAll || !(await moveToLanes(rows, failed.keys()))) throw error;
  }

  return async (batches: readonly Buffer[], faults: number): Promise<void> => {
    const crowds = crowdsOf(options);
    for (const appId of crowds) await lanes.separate(appId);
    if (lanes.count > 0) {
      const rows = rowsByApp(batches);
      const separate = [...rows.keys()].filter((appId) => lanes.get(appId) !== undefined);
      await moveToLanes(rows, separate);
      if (rows.size === 0) return;
      batches = [...rows.values()].map(toBuffer);
    }
    if (faults > 0 || lanes.failing.length > 0) return await storeEach(rowsByApp(batches), faults);
    try {
      await store(batches, TOGETHER);
    } catch (error) {
      const rows = rowsByApp(batches);
      if (faultReason(error) !== null || rows.size === 1) throw error;
      await storeEach(rows, faults);
    }
  };
}

/** Apps that crowd out others. */
function crowdsOf({ journal, pending, position }: TogetherOptions): string[] {
  if (journal.bytesAfter(position()) < MAX_READ_BYTES) return [];
  const apps = pending.apps.map((appId) => ({ appId, bytes: journal.bytesOf(appId) }));
  const least = Math.min(...apps.map(({ bytes }) => bytes));
  return apps
    .filter(({ bytes }) => bytes >= Math.max(MIN_CROWD_BYTES, least * CROWD_FACTOR))
    .map(({ appId }) => appId);
}

/** Whether the database answers, and the fault is none of the disk or the process, which affect every app. */
async function answersOthers(db: Db, fault: unknown): Promise<boolean> {
  if (faultReason(fault) !== null) return false;
  return await sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}

function rowsByApp(batches: readonly Buffer[]): RowsByApp {
  const rows: RowsByApp = new Map();
  for (const batch of batches)
    for (const line of linesOf(batch.toString())) {
      const appId = line.slice(0, line.indexOf('\t'));
      const ofApp = rows.get(appId);
      if (ofApp === undefined) rows.set(appId, [line]);
      else ofApp.push(line);
    }
  return rows;
}

function toBuffer(rows: readonly string[]): Buffer {
  return Buffer.from(`${rows.join('\n')}\n`);
}
