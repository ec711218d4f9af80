/** The load generator, a process of its own: taps for as long as it is told, written from buffers made beforehand. */
import { openConnection, type Talk } from './connection.ts';
import { Pacer } from './pacer.ts';
import { type Answers, buildRequests } from './visitors.ts';

/** One round against one server. It ends with its time, or with its last request. */
export interface LoadOrder {
  readonly answers: Answers;
  readonly port: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly maxRequests: number;
  /** At this pace; null for as fast as answers come. */
  readonly perSecond: number | null;
}

export interface LoadResult {
  /** Answers received over the whole round, warm-up and last ones too. */
  readonly answers: number;
  /** Those of the measured time, and how many of them a second brought. */
  readonly measured: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What was another answer. */
  readonly errors: number;
  readonly firstError: string | null;
  /** How much of one core the generator itself took while it measured. */
  readonly ownCpu: number;
}

const BUCKETS_PER_MS = 50;
const MAX_LATENCY_MS = 2_000;

const KINDS = {
  redirects: { begins: 'HTTP/1.1 302 ', requests: buildRequests('redirects') },
  redirectsOfMany: { begins: 'HTTP/1.1 302 ', requests: buildRequests('redirectsOfMany') },
  pages: { begins: 'HTTP/1.1 200 ', requests: buildRequests('pages') },
};
/** Where in them the next request is; rounds go on where the last one stopped. */
let nextRequest = 0;

process.on('message', (order: LoadOrder) => {
  new Round(order).run().then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

class Round implements Talk {
  readonly #order: LoadOrder;
  /** Answers by latency. */
  readonly #latencies = new Uint32Array(MAX_LATENCY_MS * BUCKETS_PER_MS + 1);
  #measureFromMs = 0;
  #endMs = 0;
  #pacer: Pacer | null = null;
  #sent = 0;
  #answers = 0;
  #measured = 0;
  #errors = 0;
  #firstError: string | null = null;
  #cpuAtStart = process.cpuUsage();

  constructor(order: LoadOrder) {
    this.#order = order;
  }

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
    return this.#result();
  }

  async #connect(): Promise<void> {
    try {
      await (await openConnection(this.#order.port)).carry(this);
    } catch (error) {
      this.failed(String(error));
    }
  }

  next(nowMs: number, goOn: (nowMs: number) => void): Buffer | null | 'later' {
    if (this.#sent >= this.#order.maxRequests || nowMs >= this.#endMs) return null;
    if (this.#pacer !== null && !this.#pacer.isDue(nowMs, goOn)) return 'later';
    this.#sent += 1;
    const { requests } = KINDS[this.#order.answers];
    const request = requests[nextRequest % requests.length] as Buffer;
    nextRequest += 1;
    return request;
  }

  answered(text: string, startedMs: number, nowMs: number): void {
    if (!text.startsWith(KINDS[this.#order.answers].begins)) this.failed(text.slice(0, 200));
    else {
      this.#answers += 1;
      if (startedMs < this.#measureFromMs || nowMs > this.#endMs) return;
      this.#measured += 1;
      const bucket = Math.min(this.#latencies.length - 1, ((nowMs - startedMs) * BUCKETS_PER_MS) | 0);
      this.#latencies[bucket] = (this.#latencies[bucket] ?? 0) + 1;
    }
  }

  failed(what: string): void {
    this.#errors += 1;
    this.#firstError ??= what;
  }

  #result(): LoadResult {
    const elapsedMs = Math.min(performance.now(), this.#endMs) - this.#measureFromMs;
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    return {
      answers: this.#answers,
      measured: this.#measured,
      perSecond: (this.#measured / elapsedMs) * 1_000,
      p50Ms: this.#percentile(0.5),
      p99Ms: this.#percentile(0.99),
      errors: this.#errors,
      firstError: this.#firstError,
      ownCpu: (user + system) / 1_000 / elapsedMs,
    };
  }

  #percentile(share: number): number {
    let left = this.#measured * share;
    const bucket = this.#latencies.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return (bucket + 1) / BUCKETS_PER_MS;
  }
}
