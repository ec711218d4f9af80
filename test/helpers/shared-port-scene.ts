/** Several processes on one database that share a port, and connections that each stay with one process. */
import { join } from 'node:path';
import { IPHONE_FINGERPRINT, PIXEL } from './callers.ts';
import type { Place } from './engines.ts';
import { freePort } from './free-port.ts';
import { clickIdIn, type InstallAnswer } from './load.ts';
import { type RunningServer, startServer } from './process.ts';
import { type RawAnswer, RawConnection, rawRequest } from './raw-http.ts';

export const KEY = 'svc_live_0123456789abcdef';
export const SDK_KEY = 'svc_live_pub_0123456789abcdef';
export const ADMIN_TOKEN = 'an admin token for tests only';
export const OWNER = { authorization: `Bearer ${ADMIN_TOKEN}` };

export interface SharingProcess extends RunningServer {
  /** The base URL of this process only. */
  readonly monitoringUrl: string;
  /** Starts another process with the same settings and data directory. */
  restart(): Promise<SharingProcess>;
}

/** Starts processes that share one port, each with its own `DATA_DIR`. */
export async function startSharing(place: Place, count: number): Promise<SharingProcess[]> {
  const port = await freePort();
  return await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startProcess(place, port, join(place.dataDir, String(index))),
    ),
  );
}

async function startProcess(place: Place, port: number, dataDir: string): Promise<SharingProcess> {
  const metricsPort = await freePort();
  const server = await startServer(place, {
    BOOTSTRAP_LIVE_KEY: KEY,
    BOOTSTRAP_SDK_KEY: SDK_KEY,
    ADMIN_TOKEN,
    TRUST_PROXY: '1',
    DATA_DIR: dataDir,
    PORT: String(port),
    REUSE_PORT: '1',
    METRICS_PORT: String(metricsPort),
  });
  return {
    ...server,
    monitoringUrl: `http://127.0.0.1:${metricsPort}`,
    restart: () => startProcess(place, port, dataDir),
  };
}

interface Call {
  readonly headers?: Record<string, string>;
  /** The body, sent as JSON. */
  readonly body?: unknown;
  /** The caller's address, in `X-Forwarded-For`. */
  readonly from?: string;
}

/** A connection to one process, which answers every request on it. */
export class ProcessConnection {
  readonly #connection: RawConnection;

  /** The prefix of the process's request ids. */
  #mark = '';

  private constructor(connection: RawConnection) {
    this.#connection = connection;
  }

  static async open(url: string): Promise<ProcessConnection> {
    const connection = new ProcessConnection(await RawConnection.open(url));
    const { headers } = await connection.call('GET', '/healthz');
    connection.#mark = (headers['x-request-id'] ?? '').split('-')[0] ?? '';
    return connection;
  }

  /** One connection to each of several processes. */
  static async toEach(url: string, processes: number): Promise<ProcessConnection[]> {
    const each = new Map<string, ProcessConnection>();
    for (let tries = 0; each.size < processes && tries < processes * 20; tries++) {
      const connection = await ProcessConnection.open(url).catch(() => null);
      // The process may have been killed.
      if (connection === null) continue;
      if (each.has(connection.#mark)) connection.close();
      else each.set(connection.#mark, connection);
    }
    if (each.size < processes) throw new Error(`only ${each.size} processes answered`);
    return [...each.values()];
  }

  /** @throws when the connection ends before the response. */
  async call(
    method: string,
    path: string,
    { headers = {}, body, from = '198.51.100.1' }: Call = {},
  ): Promise<RawAnswer> {
    const json = body === undefined ? '' : JSON.stringify(body);
    const about = { 'x-forwarded-for': from, ...(json !== '' && { 'content-type': 'application/json' }) };
    this.#connection.send(rawRequest(method, path, { ...about, ...headers }, json));
    const answer = await this.#connection.answer();
    if (answer === null) throw new Error('the process closed the connection');
    return answer;
  }

  /** Taps a link to Play. @returns the click's ID. */
  async tap(shortCode: string, from: string, userAgent = PIXEL): Promise<string> {
    const headers = { 'user-agent': userAgent, 'accept-language': 'en-US,en;q=0.9' };
    const answer = await this.call('GET', `/l/${shortCode}`, { from, headers });
    return clickIdIn(answer.headers.location ?? null);
  }

  /** Records an install from an address, through the live key. */
  async install(from: string, fields: Record<string, unknown>): Promise<InstallAnswer> {
    const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress: from };
    const body = { fingerprint, ...fields };
    const answer = await this.call('POST', '/v1/sdk/install', { from, body, headers: { 'x-api-key': KEY } });
    if (answer.status !== 200)
      throw new Error(`expected 200 for an install, got ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as InstallAnswer;
  }

  close(): void {
    this.#connection.destroy();
  }
}
