/** Requests on kept-alive connections, one behind another on each, as a proxy or a server sends them. */
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { IPHONE_FINGERPRINT } from './callers.ts';

/** Of one connection; a POST is what no proxy sends twice. */
export interface Caller {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly pauseMs: number;
}

export interface KeptAliveOptions {
  readonly url: string;
  readonly key: string;
  readonly callers: readonly Caller[];
  /** Ends a caller whose new connection is refused, as after the stop of a lone process. */
  readonly endsWhenRefused?: boolean;
}

/** Of a proxy with a certificate of the test. */
export const PROXY_TLS = { rejectUnauthorized: false, servername: 'links.example.com' };

/** Busy and idle ones: a connection that is seldom used may be ended just as a request leaves. */
export function busyAndIdleCallers(code: string): Caller[] {
  const taps = Array.from({ length: 8 }, (_, index) => ({
    method: 'GET' as const,
    path: `/l/${code}`,
    pauseMs: index,
  }));
  const installs = [40, 60, 90, 120, 250, 400, 600, 900].map((pauseMs) => ({
    method: 'POST' as const,
    path: '/v1/sdk/install',
    pauseMs,
  }));
  return [...taps, ...installs];
}

export class KeptAliveLoad {
  /** By method and status, or the error's code. */
  readonly counts = new Map<string, number>();
  /** Connections that a response ended with `Connection: close`. */
  ended = 0;
  /** From request to answer. */
  longestMs = 0;
  readonly #options: KeptAliveOptions;
  readonly #done: Promise<unknown>;
  #isStopping = false;

  constructor(options: KeptAliveOptions) {
    this.#options = options;
    this.#done = Promise.all(options.callers.map((caller) => this.#run(caller)));
  }

  get answered(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Answers that are no success of the service, and broken connections. */
  get failures(): Record<string, number> {
    return Object.fromEntries([...this.counts].filter(([name]) => !/ (200|302)$/.test(name)));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }

  async #run(caller: Caller): Promise<void> {
    const isTls = this.#options.url.startsWith('https:');
    const agent = isTls
      ? new https.Agent({ keepAlive: true, maxSockets: 1, ...PROXY_TLS })
      : new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#isStopping) {
      const startedMs = performance.now();
      const { result, closes } = await this.#send(caller, agent);
      this.longestMs = Math.max(this.longestMs, performance.now() - startedMs);
      if (result === 'ECONNREFUSED' && this.#options.endsWhenRefused === true) break;
      const name = `${caller.method} ${result}`;
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
      if (closes) this.ended += 1;
      if (caller.pauseMs > 0) await sleep(caller.pauseMs);
    }
    agent.destroy();
  }

  #send({ method, path }: Caller, agent: http.Agent): Promise<{ result: number | string; closes: boolean }> {
    const { url, key } = this.#options;
    const body = method === 'POST' ? JSON.stringify({ fingerprint: IPHONE_FINGERPRINT }) : undefined;
    const headers = {
      host: 'links.example.com',
      'x-api-key': key,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const { request } = url.startsWith('https:') ? https : http;
    return new Promise((resolve) => {
      const sent = request(`${url}${path}`, { method, headers, agent }, (response) => {
        const closes = response.headers.connection === 'close';
        response.on('error', ({ name }) => resolve({ result: name, closes }));
        response.on('end', () => resolve({ result: response.statusCode ?? 0, closes }));
        response.resume();
      });
      sent.on('error', (error: NodeJS.ErrnoException) =>
        resolve({ result: error.code ?? error.message, closes: false }),
      );
      sent.end(body);
    });
  }
}
