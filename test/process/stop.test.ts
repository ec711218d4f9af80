/** Graceful shutdown: requests in flight are answered, and every click is in the database. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { KeptAliveLoad } from '../helpers/kept-alive-load.ts';
import { openLive } from '../helpers/live-client.ts';
import { Load } from '../helpers/load.ts';
import {
  commandLine,
  makePlayLink,
  OWN_ENV,
  type RunningServer,
  runCommand,
  startServer,
} from '../helpers/process.ts';
import { RawConnection, rawRequest } from '../helpers/raw-http.ts';
import { journalFiles, queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
/** Each signal on one engine. */
const SIGNALS = { sqlite: 'SIGINT', postgres: 'SIGTERM' } as const;
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1' };

for (const engine of engines)
  describe(`a server on ${engine} that stops under load`, () => {
    it('answers the requests in flight, and stores every click', { timeout: 90_000 }, async (t) => {
      const { place, server } = await start(t, engine);
      const shortCodes = [await makePlayLink(server.url, KEY), await makePlayLink(server.url, KEY)];
      const load = new Load({ url: server.url, key: KEY, shortCodes, taps: 50, installs: 2 });
      await load.reaches(300, 10);
      const installIds = Array.from({ length: 10 }, () => randomUUID());
      const underWay = await Promise.all(installIds.map((id) => beginInstall(server.url, id)));

      const ended = server.end('SIGTERM');
      await isRefused(server.url);
      for (const { finish } of underWay) finish();
      const answers = await Promise.all(underWay.map(({ connection }) => connection.answer()));
      for (const { connection } of underWay) connection.destroy();
      await load.stop();
      assert.deepEqual(await ended, { code: 0, signal: null });

      assert.deepEqual(
        answers.map((answer) => answer?.status),
        installIds.map(() => 200),
      );
      const installs = new Set((await queryStored(place, 'select id from installs')).map(({ id }) => id));
      for (const id of [...installIds, ...load.answeredInstalls.map(({ installId }) => installId)])
        assert.ok(installs.has(id));
      const clicks = new Set((await queryStored(place, 'select id from clicks')).map(({ id }) => id));
      assert.equal(load.clickIds.filter((id) => !clicks.has(id)).length, 0);
      assert.deepEqual(journalFiles(place), []);
    });
  });

for (const engine of engines)
  describe(`a server on ${engine} that stops at ${SIGNALS[engine]}`, () => {
    it('sends Connection: close with its last responses, and logs “stopped” last', {
      timeout: 90_000,
    }, async (t) => {
      const { place, server } = await start(t, engine, { LOG_LEVEL: 'info' });
      const shortCode = await makePlayLink(server.url, KEY);
      const { connection, finish } = await beginInstall(server.url, randomUUID());
      const late = await RawConnection.open(server.url);
      // A half-sent request: Node does not count its connection as idle.
      const [first, rest] = halves(rawRequest('GET', `/l/${shortCode}`));
      late.send(first);
      await new Promise((resolve) => setTimeout(resolve, 200));
      const ended = server.end(SIGNALS[engine]);
      await isRefused(server.url);
      late.send(rest);
      finish();
      const answers = [await late.answer(), await connection.answer()];
      assert.deepEqual(
        answers.map((answer) => [answer?.status, answer?.headers.connection?.toLowerCase()]),
        [
          [200, 'close'],
          [200, 'close'],
        ],
      );
      for (const one of [late, connection]) one.destroy();
      assert.deepEqual(await ended, { code: 0, signal: null });
      const lines = server.output().trim().split('\n');
      assert.equal((JSON.parse(lines.at(-1) ?? '') as { msg: string }).msg, 'stopped');
      assert.deepEqual(journalFiles(place), []);
    });
  });

describe('a server with open live streams', () => {
  it('ends them at once at SIGTERM', { timeout: 90_000 }, async (t) => {
    const { server } = await start(t, engines[0] ?? 'sqlite');
    const streams = await Promise.all([1, 2, 3].map(() => openLive(server.url, { key: KEY })));
    const ended = server.end('SIGTERM');
    for (const stream of streams) await stream.ended();
    // A connection that the server destroys after 7 s has an incomplete response.
    for (const { response } of streams) assert.ok(response.complete);
    assert.deepEqual(await ended, { code: 0, signal: null });
  });
});

const bundled = process.env.THROUGHLINE_PROGRAM !== undefined;

describe('a server that is stopped during startup', () => {
  const stages = bundled
    ? [
        ['before the program is loaded', 'code/main.js'],
        ['while the program is loaded', 'code/version.js'],
      ]
    : [
        ['before the program is loaded', 'src/app.ts'],
        ['while the program is loaded', 'src/commands/serve/monitoring.ts'],
      ];
  for (const [stage, module] of stages)
    it(`ends with code 0 ${stage}`, { timeout: 90_000 }, async (t) => {
      const place = await makePlace('sqlite');
      t.after(() => place.remove());
      // The process signals itself when Node loads the module.
      const hooks = `import { registerHooks } from 'node:module';
        registerHooks({ load(url, context, next) {
          if (url.endsWith('${module}')) process.kill(process.pid, 'SIGTERM');
          return next(url, context);
        } });`;
      const preload = `data:text/javascript,${encodeURIComponent(hooks)}`;
      const env = { ...place.env, PORT: String(await freePort()), NODE_OPTIONS: `--import=${preload}` };
      const { code, output } = await runCommand(['serve'], env);
      assert.deepEqual([code, output], [0, '']);
    });

  it('ends with code 0 while its database does not respond', { timeout: 90_000 }, async (t) => {
    const database = createServer().listen(0, '127.0.0.1');
    await once(database, 'listening');
    t.after(() => database.close());
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    const { port } = database.address() as AddressInfo;
    const child = spawn('sh', ['-c', `exec ${commandLine('serve')}`], {
      env: {
        ...OWN_ENV,
        ...place.env,
        PORT: String(await freePort()),
        DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c`,
        SECRET_KEY: 'x'.repeat(32),
      },
    });
    const ended = once(child, 'exit');
    const [connection] = (await once(database, 'connection')) as [Socket];
    t.after(() => connection.destroy());
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });
});

/** Clients that keep a connection open. */
const CLIENTS: Record<string, (url: string) => Promise<RawConnection>> = {
  'a client that sent nothing': (url) => RawConnection.open(url),
  'a client in the middle of a request': (url) => talk(url, 'GET /healthz HT'),
  'a client whose request was rejected as invalid HTTP': (url) => talk(url, 'hello\r\n\r\n', true),
  'an idle keep-alive client': (url) => talk(url, rawRequest('GET', '/healthz'), true),
  'a keep-alive client whose request ends during the stop': async (url) => {
    const { connection, finish } = await beginInstall(url, randomUUID());
    void isRefused(url).then(finish);
    return connection;
  },
};

describe('a stopping server', () => {
  it(`does not wait for ${Object.keys(CLIENTS).join(', ')}`, { timeout: 90_000 }, async (t) => {
    const { server } = await start(t, engines[0] ?? 'sqlite');
    for (const connect of Object.values(CLIENTS)) {
      const connection = await connect(server.url);
      t.after(() => connection.destroy());
    }
    assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
  });
});

describe('a server that drains at SIGTERM', () => {
  it('answers every request on 16 busy connections, and tells each to end', {
    timeout: 90_000,
  }, async (t) => {
    const { server } = await start(t, engines[0] ?? 'sqlite');
    const code = await makePlayLink(server.url, KEY);
    const callers = Array.from({ length: 16 }, (_, index) => ({
      ...(index % 4 === 0
        ? { method: 'POST' as const, path: '/v1/sdk/install' }
        : { method: 'GET' as const, path: `/l/${code}` }),
      pauseMs: index * 5,
    }));
    const load = new KeptAliveLoad({ url: server.url, key: KEY, callers, endsWhenRefused: true });
    await waitFor('every connection to be used', () => load.answered > 500 || undefined);
    const ended = server.end('SIGTERM');
    assert.deepEqual(await ended, { code: 0, signal: null });
    await load.stop();
    assert.deepEqual(load.failures, {});
    assert.equal(load.ended, callers.length);
  });

  it('is not ready meanwhile, accepts connections for SHUTDOWN_DELAY_SECONDS, and ends them one by one', {
    timeout: 90_000,
  }, async (t) => {
    const { server } = await start(t, engines[0] ?? 'sqlite', { SHUTDOWN_DELAY_SECONDS: '2' });
    const idle = await talk(server.url, rawRequest('GET', '/healthz'), true);
    t.after(() => idle.destroy());
    const startedMs = Date.now();
    const ended = server.end('SIGTERM');
    for (const path of ['/readyz', '/healthz'])
      await waitFor(`${path} to be 503`, async () => {
        const { status } = await fetch(`${server.url}${path}`);
        return status === 503 || undefined;
      });
    const late = await fetch(`${server.url}/readyz`);
    assert.equal(late.headers.get('connection'), 'close');
    const { checks } = (await late.json()) as { checks: { process: { reason: string } } };
    assert.match(checks.process.reason, /stopping/);
    idle.send(rawRequest('GET', '/healthz'));
    const answer = await idle.answer();
    assert.deepEqual([answer?.status, answer?.headers.connection], [503, 'close']);
    await isRefused(server.url);
    assert.ok(Date.now() - startedMs >= 2_000);
    assert.deepEqual(await ended, { code: 0, signal: null });
  });

  it('ends idle connections at once at SIGINT', { timeout: 90_000 }, async (t) => {
    const { server } = await start(t, engines[0] ?? 'sqlite', { SHUTDOWN_DELAY_SECONDS: '30' });
    const idle = await talk(server.url, rawRequest('GET', '/healthz'), true);
    t.after(() => idle.destroy());
    assert.deepEqual(await server.end('SIGINT'), { code: 0, signal: null });
  });
});

async function start(
  t: { after(work: () => Promise<unknown>): void },
  engine: (typeof engines)[number],
  env: Record<string, string> = {},
): Promise<{ place: Place; server: RunningServer }> {
  const place = await makePlace(engine);
  const server = await startServer(place, { ...ENV, ...env });
  t.after(async () => {
    await server.end('SIGKILL');
    await place.remove();
  });
  return { place, server };
}

function halves(bytes: Buffer): [Buffer, Buffer] {
  return [bytes.subarray(0, 10), bytes.subarray(10)];
}

async function talk(url: string, bytes: string | Buffer, waitForAnswer = false): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  connection.send(bytes);
  if (waitForAnswer) await connection.answer();
  return connection;
}

/** Sends the head of an install and waits for `100 Continue`, so that the server has accepted the request. */
async function beginInstall(url: string, installId: string) {
  const body = JSON.stringify({ installId, fingerprint: { platform: 'ANDROID' } });
  const connection = await RawConnection.open(url);
  const head = rawRequest('POST', '/v1/sdk/install', {
    'x-api-key': KEY,
    'content-type': 'application/json',
    'content-length': String(body.length),
    expect: '100-continue',
  });
  connection.send(head);
  await connection.until('100 Continue');
  return { connection, finish: () => connection.send(body) };
}

/** Waits until the server refuses new connections. */
async function isRefused(url: string): Promise<void> {
  for (;;) {
    const connection = await RawConnection.open(url).catch(() => null);
    if (connection === null) return;
    connection.destroy();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
