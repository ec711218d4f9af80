/** A service in the test's own process, called without a socket, and helpers for common requests. */
import { after, before } from 'node:test';
import { openService, type Service, type ServiceOptions } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { conditionOf } from '../../src/db/index.ts';
import type { After, Clock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/lib/log.ts';
import { IPHONE, IPHONE_FINGERPRINT, PIXEL } from './callers.ts';
import { type Engine, makePlace, type Place } from './engines.ts';

export { DESKTOP, freshAddress, IPHONE, IPHONE_FINGERPRINT, PIXEL } from './callers.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | number | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the response, and fails if it is missing.
  readonly body: any;
}

export interface Call {
  readonly key?: string | undefined;
  readonly body?: unknown;
  /** Sent verbatim instead of `body`. */
  readonly rawBody?: string | Buffer;
  readonly headers?: Record<string, string>;
  /** The connection's address. */
  readonly from?: string;
}

export interface TestApp {
  readonly id: string;
  readonly keys: { live: string; test: string; live_publishable: string; test_publishable: string };
}

/** A clock that starts at the current time and goes on as that does; a test advances it, and what is due by then happens. */
class TestClock implements Clock {
  #aheadMs = 0;
  /** From now on what is due later happens by `advance` alone, however slow the machine is. */
  isStill = false;
  readonly #alarms = new Set<{ readonly atMs: number; readonly ring: () => void }>();
  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }
  advance(ms: number): void {
    this.#aheadMs += ms;
    for (const alarm of this.#alarms) if (alarm.atMs <= this.nowMs()) alarm.ring();
  }
  readonly after: After = (delayMs, run) => {
    const cancel = () => {
      clearTimeout(timer);
      this.#alarms.delete(alarm);
    };
    const ring = () => {
      cancel();
      run();
    };
    const alarm = { atMs: this.nowMs() + delayMs, ring };
    const timer = this.isStill ? undefined : setTimeout(ring, Math.max(delayMs, 0) + 5).unref();
    this.#alarms.add(alarm);
    return cancel;
  };
}

type WorldOptions = Partial<Pick<ServiceOptions, 'appleKeys' | 'authorities' | 'log' | 'passwordCost'>>;

/** A thousandth of what production pays for a password; `passwords.test.ts` checks that. */
const CHEAP = { log2N: 5, r: 8, p: 1 };

export class World {
  #service: Service | undefined;
  #place: Place | undefined;
  readonly clock = new TestClock();
  readonly engine: Engine;
  #env: Record<string, string>;
  readonly #options: WorldOptions;

  constructor(engine: Engine, env: Record<string, string>, options: WorldOptions = {}) {
    this.engine = engine;
    this.#env = env;
    this.#options = options;
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error('the service is not open');
    return this.#service;
  }

  get place(): Place {
    if (this.#place === undefined) throw new Error('the service has no place');
    return this.#place;
  }

  async open(): Promise<void> {
    this.#place ??= await makePlace(this.engine);
    const config = readConfig({ PUBLIC_URL: 'http://links.test', ...this.#place.env, ...this.#env });
    const onDeath = (cause: unknown) => {
      throw cause;
    };
    this.#service = await openService(config, {
      log: createLog(config.logLevel, { conditionOf }),
      clock: this.clock,
      after: this.clock.after,
      onDeath,
      passwordCost: CHEAP,
      ...this.#options,
    });
  }

  /** Stops the service and keeps its stored data. */
  async close(): Promise<void> {
    await this.#service?.close();
    this.#service = undefined;
  }

  /** Stops the service and starts it on its data, with these settings beside the earlier ones. */
  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.close();
    this.#env = { ...this.#env, ...env };
    await this.open();
  }

  async remove(): Promise<void> {
    await this.close();
    await this.#place?.remove();
  }

  async call(
    method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    url: string,
    call: Call = {},
  ): Promise<Answer> {
    const { key, body, rawBody, headers = {}, from = '198.51.100.1' } = call;
    const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await this.service.api.inject({
      method,
      url,
      remoteAddress: from,
      headers: {
        ...(key !== undefined && { 'x-api-key': key }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { payload }),
    });
    const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json');
    const parsed: unknown = isJson && answer.body !== '' ? JSON.parse(answer.body) : null;
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: parsed };
  }

  async admin(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.service.dataDir.adminToken}` };
    return await this.call(method, `/v1/admin${path}`, { headers, body });
  }

  /** A new app with one key of each kind, so that tests share neither records nor rate limits. */
  async newApp(fields: Record<string, unknown> = {}): Promise<TestApp> {
    const { id } = (await this.admin('POST', '/apps', { name: 'Test app', ...fields })).body as {
      id: string;
    };
    const make = async (kind: string) =>
      (await this.admin('POST', `/apps/${id}/keys`, { kind })).body.key as string;
    return {
      id,
      keys: {
        live: await make('live'),
        test: await make('test'),
        live_publishable: await make('live_publishable'),
        test_publishable: await make('test_publishable'),
      },
    };
  }

  /** Creates a link, with the live key by default. */
  async newLink(app: TestApp, fields: Record<string, unknown> = {}, key = app.keys.live) {
    const answer = await this.call('POST', '/v1/links', {
      key,
      body: { deepLinkPath: '/welcome', ...fields },
    });
    if (answer.status !== 201) throw new Error(`failed to create a link: ${answer.text}`);
    return answer.body as { id: string; shortCode: string; shortUrl: string };
  }

  /** Taps a short link. */
  async tap(
    shortCode: string,
    { userAgent = IPHONE, from = '198.51.100.1', headers = {}, method = 'GET' as 'GET' | 'HEAD' } = {},
  ) {
    return await this.call(method, `/l/${shortCode}`, {
      from,
      headers: { 'user-agent': userAgent, 'accept-language': 'en-US,en;q=0.9', ...headers },
    });
  }

  /** Taps a link whose Android destination is on Play. @returns the click's ID, as in the Play referrer. */
  async clickId(
    shortCode: string,
    options: { from?: string; headers?: Record<string, string> } = {},
  ): Promise<string> {
    const { headers } = await this.tap(shortCode, { userAgent: PIXEL, ...options });
    const referrer = new URL(String(headers.location)).searchParams.get('referrer') ?? '';
    return new URLSearchParams(referrer).get('svc_click_id') ?? '';
  }

  async install(
    app: TestApp,
    body: Record<string, unknown> = {},
    { key = app.keys.live_publishable, from = '198.51.100.1' } = {},
  ) {
    return await this.call('POST', '/v1/sdk/install', {
      key,
      from,
      body: { fingerprint: IPHONE_FINGERPRINT, ...body },
    });
  }
}

/** A service for the tests of one `describe`. */
export function useWorld(
  engine: Engine,
  env: Record<string, string> = {},
  options: WorldOptions = {},
): World {
  const world = new World(engine, env, options);
  before(() => world.open());
  after(() => world.remove());
  return world;
}
