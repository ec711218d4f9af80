/** The load generator, a separate process: sends prepared taps for the ordered time, as fast as possible or at a pace. */
import { openConnection, type RequestSource } from './connection.ts';
import { percentile } from './markdown.ts';
import { buildTaps, type TapKind } from './visitors.ts';
import { serveOrders, type Worker } from './worker.ts';

/** One round against one server. Ends with its time or after `maxRequests`. */
export interface LoadOrder {
  readonly taps: TapKind;
  readonly port: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly maxRequests: number;
  /** Null for as fast as responses arrive. */
  readonly perSecond: number | null;
}

export interface LoadResult {
  /** Responses in the whole round, including warm-up and the last ones. */
  readonly responses: number;
  /** Of the measured time. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of one core that the generator used during the measurement. */
  readonly ownCpu: number;
}

export type Load = Worker<LoadOrder, LoadResult>;

const EXPECTED = { redirects: 'HTTP/1.1 302 ', redirectsOfMany: 'HTTP/1.1 302 ', pages: 'HTTP/1.1 200 ' };
const TAPS = {
  redirects: buildTaps('redirects'),
  redirectsOfMany: buildTaps('redirectsOfMany'),
  pages: buildTaps('pages'),
};
/** Rounds continue where the previous one stopped. */
let nextTap = 0;

serveOrders((order: LoadOrder) => new Round(order).run());

class Round implements RequestSource {
  readonly #order: LoadOrder;
  readonly #latenciesMs: number[] = [];
  #measureFromMs = 0;
  #endMs = 0;
  #pacer: Pacer | null = null;
  #sent = 0;
  #responses = 0;
  #errors = 0;
  #firstError: string | null = null;
  #cpuAtStart = process.cpuUsage();

  constructor(order: LoadOrder) {
    this.#order = order;
  }

  /** @throws after an unexpected response. */
  async run(): Promise<LoadResult> {
    const { connections, warmUpMs, measureMs, perSecond } = this.#order;
    const startMs = performance.now();
    this.#measureFromMs = startMs + warmUpMs;
    this.#endMs = this.#measureFromMs + measureMs;
    if (perSecond !== null) this.#pacer = new Pacer(perSecond, startMs);
    setTimeout(() => this.#pacer?.stop(this.#endMs), warmUpMs + measureMs);
    setTimeout(() => {
      this.#cpuAtStart = process.cpuUsage();
    }, warmUpMs);
    await Promise.all(Array.from({ length: connections }, () => this.#connect()));
    if (this.#errors > 0)
      throw new Error(`${this.#errors} unexpected responses; the first: ${this.#firstError}`);
    return this.#result();
  }

  async #connect(): Promise<void> {
    try {
      await (await openConnection(this.#order.port)).run(this);
    } catch (error) {
      this.failed(String(error));
    }
  }

  next(nowMs: number, resume: (nowMs: number) => void): Buffer | null | 'later' {
    if (this.#sent >= this.#order.maxRequests || nowMs >= this.#endMs) return null;
    if (this.#pacer !== null && !this.#pacer.isDue(nowMs, resume)) return 'later';
    this.#sent += 1;
    const taps = TAPS[this.#order.taps];
    return taps[nextTap++ % taps.length] as Buffer;
  }

  answered(response: string, startedMs: number, nowMs: number): void {
    if (!response.startsWith(EXPECTED[this.#order.taps])) {
      this.failed(response.slice(0, 200));
      return;
    }
    this.#responses += 1;
    if (startedMs >= this.#measureFromMs && nowMs <= this.#endMs) this.#latenciesMs.push(nowMs - startedMs);
  }

  failed(error: string): void {
    this.#errors += 1;
    this.#firstError ??= error;
  }

  #result(): LoadResult {
    const elapsedMs = Math.min(performance.now(), this.#endMs) - this.#measureFromMs;
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    return {
      responses: this.#responses,
      perSecond: (this.#latenciesMs.length / elapsedMs) * 1_000,
      p50Ms: percentile(this.#latenciesMs, 0.5),
      p99Ms: percentile(this.#latenciesMs, 0.99),
      ownCpu: (user + system) / 1_000 / elapsedMs,
    };
  }
}

/** Makes requests due at an even pace, however slow the responses are; latencies count from the due time. */
class Pacer {
  readonly #everyMs: number;
  #dueMs: number;
  /** The `resume` functions of idle connections. */
  readonly #idle: ((nowMs: number) => void)[] = [];
  readonly #timer = setInterval(() => this.#tick(performance.now()), 1);
  #stoppedAtMs: number | null = null;

  constructor(perSecond: number, startMs: number) {
    this.#everyMs = 1_000 / perSecond;
    this.#dueMs = startMs;
  }

  /** If false, calls `resume` once the connection's request is due, with the due time. */
  isDue(nowMs: number, resume: (nowMs: number) => void): boolean {
    if (this.#stoppedAtMs !== null) resume(this.#stoppedAtMs);
    else if (nowMs < this.#dueMs) this.#idle.push(resume);
    else if (nowMs > this.#dueMs) resume(this.#dueMs);
    else {
      this.#dueMs += this.#everyMs;
      return true;
    }
    return false;
  }

  stop(nowMs: number): void {
    clearInterval(this.#timer);
    this.#stoppedAtMs = nowMs;
    for (const resume of this.#idle.splice(0)) resume(nowMs);
  }

  #tick(nowMs: number): void {
    while (this.#dueMs <= nowMs) {
      const resume = this.#idle.shift();
      if (resume === undefined) return;
      resume(this.#dueMs);
    }
  }
}
