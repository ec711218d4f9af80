/** Hands conversion values to Apple, by what the app tracked and the app's schema. */
import { DAY_MS, namesOf, nextValue, readSchema, unitsOf, windowAt } from './conversion-value.ts';
import type { Tracked } from './event.ts';
import { createLane, type Lane, REFUSED_RETRY_MS, type Step } from './lane.ts';
import { PORT_TIMEOUT_MS, type Session } from './session.ts';
import { type ConversionState, forgetCounts } from './state.ts';
import { isWithin, orAfter } from './timing.ts';
import type { ConversionValue, Ports } from './types.ts';

const PLAUSIBLE_MS = Date.UTC(2024, 0, 1);
/** Before the schema tells which names matter. */
const MAX_NAMES = 100;
/** Before the storage answers. */
const MAX_EARLY = 1_000;
/** Whose revenue is known to have counted. */
const MAX_TRANSACTIONS = 100;

export class Conversion {
  readonly #session: Session;
  readonly #port: NonNullable<Ports['conversion']>;
  readonly #lane: Lane;
  #early: Tracked[] = [];
  #isSetting = false;
  #isFaultTold = false;

  constructor(session: Session, port: NonNullable<Ports['conversion']>, random: () => number) {
    this.#session = session;
    this.#port = port;
    this.#lane = createLane(() => this.#send(), random);
  }

  /** At a start, and when the app returns. */
  wake(): void {
    const { state, isLoaded, now, save } = this.#session;
    if (!isLoaded()) return;
    if (state.conversion === null) {
      const windows = [0, 1, 2].map(() => ({ counts: [], set: null }));
      state.conversion = { startedAt: now(), schema: null, etag: null, schemaAt: 0, windows };
      save();
    }
    for (const event of this.#early.splice(0)) this.count(event);
    void this.#apply();
    void this.#lane.wake(true);
  }

  /** An event that the app tracked. */
  count(event: Tracked): void {
    const { isLoaded, save } = this.#session;
    if (!isLoaded() && this.#early.length < MAX_EARLY) this.#early.push(event);
    const open = this.#open(true);
    if (open === null) return;
    const { name, revenue } = event;
    const { schema } = open.own;
    const id = revenue?.transactionId;
    const { transactions = [] } = open.own;
    if (id && transactions.includes(id)) return;
    const counts = open.own.windows[open.index]?.counts ?? [];
    let count = counts.find((each) => each.name === name);
    const isCounted = schema === null ? count || counts.length < MAX_NAMES : namesOf(schema).includes(name);
    if (!isCounted) return;
    if (count === undefined) {
      count = { name, n: 0, sums: {} };
      counts.push(count);
    }
    if (id) open.own.transactions = [...transactions, id].slice(-MAX_TRANSACTIONS);
    // A refund lowers the sum, and is no event that the app wants to tell of.
    if (!revenue || unitsOf(revenue.amount) >= 0) count.n += 1;
    if (revenue) {
      const { currency, amount } = revenue;
      count.sums[currency] = (count.sums[currency] ?? 0) + unitsOf(amount);
    }
    save();
    void this.#apply();
  }

  forget(): void {
    forgetCounts(this.#session.state.conversion);
    this.#early = [];
  }

  stop(): void {
    this.#lane.stop();
  }

  /** Null if the person did not agree, and after the last window. What is only counted may wait for the person's answer. */
  #open(isCounted = false): { readonly own: ConversionState; readonly index: number } | null {
    const { state, now, mayRecord, isLoaded, consent } = this.#session;
    const own = state.conversion;
    const isPending = isCounted && isLoaded() && consent() === 'pending' && !state.isErased;
    if (own === null || !(mayRecord() || isPending)) return null;
    // The clock of the phone was not set yet at the first start.
    if (!(own.startedAt >= PLAUSIBLE_MS)) own.startedAt = now();
    const index = windowAt(now() - own.startedAt);
    return index < 0 ? null : { own, index };
  }

  /** One call at a time. */
  async #apply(): Promise<void> {
    if (this.#isSetting) return;
    this.#isSetting = true;
    for (;;) {
      const { own, index } = this.#open() ?? {};
      const value = own === undefined || index === undefined ? null : nextValue(own, index);
      const window = own?.windows[index ?? 0];
      if (value === null || window === undefined || !(await this.#hand(value))) break;
      window.set = value;
      this.#session.save();
    }
    this.#isSetting = false;
  }

  /** @returns whether Apple took it. */
  async #hand(value: ConversionValue): Promise<boolean> {
    const { log } = this.#session;
    try {
      log('debug', `Setting the conversion value ${JSON.stringify(value)}`);
      await orAfter(PORT_TIMEOUT_MS, Promise.resolve(this.#port(value)), () =>
        Promise.reject(new Error('no answer')),
      );
      return true;
    } catch (cause) {
      if (!this.#isFaultTold) log('warn', `A conversion value was not set, and is tried again: ${cause}`);
      this.#isFaultTold = true;
      return false;
    }
  }

  /** Asks for the schema once a day. */
  async #send(): Promise<Step> {
    const { call, now, log, save, isOpen } = this.#session;
    const own = this.#open()?.own;
    if (own === undefined || (own.schema !== null && isWithin(DAY_MS, now(), own.schemaAt))) return 'done';
    const answer = await call('GET', '/v1/sdk/conversion-schema', undefined, own.etag);
    if (!isOpen()) return 'done';
    const isOk = answer.outcome === 'ok';
    const schema = isOk ? (answer.status === 304 ? own.schema : readSchema(answer.body)) : null;
    if (isOk && schema !== null) {
      Object.assign(own, { schema, etag: answer.etag ?? own.etag, schemaAt: now() });
      save();
      void this.#apply();
      return 'done';
    }
    log('debug', `The conversion schema is asked for again: ${isOk ? 'it is none' : answer.reason}`);
    return { retryAfterMs: answer.outcome === 'later' ? answer.retryAfterMs : REFUSED_RETRY_MS };
  }
}
