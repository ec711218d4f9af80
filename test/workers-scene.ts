/** A server with several workers, and what only such a server needs to be asked. */
import type { Place } from './engines.ts';
import { clickIdIn, type InstallAnswer } from './load.ts';
import { type RunningServer, startServer } from './process.ts';
import { type RawAnswer, RawConnection, rawRequest } from './raw-http.ts';
import { IPHONE_FINGERPRINT, PIXEL } from './world.ts';

export const KEY = 'svc_live_0123456789abcdef';
export const ADMIN_TOKEN = 'an admin token for tests only';

/** Starts the program with `workers` workers. Its log says which process is which. */
export async function startWorkers(
  place: Place,
  workers: number,
  env: Record<string, string> = {},
): Promise<RunningServer> {
  return await startServer(place, {
    BOOTSTRAP_LIVE_KEY: KEY,
    ADMIN_TOKEN,
    TRUST_PROXY: '1',
    LOG_LEVEL: 'info',
    WORKERS: String(workers),
    ...env,
  });
}

/** The lines of a server's log so far. */
export function logOf(server: RunningServer): Record<string, unknown>[] {
  return server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The processes that work now, by their numbers. */
export function workerPids(server: RunningServer): Map<number, number> {
  const ready = logOf(server).filter(({ msg }) => msg === 'a worker is ready');
  return new Map(ready.map(({ worker, pid }) => [worker as number, pid as number]));
}

/** Whether a process is there. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

interface WorkerCall {
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Whose call it is, by the proxy's word. */
  readonly from?: string;
}

/** A connection that one worker has; it answers whatever is asked over it. */
export class WorkerConnection {
  readonly #connection: RawConnection;

  /** What its worker's request ids begin with. */
  #mark = '';

  private constructor(connection: RawConnection) {
    this.#connection = connection;
  }

  static async open(url: string): Promise<WorkerConnection> {
    const connection = new WorkerConnection(await RawConnection.open(url));
    const { headers } = await connection.call('GET', '/healthz');
    connection.#mark = (headers['x-request-id'] ?? '').split('-')[0] ?? '';
    return connection;
  }

  /** One connection to each of so many workers. */
  static async toEach(url: string, workers: number): Promise<WorkerConnection[]> {
    const each = new Map<string, WorkerConnection>();
    for (let tries = 0; each.size < workers && tries < workers * 20; tries++) {
      const connection = await WorkerConnection.open(url).catch(() => null);
      // It was on its way to a worker that died.
      if (connection === null) continue;
      if (each.has(connection.#mark)) connection.close();
      else each.set(connection.#mark, connection);
    }
    if (each.size < workers) throw new Error(`only ${each.size} workers answered`);
    return [...each.values()];
  }

  /** @throws when the connection ends before the answer. */
  async call(
    method: string,
    path: string,
    { headers = {}, body, from = '198.51.100.1' }: WorkerCall = {},
  ): Promise<RawAnswer> {
    const json = body === undefined ? '' : JSON.stringify(body);
    const about = { 'x-forwarded-for': from, ...(json !== '' && { 'content-type': 'application/json' }) };
    this.#connection.send(rawRequest(method, path, { ...about, ...headers }, json));
    const answer = await this.#connection.answer();
    if (answer === null) throw new Error('the worker is gone');
    return answer;
  }

  /** Taps a link to Play and gives the click's id. */
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
    if (answer.status !== 200) throw new Error(`an install was answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as InstallAnswer;
  }

  /** Sends an install's head and waits until its body is asked for; gives what sends it, and the answer's status. */
  async beginInstall(installId: string): Promise<() => Promise<number | undefined>> {
    const body = JSON.stringify({ installId, fingerprint: { platform: 'ANDROID' } });
    const head = rawRequest('POST', '/v1/sdk/install', {
      'x-api-key': KEY,
      'content-type': 'application/json',
      'content-length': String(body.length),
      expect: '100-continue',
    });
    this.#connection.send(head);
    await this.#connection.until('100 Continue');
    return async () => {
      this.#connection.send(body);
      return (await this.#connection.answer())?.status;
    };
  }

  close(): void {
    this.#connection.destroy();
  }
}
