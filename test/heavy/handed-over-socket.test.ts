/** Restarts of a lone process, on a socket that somebody else holds, behind real proxies: no request fails. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePlace, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { busyAndIdleCallers, KeptAliveLoad } from '../helpers/kept-alive-load.ts';
import { makePlayLink, startServer } from '../helpers/process.ts';
import { lacks, PROXIES, type ProxyName, startProxy } from '../helpers/proxies.ts';
import { startWithHeldSocket } from '../helpers/socket-holder.ts';

const KEY = 'svc_live_0123456789abcdef';
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1', PUBLIC_URL: 'https://links.example.com' };
const ROUNDS = 3;
const BETWEEN_MS = 1_500;

/** What is restarted: it resolves once the next process is ready. */
interface Restarted {
  readonly url: string;
  restart(): Promise<void>;
  end(): Promise<unknown>;
}

describe('a restart of a lone process on a socket that was handed over', () => {
  for (const name of Object.keys(PROXIES) as ProxyName[])
    it(`fails no request behind ${name}, a POST neither`, {
      timeout: 300_000,
      skip: lacks(name),
    }, async (t) => {
      const { load, output } = await restartUnderLoad(t, name, (place, port) =>
        startWithHeldSocket(place, port, ENV),
      );
      t.diagnostic(`${JSON.stringify(Object.fromEntries(load.counts))} longest ${load.longestMs} ms`);
      assert.deepEqual(load.failures, {}, output());
      assert.ok((load.counts.get('POST 200') ?? 0) > 100, 'too few installs');
    });
});

describe('a restart of a lone process that opens its port itself', () => {
  it('fails requests behind nginx, as this load shows', {
    timeout: 300_000,
    skip: lacks('nginx'),
  }, async (t) => {
    const { load } = await restartUnderLoad(t, 'nginx', async (place, port) => {
      const start = () => startServer(place, { ...ENV, HOST: '127.0.0.1', PORT: String(port) });
      let server = await start();
      return {
        url: server.url,
        async restart() {
          await server.end('SIGTERM');
          server = await start();
        },
        end: () => server.end('SIGKILL'),
      };
    });
    t.diagnostic(`${JSON.stringify(Object.fromEntries(load.counts))} longest ${load.longestMs} ms`);
    assert.ok((load.failures['GET 502'] ?? 0) > 0);
    assert.ok((load.failures['POST 502'] ?? 0) > 0);
  });
});

async function restartUnderLoad(
  t: { after(work: () => Promise<void>): void },
  name: ProxyName,
  start: (place: Place, port: number) => Promise<Restarted>,
): Promise<{ load: KeptAliveLoad; output: () => string }> {
  const place = await makePlace('sqlite');
  const port = await freePort();
  const server = await start(place, port);
  const proxy = await startProxy(name, [port]);
  t.after(async () => {
    await proxy.stop();
    await server.end();
    await place.remove();
  });
  const code = await makePlayLink(server.url, KEY);
  const load = new KeptAliveLoad({
    url: `https://127.0.0.1:${proxy.port}`,
    key: KEY,
    callers: busyAndIdleCallers(code),
  });
  await sleep(BETWEEN_MS);
  assert.deepEqual(load.failures, {}, proxy.output());
  for (let round = 0; round < ROUNDS; round++) {
    await server.restart();
    await sleep(BETWEEN_MS);
  }
  await load.stop();
  return { load, output: proxy.output };
}
