import { randomBytes } from 'node:crypto';
import type { Foundation } from '../foundation.ts';
import { isoTime, MINUTE_MS, monotonicMs, SECOND_MS } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { findItems, KIND_OF_TYPE, listKeys, type RecordType } from '../records/index.ts';
import { type Position, positionOf, toMessage } from './message.ts';
import { type NumberedKey, RecentKeys } from './recent-keys.ts';
import type { Messages, Start, Stream } from './stream.ts';

const READ_EVERY_MS = 400;
/** Records are visible somewhat after their time of recording: journals, transactions, clocks of other machines. */
const LATE_MS = 10 * SECOND_MS;
/** Of each kind in one read. */
const MAX_KEYS_READ = 2_000;
/** Times that each stream takes records after one read. */
const MAX_ROUNDS = 10;

type FeedDeps = Pick<Foundation, 'db' | 'clock' | 'log'>;

/** Reads the new records of one app for all its streams in this process. */
export class Feed {
  readonly #name = randomBytes(6).toString('base64url');
  readonly #deps: FeedDeps;
  readonly #appId: string;
  readonly #recent = new RecentKeys();
  readonly #streams = new Set<Stream>();
  readonly #loop: Loop;
  readonly #read = coalesce(() => this.#readAndSend());
  /** Time of the last successful read. */
  #readAtMs: number | null = null;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = monotonicMs();

  constructor(deps: FeedDeps, appId: string) {
    this.#deps = deps;
    this.#appId = appId;
    this.#loop = startLoop('live view', READ_EVERY_MS, deps.log, () => this.#readInLoop());
  }

  /** False a minute after the last stream has ended: until then a client can resume exactly where it was. */
  get isInUse(): boolean {
    if (this.#streams.size > 0) this.#usedAtMs = monotonicMs();
    return monotonicMs() - this.#usedAtMs < MINUTE_MS;
  }

  /** Where a stream starts: with the records that follow now, or that follow `resumed` within the last minute. */
  async begin(resumed: Position | null): Promise<Start> {
    this.#usedAtMs = monotonicMs();
    await this.#read();
    return this.#startOf(resumed);
  }

  /** Call it right after `begin`. */
  add(stream: Stream): void {
    this.#streams.add(stream);
  }

  remove(stream: Stream): void {
    this.#usedAtMs = monotonicMs();
    this.#streams.delete(stream);
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  #startOf(resumed: Position | null): Start {
    const nowMs = this.#deps.clock.nowMs();
    const { first, last } = this.#recent;
    const end = { feed: this.#name, number: last, atMs: this.#readAtMs ?? nowMs };
    if (resumed === null) return { position: end, hasGap: false };
    if (resumed.feed === this.#name)
      return {
        position: { ...resumed, number: Math.min(resumed.number, last) },
        hasGap: resumed.number < first - 1,
      };
    // Another process may have read late records after it sent this position, so that some may be sent twice.
    const next = this.#recent.firstSince(isoTime(resumed.atMs - LATE_MS));
    return {
      position: next === undefined ? end : { ...positionOf(next, this.#name), number: next.number - 1 },
      hasGap: resumed.atMs < nowMs - MINUTE_MS,
    };
  }

  async #readInLoop(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'Failed to read records for live streams; will retry');
    }
  }

  async #readAndSend(): Promise<void> {
    try {
      await this.#readKeys();
      for (let round = 0; round < MAX_ROUNDS && (await this.#sendRound()); round += 1);
    } catch (error) {
      this.#failedAtMs = this.#deps.clock.nowMs();
      throw error;
    }
  }

  async #readKeys(): Promise<void> {
    const { db, clock } = this.#deps;
    const nowMs = clock.nowMs();
    // After an outage, journals bring the clicks of that time.
    const isFar = this.#readAtMs === null || nowMs - this.#failedAtMs < MINUTE_MS;
    const after = this.#recent.readableAfter(isoTime(nowMs - (isFar ? MINUTE_MS : LATE_MS)), nowMs);
    const keys = await listKeys(db, this.#appId, { after, limit: MAX_KEYS_READ });
    const forgotten = this.#recent.add(keys, nowMs);
    this.#readAtMs = nowMs;
    for (const stream of this.#streams) {
      stream.forget(forgotten);
      stream.tellLost();
    }
  }

  /** @returns false if no stream took anything. */
  async #sendRound(): Promise<boolean> {
    const taken = [...this.#streams].map((stream) => ({
      stream,
      ...stream.take(this.#recent, this.#readAtMs ?? 0),
    }));
    const wanted = new Set(taken.flatMap(({ keys }) => keys));
    const messages = await this.#readMessages([...wanted]);
    for (const { stream, ...part } of taken) stream.send(part, messages);
    return wanted.size > 0;
  }

  async #readMessages(keys: readonly NumberedKey[]): Promise<Messages> {
    const types = Object.keys(KIND_OF_TYPE) as RecordType[];
    const texts = await Promise.all(types.map((type) => this.#readMessagesOf(type, keys)));
    return new Map(texts.flat());
  }

  async #readMessagesOf(type: RecordType, keys: readonly NumberedKey[]): Promise<[number, string][]> {
    const kind = KIND_OF_TYPE[type];
    const wanted = new Map(keys.filter(({ table }) => table === kind.table).map((key) => [key.id, key]));
    if (wanted.size === 0) return [];
    const items = await findItems(this.#deps.db, this.#appId, kind, [...wanted.keys()]);
    return items.flatMap((item) => {
      const key = wanted.get(item.id);
      if (key === undefined) return [];
      const position = positionOf(key, this.#name);
      return [[key.number, toMessage({ position, data: { type, ...item } })]];
    });
  }
}
