/**
 * Events that wait to be sent, in chunks, each under a key of its own: a new event rewrites one small value. The state has
 * the numbers of the chunks.
 */
import { type QueuedEvent, readEvent } from './event.ts';
import { count } from './json-text.ts';
import { MAX_BATCH_COMMAS, MAX_BATCH_EVENTS, MAX_BATCH_FIELDS } from './limits.ts';
import type { OrderedStorage } from './ordered-storage.ts';
import type { State } from './state.ts';

/** Above the service's daily limits of an install: 10,000 events and 10 MB. */
const MAX_EVENTS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Android's storage reads at most 2 MB in one value. */
const CHUNK_EVENTS = 100;
const CHUNK_BYTES = 65_536;
/** What a slow phone can send before the request times out. */
const SENT_BYTES = 512 * 1024;
/** For the install, the user, and what is around the events. */
const MARGIN_BYTES = 128;
const MARGIN_FIELDS = 2;
/** For an event that the service may take later. */
const HOLD_MS = 600_000;

export const chunkKey = (chunk: number) => `events.${chunk}`;

interface Chunk {
  events: QueuedEvent[];
  bytes: number;
}

interface Deps {
  readonly state: State;
  readonly storage: Pick<OrderedStorage, 'set'>;
  readonly uptime: () => number;
  readonly save: () => void;
  readonly onDropped: (count: number, reason: string) => void;
}

export class EventQueue {
  readonly #deps: Deps;
  #chunks: Chunk[] = [];
  #count = 0;
  #bytes = 0;
  /** Those that were sent and not answered. */
  #sent: ReadonlySet<QueuedEvent> = new Set();
  /** When the service put off an event. */
  readonly #heldAt = new Map<string, number>();
  #batchEvents = MAX_BATCH_EVENTS;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#count;
  }

  /** @param texts the stored chunks, from `state.firstChunk`. @param finish completes events that were added before. */
  prepend(texts: readonly (string | null)[], finish: (event: QueuedEvent) => QueuedEvent): void {
    const { state } = this.#deps;
    const early = this.#chunks.flatMap(({ events }) => events);
    this.#chunks = [];
    this.#count = 0;
    this.#bytes = 0;
    state.endChunk = state.firstChunk + texts.length;
    for (const text of texts) {
      const events = parse(text);
      const bytes = events.reduce((sum, event) => sum + event.bytes, 0);
      this.#chunks.push({ events, bytes });
      this.#count += events.length;
      this.#bytes += bytes;
    }
    for (const event of early) this.add(finish(event));
    this.#removeEmpty();
  }

  add(event: QueuedEvent): void {
    const { state, save } = this.#deps;
    let last = this.#chunks[this.#chunks.length - 1];
    if (last === undefined || last.events.length >= CHUNK_EVENTS || last.bytes + event.bytes > CHUNK_BYTES) {
      last = { events: [], bytes: 0 };
      this.#chunks.push(last);
      state.endChunk = state.firstChunk + this.#chunks.length;
      save();
    }
    last.events.push(event);
    last.bytes += event.bytes;
    this.#count += 1;
    this.#bytes += event.bytes;
    this.#write(last);
    while (this.#count > MAX_EVENTS || this.#bytes > MAX_BYTES) if (!this.#dropLeast()) break;
  }

  /** The oldest events that fit into one request; none if nothing waits. */
  nextBatch(): QueuedEvent[] {
    const batch: QueuedEvent[] = [];
    const sum = { bytes: 0, fields: 0, commas: 0 };
    for (const event of this.#waiting()) {
      sum.bytes += event.bytes + MARGIN_BYTES;
      // Punctuation in texts counts too.
      sum.fields += count(event.text, ':') + MARGIN_FIELDS;
      sum.commas += count(event.text, ',') + MARGIN_FIELDS;
      const isFull =
        batch.length >= this.#batchEvents ||
        sum.bytes > SENT_BYTES ||
        sum.fields > MAX_BATCH_FIELDS ||
        sum.commas > MAX_BATCH_COMMAS;
      if (isFull && batch.length > 0) break;
      batch.push(event);
    }
    this.#sent = new Set(batch);
    return batch;
  }

  /** After an answer: removes events that need not be sent again. */
  settle(done: ReadonlySet<QueuedEvent>): void {
    this.#sent = new Set();
    let left = done.size;
    for (const chunk of this.#chunks) {
      if (left === 0) break;
      const kept = chunk.events.filter((event) => !done.has(event));
      left -= chunk.events.length - kept.length;
      if (kept.length < chunk.events.length) this.#replace(chunk, kept);
    }
    this.#removeEmpty();
  }

  /** Sends the others first. */
  hold({ eventId }: QueuedEvent): void {
    this.#heldAt.set(eventId, this.#deps.uptime());
  }

  /** For a request of so many events that was refused, or took too long. */
  halveBatch(events: number): void {
    this.#batchEvents = Math.ceil(events / 2);
  }

  doubleBatch(): void {
    this.#batchEvents = Math.min(MAX_BATCH_EVENTS, this.#batchEvents * 2);
  }

  clear(): void {
    for (const chunk of this.#chunks) this.#replace(chunk, []);
    this.#removeEmpty();
  }

  *#waiting(): Iterable<QueuedEvent> {
    for (const { events } of this.#chunks)
      for (const event of events) {
        const heldAt = this.#heldAt.get(event.eventId);
        if (heldAt !== undefined && this.#deps.uptime() - heldAt < HOLD_MS) continue;
        yield event;
      }
  }

  /** The oldest without revenue, else the oldest. @returns false if all were sent and wait for an answer. */
  #dropLeast(): boolean {
    for (const isAnyPaid of [false, true])
      for (const chunk of this.#chunks) {
        const at = chunk.events.findIndex((event) => event.isPaid === isAnyPaid && !this.#sent.has(event));
        if (at < 0) continue;
        this.#replace(chunk, [...chunk.events.slice(0, at), ...chunk.events.slice(at + 1)]);
        this.#removeEmpty();
        this.#deps.onDropped(1, `more than ${MAX_EVENTS} events or ${MAX_BYTES / 1_048_576} MiB waited`);
        return true;
      }
    return false;
  }

  #replace(chunk: Chunk, events: QueuedEvent[]): void {
    const bytes = events.reduce((sum, event) => sum + event.bytes, 0);
    this.#count += events.length - chunk.events.length;
    this.#bytes += bytes - chunk.bytes;
    Object.assign(chunk, { events, bytes });
    this.#write(chunk);
  }

  #write(chunk: Chunk): void {
    const key = chunkKey(this.#deps.state.firstChunk + this.#chunks.lastIndexOf(chunk));
    this.#deps.storage.set(key, () => `[${chunk.events.map(({ text }) => text).join()}]`);
  }

  /** The state is stored before the chunks are removed. */
  #removeEmpty(): void {
    const { state, storage, save } = this.#deps;
    const used = this.#chunks.findIndex(({ events }) => events.length > 0);
    const empty = used < 0 ? this.#chunks.length : used;
    if (empty === 0) return;
    this.#chunks.splice(0, empty);
    const from = state.firstChunk;
    state.firstChunk += empty;
    save();
    for (let old = from; old < state.firstChunk; old++) storage.set(chunkKey(old), null);
  }
}

/** A damaged value loses its events and keeps those after it. */
function parse(text: string | null): QueuedEvent[] {
  try {
    const values: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(values) ? values.flatMap((value) => readEvent(value) ?? []) : [];
  } catch {
    return [];
  }
}
