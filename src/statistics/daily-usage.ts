/**
 * What daily bounds are checked against: records and bytes of a UTC day. A process adds to its own figures at once and
 * saves them every second, those of an install or an address once they have grown by a hundred records; the saved row has
 * what all processes added, and is what this process knows from then on. So recording costs no statement, most installs and
 * addresses take no row, and each process of several may pass a bound by a second of the others' work.
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

/** What is used under a key, as far as this process knows. */
export interface Usage {
  readonly records: number;
  readonly bytes: number;
  /** Negative numbers take back what was added but not recorded. */
  add(records: number, bytes: number): void;
}

export interface DailyUsage {
  of(key: UsageKey): Usage;
  /** Ends the loop that saves, and saves what is left. */
  stop(): Promise<void>;
}

const SAVE_EVERY_MS = SECOND_MS;
/** Of installs and addresses: a hundredth of the least of their bounds. */
const SAVED_FROM = { records: 100, bytes: 100_000 } as const;
/** An install that is not among them counts from zero for up to a second. */
const MAX_REMEMBERED = 20_000;
const ROWS_A_STATEMENT = 500;

class Entry implements Usage {
  readonly key: UsageKey;
  readonly name: string;
  readonly #changed: (entry: Entry) => void;
  records = 0;
  bytes = 0;
  /** Of these, what is not saved yet. */
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
    const isLarge = this.unsaved.records >= SAVED_FROM.records || this.unsaved.bytes >= SAVED_FROM.bytes;
    if (isLarge || this.key.kind === 'event') this.#changed(this);
  }

  /** @param total what all processes saved; what was added since `saved` was read is saved next time. */
  noteSaved(saved: { records: number; bytes: number }, total: { records: number; bytes: number }): void {
    this.unsaved.records -= saved.records;
    this.unsaved.bytes -= saved.bytes;
    this.records = total.records + this.unsaved.records;
    this.bytes = total.bytes + this.unsaved.bytes;
  }
}

/** Remembers what was used last; `stop` ends its loop. */
export function createDailyUsage(ctx: Ctx): DailyUsage {
  const remembered = new LRUCache<string, Entry>({ max: MAX_REMEMBERED });
  let changed = new Map<string, Entry>();
  const noteChange = (entry: Entry) => void changed.set(entry.name, entry);

  function of(key: UsageKey): Entry {
    const name = nameOf(key);
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const entry = changed.get(name) ?? new Entry(key, name, noteChange);
    remembered.set(name, entry);
    return entry;
  }

  async function save(): Promise<void> {
    // In the order of their keys, so that processes that save the same rows wait for each other in turn.
    const entries = [...changed.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    changed = new Map();
    try {
      for (const some of parts(entries, ROWS_A_STATEMENT)) await saveEntries(ctx.db, some);
    } catch (error) {
      for (const entry of entries) changed.set(entry.name, entry);
      throw error;
    }
  }

  const loop = startLoop('daily usage', SAVE_EVERY_MS, ctx.log, save);
  return {
    of,
    async stop() {
      await loop.stop();
      await save().catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'Failed to save the daily usage of the last second'),
      );
    },
  };
}

async function saveEntries(db: Db, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({ ...entry.key, ...entry.unsaved }));
  const totals = new Map((await addUsage(db, rows)).map((row) => [nameOf(row), row]));
  for (const [place, entry] of entries.entries()) {
    const [saved, total] = [rows[place], totals.get(entry.name)];
    if (saved !== undefined && total !== undefined) entry.noteSaved(saved, total);
  }
}

function nameOf({ app_id, day, kind, subject }: UsageKey): string {
  return `${app_id} ${day} ${kind} ${subject}`;
}
