/**
 * What daily bounds are checked against: records and bytes of a UTC day. A process adds to its own figures at once and
 * saves them every second; the saved row has what all processes added, and is what this process knows from then on.
 * So recording an event costs no statement, and each process of several may pass a bound by a second of the others' work.
 */
import { LRUCache } from 'lru-cache';
import { SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { DailyUsageTable, Db } from '../platform/db/index.ts';
import { startLoop } from '../platform/loop.ts';
import { parts } from '../platform/parts.ts';
import { addUsage } from './queries.ts';

/** What is counted together. */
export type UsageKey = Pick<DailyUsageTable, 'app_id' | 'day' | 'kind' | 'subject'>;
/** Records and bytes; negative amounts take back what was added but not recorded. */
type Amount = Pick<DailyUsageTable, 'records' | 'bytes'>;

export interface DailyUsage {
  /** What is known to be used. */
  of(key: UsageKey): Amount;
  add(key: UsageKey, amount: Amount): void;
  /** Ends the loop that saves, and saves what is left. */
  stop(): Promise<void>;
}

interface Entry {
  readonly key: UsageKey;
  /** All processes' figures, as far as they were saved. */
  saved: Amount;
  unsaved: Amount;
}

const SAVE_EVERY_MS = SECOND_MS;
/** An install that is not among them counts from zero for up to a second. */
const MAX_REMEMBERED = 20_000;
const ROWS_A_STATEMENT = 500;
const NONE: Amount = { records: 0, bytes: 0 };

/** Remembers what was used last; `stop` ends its loop. */
export function createDailyUsage(ctx: Ctx): DailyUsage {
  const remembered = new LRUCache<string, Entry>({ max: MAX_REMEMBERED });
  let changed = new Map<string, Entry>();
  const find = (name: string) => remembered.get(name) ?? changed.get(name);

  async function save(): Promise<void> {
    const entries = [...changed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
    changed = new Map();
    try {
      for (const some of parts(entries, ROWS_A_STATEMENT)) await saveEntries(ctx.db, some);
    } catch (error) {
      for (const entry of entries) changed.set(nameOf(entry.key), entry);
      throw error;
    }
  }

  const loop = startLoop('daily usage', SAVE_EVERY_MS, ctx.log, save);
  return {
    of(key) {
      const entry = find(nameOf(key));
      return entry === undefined ? NONE : sum(entry.saved, entry.unsaved);
    },
    add(key, amount) {
      const name = nameOf(key);
      const entry = find(name) ?? { key, saved: NONE, unsaved: NONE };
      entry.unsaved = sum(entry.unsaved, amount);
      remembered.set(name, entry);
      changed.set(name, entry);
    },
    async stop() {
      await loop.stop();
      await save().catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'Failed to save the daily usage of the last second'),
      );
    },
  };
}

/** In the order of their keys, so that processes that save the same rows wait for each other in turn. */
async function saveEntries(db: Db, entries: readonly Entry[]): Promise<void> {
  const rows = entries
    .filter(({ unsaved }) => unsaved.records !== 0 || unsaved.bytes !== 0)
    .map(({ key, unsaved }) => ({ ...key, ...unsaved }));
  if (rows.length === 0) return;
  const saved = new Map((await addUsage(db, rows)).map((row) => [nameOf(row), row]));
  const added = new Map(rows.map((row) => [nameOf(row), row]));
  for (const entry of entries) {
    const { records, bytes } = added.get(nameOf(entry.key)) ?? NONE;
    entry.saved = saved.get(nameOf(entry.key)) ?? entry.saved;
    // What was added while the statement was under way is saved next time.
    entry.unsaved = sum(entry.unsaved, { records: -records, bytes: -bytes });
  }
}

function nameOf({ app_id, day, kind, subject }: UsageKey): string {
  return `${app_id} ${day} ${kind} ${subject}`;
}

function sum(a: Amount, b: Amount): Amount {
  return { records: a.records + b.records, bytes: a.bytes + b.bytes };
}
