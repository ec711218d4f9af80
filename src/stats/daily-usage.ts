/**
 * Usage for daily limits: records and bytes of a UTC day. A process counts in memory and saves every second; the usage of
 * an install or an address only after a hundred records, so that most take no row. Saving returns the total of all
 * processes, so that each process may exceed a limit by one second of the others' usage.
 */

import { LRUCache } from 'lru-cache';
import { type DailyUsageTable, type Db, forEachReachable, isNodeAway } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import { addUsage } from './queries.ts';

export type UsageKey = Pick<DailyUsageTable, 'app_id' | 'day' | 'kind' | 'subject'>;

/** The usage of a key as far as this process knows. */
export interface Usage {
  readonly records: number;
  readonly bytes: number;
  /** Negative numbers undo additions of records that were not stored. */
  add(records: number, bytes: number): void;
}

export interface DailyUsage {
  of(key: UsageKey): Usage;
  /** Saves the remaining usage. */
  stop(): Promise<void>;
}

const SAVE_EVERY_MS = SECOND_MS;
/** For installs and addresses: a hundredth of their lowest limits. */
const MIN_SAVED = { records: 100, bytes: 100_000 } as const;
/** An evicted install counts from zero for up to a second. */
const MAX_CACHED = 20_000;
const ROWS_PER_STATEMENT = 500;

class Entry implements Usage {
  readonly key: UsageKey;
  readonly name: string;
  readonly #changed: (entry: Entry) => void;
  records = 0;
  bytes = 0;
  /** Part of `records` and `bytes`. */
  unsaved = { records: 0, bytes: 0 };

  constructor(key: UsageKey, name: string, changed: (entry: Entry) => void) {
    this.key = key;
    this.name = name;
    this.#changed = changed;
  }

  add(records: number, bytes: number): void {
    this.records += records;
    this.bytes += bytes;
    this.unsaved.records += records;
    this.unsaved.bytes += bytes;
    const isLarge = this.unsaved.records >= MIN_SAVED.records || this.unsaved.bytes >= MIN_SAVED.bytes;
    if (isLarge || this.key.kind === 'event') this.#changed(this);
  }

  /** @param total of all processes. Additions since `saved` was read stay unsaved. */
  confirmSaved(saved: { records: number; bytes: number }, total: { records: number; bytes: number }): void {
    this.unsaved.records -= saved.records;
    this.unsaved.bytes -= saved.bytes;
    this.records = total.records + this.unsaved.records;
    this.bytes = total.bytes + this.unsaved.bytes;
  }
}

export function createDailyUsage({ db, log }: { db: Db; log: Log }): DailyUsage {
  const cache = new LRUCache<string, Entry>({ max: MAX_CACHED });
  let changed = new Map<string, Entry>();
  const noteChange = (entry: Entry) => void changed.set(entry.name, entry);

  function of(key: UsageKey): Entry {
    const name = nameOf(key);
    const cached = cache.get(name);
    if (cached !== undefined) return cached;
    const entry = changed.get(name) ?? new Entry(key, name, noteChange);
    cache.set(name, entry);
    return entry;
  }

  async function save(): Promise<void> {
    // Sorted, so that processes lock the same rows in the same order.
    const entries = [...changed.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    changed = new Map();
    const unsaved = new Set(entries);
    const saveAll = async (some: readonly Entry[]) => {
      for (const part of chunks(some, ROWS_PER_STATEMENT)) {
        await saveEntries(db, part);
        for (const entry of part) unsaved.delete(entry);
      }
    };
    try {
      await saveAll(entries).catch(async (error: unknown) => {
        if (!isNodeAway(error)) throw error;
        const byApp = [...Map.groupBy(unsaved, ({ key }) => key.app_id)];
        await forEachReachable(
          db,
          byApp,
          ([appId]) => appId,
          ([, ofApp]) => saveAll(ofApp),
        );
      });
    } finally {
      for (const entry of unsaved) changed.set(entry.name, entry);
    }
  }

  const loop = startLoop('daily usage', SAVE_EVERY_MS, log, save);
  return {
    of,
    async stop() {
      await loop.stop();
      await save().catch((error: unknown) =>
        log.warn({ err: error }, 'Failed to save the daily usage of the last second'),
      );
    },
  };
}

async function saveEntries(db: Db, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({ ...entry.key, ...entry.unsaved }));
  const totals = new Map((await addUsage(db, rows)).map((row) => [nameOf(row), row]));
  for (const [index, entry] of entries.entries()) {
    const [saved, total] = [rows[index], totals.get(entry.name)];
    if (saved !== undefined && total !== undefined) entry.confirmSaved(saved, total);
  }
}

function nameOf({ app_id, day, kind, subject }: UsageKey): string {
  return `${app_id} ${day} ${kind} ${subject}`;
}
