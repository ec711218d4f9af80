import type { ServerResponse } from 'node:http';
import type { Flag } from '../db/index.ts';
import { type Clock, isoTime, SECOND_MS } from '../lib/clock.ts';
import { KIND_OF_TYPE, type RecordKey, type RecordType } from '../records/index.ts';
import { type Position, positionOf, toMessage, toRetry } from './message.ts';
import type { NumberedKey, RecentKeys } from './recent-keys.ts';

/** Undefined where every record passes. */
export interface LiveFilter {
  readonly sandbox: Flag;
  readonly linkId: string | undefined;
  readonly campaignId: string | undefined;
  readonly type: RecordType | undefined;
}

function matches(key: RecordKey, { sandbox, linkId, campaignId, type }: LiveFilter): boolean {
  return (
    key.sandbox === sandbox &&
    (linkId === undefined || key.link_id === linkId) &&
    (campaignId === undefined || key.campaign_id === campaignId) &&
    (type === undefined || key.table === KIND_OF_TYPE[type].table)
  );
}

const HEARTBEAT_EVERY_MS = 15 * SECOND_MS;
const RETRY_AFTER_MS = 2 * SECOND_MS;
/** A reader with more unread bytes gets nothing until it reads. All streams of a process together: 50 MB. */
const MAX_UNREAD_BYTES = 256 * 1024;
const MAX_TAKEN = 100;

/** Messages by the number of their record; without those of records that are gone. */
export type Messages = ReadonlyMap<number, string>;

export interface Start {
  readonly position: Position;
  /** Whether the reader has missed records whose number is unknown. */
  readonly hasGap: boolean;
}

/** What a stream takes next, and its position once that is sent. */
interface Taken {
  readonly keys: readonly NumberedKey[];
  readonly end: Position;
}

/** One open response. Keeps its place among the recent keys, so that a slow reader costs no memory for what it misses. */
export class Stream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #filter: LiveFilter;
  #position: Position;
  /** Records that were forgotten before this reader took them, and that it was not told of; null for an unknown number. */
  #lost: number | null;
  /** Lower after large records, which are read in vain where they do not fit. */
  #maxTaken = MAX_TAKEN;

  constructor(
    { response, clock, filter }: { response: ServerResponse; clock: Clock; filter: LiveFilter },
    { position, hasGap }: Start,
  ) {
    this.#response = response;
    this.#clock = clock;
    this.#filter = filter;
    this.#position = position;
    this.#lost = hasGap ? null : 0;
    response.write(toRetry(RETRY_AFTER_MS));
    this.#beat();
    response.on('error', () => undefined);
    const beats = setInterval(() => this.#beat(), HEARTBEAT_EVERY_MS).unref();
    response.once('close', () => clearInterval(beats));
  }

  end(): void {
    this.#response.end();
  }

  /** Counts the keys that this reader has not taken in time. */
  forget(keys: readonly NumberedKey[]): void {
    for (const key of keys) {
      if (key.number <= this.#position.number) continue;
      if (this.#lost !== null && matches(key, this.#filter)) this.#lost += 1;
      this.#position = positionOf(key, this.#position.feed);
    }
  }

  /** Tells the reader what it has lost, if it reads. */
  tellLost(): void {
    if (this.#lost === 0 || !this.#hasRoom()) return;
    const data = { count: this.#lost };
    this.#lost = 0;
    this.#response.write(toMessage({ event: 'lost', position: this.#position, data }));
  }

  /** @param atMs time of the read that the newest of the recent keys are from. */
  take(recent: RecentKeys, atMs: number): Taken {
    const keys: NumberedKey[] = [];
    let end = this.#position;
    if (!this.#hasRoom()) return { keys, end };
    for (const key of recent.after(end.number)) {
      if (keys.length === this.#maxTaken) return { keys, end };
      if (matches(key, this.#filter)) keys.push(key);
      end = positionOf(key, end.feed);
    }
    return { keys, end: { ...end, atMs } };
  }

  send({ keys, end }: Taken, messages: Messages): void {
    let text = '';
    let sent = 0;
    for (const key of keys) {
      // The rest is taken again later.
      if (!this.#hasRoom(text.length)) break;
      text += messages.get(key.number) ?? '';
      this.#position = positionOf(key, end.feed);
      sent += 1;
    }
    if (text !== '') this.#response.write(text);
    if (sent === keys.length) this.#position = end;
    this.#maxTaken = sent === keys.length ? Math.min(MAX_TAKEN, 2 * this.#maxTaken) : Math.max(1, sent);
  }

  #beat(): void {
    const data = { at: isoTime(this.#clock.nowMs()) };
    if (this.#hasRoom())
      this.#response.write(toMessage({ event: 'heartbeat', position: this.#position, data }));
  }

  /** False once the response has ended. */
  #hasRoom(moreBytes = 0): boolean {
    const { writableEnded, destroyed, writableLength } = this.#response;
    return !writableEnded && !destroyed && writableLength + moreBytes < MAX_UNREAD_BYTES;
  }
}
