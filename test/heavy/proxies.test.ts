/** Restarts of two processes in turn behind real proxies, with the files of the guide: no request fails. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { busyAndIdleCallers, KeptAliveLoad } from '../helpers/kept-alive-load.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { lacks, PROXIES, type ProxyName, startProxy } from '../helpers/proxies.ts';

const KEY = 'svc_live_0123456789abcdef';
const ROUNDS = 2;
const BETWEEN_MS = 1_500;

for (const name of Object.keys(PROXIES) as ProxyName[])
  describe(`a rolling restart of two processes behind ${name}`, {
    skip: engines.includes('postgres') ? lacks(name) : 'needs PostgreSQL',
  }, () => {
    it('fails no request, a POST neither', { timeout: 300_000 }, async (t) => {
      const place = await makePlace('postgres');
      const ports = [await freePort(), await freePort()] as const;
      const servers: RunningServer[] = [];
      for (const port of ports) servers.push(await start(place, port, name));
      const proxy = await startProxy(name, ports);
      t.after(async () => {
        await proxy.stop();
        for (const server of servers) await server.end('SIGKILL');
        await place.remove();
      });
      const code = await makePlayLink(servers[0]?.url ?? '', KEY);
      const load = new KeptAliveLoad({
        url: `https://127.0.0.1:${proxy.port}`,
        key: KEY,
        callers: busyAndIdleCallers(code),
      });
      await sleep(BETWEEN_MS);
      assert.deepEqual(load.failures, {}, proxy.output());
      for (let round = 0; round < ROUNDS; round++)
        for (const [index, port] of ports.entries()) {
          assert.deepEqual(await servers[index]?.end('SIGTERM'), { code: 0, signal: null });
          servers[index] = await start(place, port, name);
          await sleep(BETWEEN_MS);
        }
      await load.stop();
      t.diagnostic(JSON.stringify(Object.fromEntries(load.counts)));
      assert.deepEqual(load.failures, {}, proxy.output());
      assert.ok((load.counts.get('POST 200') ?? 0) > 200, 'too few installs');
    });
  });

async function start(place: Place, port: number, name: ProxyName): Promise<RunningServer> {
  return await startServer(place, {
    BOOTSTRAP_LIVE_KEY: KEY,
    HOST: '127.0.0.1',
    PORT: String(port),
    TRUST_PROXY: '1',
    PUBLIC_URL: 'https://links.example.com',
    SHUTDOWN_DELAY_SECONDS: name === 'caddy' ? '3' : '0',
    DATA_DIR: join(place.dataDir, String(port)),
  });
}
