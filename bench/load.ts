/**
 * The load generator, a process of its own: keep-alive connections over plain sockets, each with one request under way,
 * written from buffers that are made beforehand. It shares the machine with what it measures, so it does as little as it can.
 */
import { connect, type Socket } from 'node:net';
import { buildRequests } from './visitors.ts';

/** One round against one server. It ends with its time, or with its last request. */
export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly maxRequests: number;
}

export interface LoadResult {
  /** Redirects received over the whole round, warm-up and last answers too. */
  readonly redirects: number;
  /** Those of the measured time, and how many of them a second brought. */
  readonly measured: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What was no redirect. */
  readonly errors: number;
  readonly firstError: string | null;
  /** How much of one core the generator itself took while it measured. */
  readonly ownCpu: number;
}

const READ_BYTES = 64 * 1024;
const BUCKETS_PER_MS = 50;
const MAX_LATENCY_MS = 2_000;
const HEAD_END = '\r\n\r\n';
const REDIRECT = 'HTTP/1.1 302 ';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

const requests = buildRequests();
/** Where in them the next request is; rounds go on where the last one stopped. */
let nextRequest = 0;

process.on('message', (order: LoadOrder) => {
  new Round(order).run().then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

class Round {
  readonly #order: LoadOrder;
  readonly #done = Promise.withResolvers<void>();
  /** Answers by latency. */
  readonly #latencies = new Uint32Array(MAX_LATENCY_MS * BUCKETS_PER_MS + 1);
  /** Read into by every connection in turn: an answer is looked at before the next one is read. */
  readonly #buffer = Buffer.allocUnsafe(READ_BYTES);
  #measureFromMs = 0;
  #endMs = 0;
  #sent = 0;
  #redirects = 0;
  #measured = 0;
  #errors = 0;
  #firstError: string | null = null;
  #open = 0;
  #cpuAtStart = process.cpuUsage();

  constructor(order: LoadOrder) {
    this.#order = order;
  }

  async run(): Promise<LoadResult> {
    const { connections, warmUpMs, measureMs } = this.#order;
    this.#measureFromMs = performance.now() + warmUpMs;
    this.#endMs = this.#measureFromMs + measureMs;
    setTimeout(() => {
      this.#cpuAtStart = process.cpuUsage();
    }, warmUpMs);
    for (let i = 0; i < connections; i++) this.#connect();
    await this.#done.promise;
    return this.#result();
  }

  #connect(): void {
    let startedMs = 0;
    let rest = '';
    const ask = () => {
      if (this.#sent >= this.#order.maxRequests || startedMs >= this.#endMs) {
        socket.destroy();
        return;
      }
      this.#sent += 1;
      socket.write(requests[nextRequest] as Buffer);
      nextRequest = (nextRequest + 1) % requests.length;
    };
    const read = (length: number): boolean => {
      const text = rest + this.#buffer.toString('latin1', 0, length);
      if (!isWhole(text)) {
        rest = text;
        return true;
      }
      rest = '';
      const nowMs = performance.now();
      this.#count(text, startedMs, nowMs);
      startedMs = nowMs;
      ask();
      return true;
    };
    const socket: Socket = connect({
      port: this.#order.port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: this.#buffer, callback: read },
    });
    this.#open += 1;
    socket.on('connect', () => {
      startedMs = performance.now();
      ask();
    });
    socket.on('error', (error) => this.#fail(error.message));
    socket.on('end', () => this.#fail('the server closed a connection'));
    socket.on('close', () => {
      this.#open -= 1;
      if (this.#open === 0) this.#done.resolve();
    });
  }

  #count(text: string, startedMs: number, nowMs: number): void {
    if (!text.startsWith(REDIRECT)) this.#fail(text.slice(0, 200));
    else {
      this.#redirects += 1;
      if (startedMs < this.#measureFromMs || nowMs > this.#endMs) return;
      this.#measured += 1;
      const bucket = Math.min(this.#latencies.length - 1, ((nowMs - startedMs) * BUCKETS_PER_MS) | 0);
      this.#latencies[bucket] = (this.#latencies[bucket] ?? 0) + 1;
    }
  }

  #fail(what: string): void {
    this.#errors += 1;
    this.#firstError ??= what;
  }

  #result(): LoadResult {
    const elapsedMs = Math.min(performance.now(), this.#endMs) - this.#measureFromMs;
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    return {
      redirects: this.#redirects,
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

function isWhole(text: string): boolean {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd === -1) return false;
  const contentLength = Number(CONTENT_LENGTH.exec(text)?.[1] ?? 0);
  return text.length >= headEnd + HEAD_END.length + contentLength;
}
