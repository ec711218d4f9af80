/**
 * Events that wait to be sent, in chunks, each under a key of its own: a new event rewrites one small value. The state
 * has the number of the first chunk; the others follow it without a gap.
 */
import type { OrderedStorage } from './ordered-storage.ts';
import type { JsonObject, Revenue } from './types.ts';

/** As `POST /v1/sdk/events` takes it, without the install. */
export interface QueuedEvent {
  readonly eventId: string;
  readonly eventName: string;
  readonly properties?: JsonObject;
  readonly revenue?: Pick<Revenue, 'amount' | 'currency'>;
  readonly transactionId?: string;
  readonly userId?: string;
  /** ISO 8601. */
  readonly occurredAt: string;
}

const MAX_EVENTS = 1_000;
const MAX_AGE_MS = 7 * 86_400_000;
/** Android's storage reads at most 2 MB in one value. */
const CHUNK_EVENTS = 50;
const CHUNK_CHARACTERS = 65_536;
/** As the service accepts. */
const BATCH_EVENTS = 500;

const keyOf = (chunk: number) => `events.${chunk}`;

interface Deps {
  readonly storage: OrderedStorage;
  readonly now: () => number;
  readonly onDropped: (count: number, reason: string) => void;
  /** Stores the number, before chunks below it are removed. */
  readonly moveFirstChunk: (chunk: number) => void;
}

/** @param firstChunk as stored by `moveFirstChunk`. */
export async function openEventQueue(deps: Deps, firstChunk: number): Promise<EventQueue> {
  const { storage } = deps;
  const chunks: QueuedEvent[][] = [];
  for (;;) {
    const text = await storage.get(keyOf(firstChunk + chunks.length));
    if (text === null) break;
    chunks.push(parse(text));
  }
  // A kill after the number was stored left these behind.
  for (let old = firstChunk - 1; old >= 0 && (await storage.get(keyOf(old))) !== null; old--)
    storage.set(keyOf(old), null);
  return new EventQueue(deps, firstChunk, chunks);
}

export class EventQueue {
  readonly #deps: Deps;
  readonly #chunks: QueuedEvent[][];
  /** The number of `#chunks[0]`. */
  #first: number;
  /** How many chunks are in an unanswered batch, and take no more events. */
  #sealed = 0;
  #charactersOfLast = 0;

  constructor(deps: Deps, first: number, chunks: QueuedEvent[][]) {
    this.#deps = deps;
    this.#first = first;
    this.#chunks = chunks;
  }

  get count(): number {
    return this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /** Removes the oldest event if there are too many. */
  add(event: QueuedEvent): void {
    const size = JSON.stringify(event).length;
    const last = this.#chunks[this.#chunks.length - 1];
    const isOpen = last !== undefined && this.#chunks.length > this.#sealed && last.length < CHUNK_EVENTS;
    if (isOpen && this.#charactersOfLast + size <= CHUNK_CHARACTERS) {
      last.push(event);
      this.#charactersOfLast += size;
    } else {
      this.#chunks.push([event]);
      this.#charactersOfLast = size;
    }
    this.#write(this.#chunks.length - 1);
    if (this.count > MAX_EVENTS) this.#dropOldest();
  }

  /** The oldest events, until `settle`; none if nothing waits. */
  nextBatch(): QueuedEvent[] {
    this.#dropOld();
    const batch: QueuedEvent[] = [];
    for (const [index, chunk] of this.#chunks.entries()) {
      if (batch.length + chunk.length > BATCH_EVENTS) break;
      batch.push(...chunk);
      this.#sealed = index + 1;
    }
    return batch;
  }

  /** Removes the events of the batch, except for those to send again. @param toRepeat their `eventId`s. */
  settle(batch: readonly QueuedEvent[], toRepeat: ReadonlySet<string>): void {
    const done = new Set(batch.map(({ eventId }) => eventId).filter((id) => !toRepeat.has(id)));
    for (let index = 0; index < this.#sealed; index++) {
      const chunk = this.#chunks[index] ?? [];
      const kept = chunk.filter(({ eventId }) => !done.has(eventId));
      this.#chunks[index] = kept;
      if (kept.length > 0 && kept.length < chunk.length) this.#write(index);
    }
    this.#sealed = 0;
    this.#removeEmpty();
  }

  clear(): void {
    this.#chunks.fill([]);
    this.#sealed = 0;
    this.#removeEmpty();
  }

  #write(index: number): void {
    this.#deps.storage.set(keyOf(this.#first + index), JSON.stringify(this.#chunks[index]));
  }

  /** Of the first chunk that is not in a batch. */
  #dropOldest(): void {
    const index = this.#chunks.findIndex((chunk, at) => at >= this.#sealed && chunk.length > 0);
    if (index < 0) return;
    this.#chunks[index]?.shift();
    this.#write(index);
    if (this.#sealed === 0) this.#removeEmpty();
    this.#deps.onDropped(1, `more than ${MAX_EVENTS} waited`);
  }

  #dropOld(): void {
    const oldest = new Date(this.#deps.now() - MAX_AGE_MS).toISOString();
    for (const [index, chunk] of this.#chunks.entries()) {
      const kept = chunk.filter(({ occurredAt }) => occurredAt >= oldest);
      if (kept.length === chunk.length) continue;
      this.#deps.onDropped(chunk.length - kept.length, 'they waited for more than 7 days');
      this.#chunks[index] = kept;
      this.#write(index);
    }
    this.#removeEmpty();
  }

  #removeEmpty(): void {
    const used = this.#chunks.findIndex(({ length }) => length > 0);
    const empty = used < 0 ? this.#chunks.length : used;
    if (empty === 0) return;
    this.#chunks.splice(0, empty);
    const from = this.#first;
    this.#first += empty;
    this.#deps.moveFirstChunk(this.#first);
    for (let old = from; old < this.#first; old++) this.#deps.storage.set(keyOf(old), null);
  }
}

/** A damaged value loses its events and keeps those after it. */
function parse(text: string): QueuedEvent[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
