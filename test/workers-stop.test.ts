/** Several workers stop as one server does, and fewer of them, or one process, can go on from there. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { engines, makePlace, type Place } from './engines.ts';
import { makePlayLink, type RunningServer, runCommand } from './process.ts';
import { journalFiles, queryStored } from './stored.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { waitFor } from './wait-for.ts';
import { KEY, lives, logOf, startWorkers, WorkerConnection, workerPids } from './workers-scene.ts';
import { freshAddress } from './world.ts';

const skip = !engines.includes('postgres');

async function start(t: TestContext, workers: number, env: Record<string, string> = {}) {
  const place = await makePlace('postgres');
  const server = await startWorkers(place, workers, env);
  t.after(async () => {
    await server.end('SIGKILL');
    await place.remove();
  });
  return { place, server };
}

describe('several workers that are told to stop', { skip }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`answer what is under way at ${signal}, though each of them gets it too, and say once that they stopped`, async (t) => {
      const { place, server } = await start(t, 3);
      const shortCode = await makePlayLink(server.url, KEY);
      const workers = await WorkerConnection.toEach(server.url, 3);
      const clickIds = await Promise.all(workers.map((worker) => worker.tap(shortCode, freshAddress())));
      const installIds = workers.map(() => randomUUID());
      const underWay = workers.map((worker, turn) => worker.beginInstall(installIds[turn] ?? ''));
      const finish = await Promise.all(underWay);

      for (const pid of workerPids(server).values()) process.kill(pid, signal);
      const ended = server.end(signal);
      await waitFor('nobody is let in', async () => {
        const reached = await fetch(`${server.url}/healthz`).then(
          () => true,
          () => false,
        );
        return reached ? undefined : true;
      });
      const statuses = await Promise.all(finish.map((end) => end()));
      assert.deepEqual(statuses, [200, 200, 200]);
      for (const worker of workers) worker.close();
      assert.deepEqual(await ended, { code: 0, signal: null });

      const messages = logOf(server).map(({ msg }) => msg);
      assert.equal(messages.at(-1), 'stopped');
      assert.equal(messages.filter((message) => message === 'stopped').length, 1);
      assert.ok(!messages.includes('a worker died; another takes its place'));
      const stored = (await queryStored(place, 'select id from clicks')).map(({ id }) => id);
      assert.deepEqual(stored.sort(), clickIds.sort());
      assert.equal((await queryStored(place, 'select id from installs')).length, 3);
      assert.deepEqual(journalFiles(place), []);
    });

  it('end at once, all of them, when they are told so twice', async (t) => {
    const { server } = await start(t, 2);
    const [worker] = await WorkerConnection.toEach(server.url, 1);
    await worker?.beginInstall(randomUUID());
    const pids = [...workerPids(server).values()];
    const ended = server.end('SIGTERM');
    await waitFor('it stops', async () => server.output().includes('"stopping"') || undefined);
    process.kill(server.pid, 'SIGTERM');
    assert.deepEqual(await ended, { code: 1, signal: null });
    await waitFor('the workers are gone', async () => pids.every((pid) => !lives(pid)) || undefined);
  });
});

describe('clicks in the journals of several workers', { skip }, () => {
  for (const fewer of [1, 2])
    it(`are applied where the next start has ${fewer} of 3`, async (t) => {
      const place = await makePlace('postgres');
      const proxy = await TcpProxy.open(place.databaseUrl ?? '');
      const env = { DATABASE_URL: proxy.through(place.databaseUrl ?? '') };
      let server = await startWorkers(place, 3, env);
      t.after(async () => {
        await server.end('SIGKILL');
        await proxy.cut();
        await place.remove();
      });
      const shortCode = await makePlayLink(server.url, KEY);
      const workers = await WorkerConnection.toEach(server.url, 3);
      const tapAll = () => Promise.all(workers.map((worker) => worker.tap(shortCode, freshAddress())));
      const clickIds = await tapAll();
      await proxy.cut();
      clickIds.push(...(await tapAll()), ...(await tapAll()));
      for (const worker of workers) worker.close();
      assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
      const folders = new Set(journalFiles(place).map((file) => join(file, '..')));
      assert.equal(folders.size, 3);

      await proxy.restore();
      server = await startWorkers(place, fewer, env);
      assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
      const stored = (await queryStored(place, 'select id from clicks')).map(({ id }) => id);
      assert.deepEqual(stored.sort(), clickIds.sort());
      assert.deepEqual(journalFiles(place), []);
      assert.equal(existsSync(join(place.dataDir, 'workers', '3')), false);
    });
});

describe('a worker that cannot start', { skip }, () => {
  /** Nobody can make a data directory there. */
  const block = (place: Place, number: number) => {
    mkdirSync(join(place.dataDir, 'workers'), { recursive: true });
    writeFileSync(join(place.dataDir, 'workers', String(number)), '');
  };

  it('is tried again after longer and longer pauses, while the others serve, and comes back', async (t) => {
    const { place, server } = await start(t, 2);
    const folder = join(place.dataDir, 'workers', '2');
    renameSync(folder, `${folder}-aside`);
    block(place, 2);
    const pid = workerPids(server).get(2) ?? 0;
    process.kill(pid, 'SIGKILL');
    const deaths = await waitFor('it died four times', async () => {
      const lines = logOf(server).filter(({ msg }) => msg === 'a worker died; another takes its place');
      return lines.length >= 4 ? lines : undefined;
    });
    const pauses = deaths.slice(-3).map(({ pauseMs }) => Number(pauseMs));
    assert.deepEqual(
      pauses,
      pauses.toSorted((a, b) => a - b),
    );
    assert.ok(new Set(pauses).size === 3, String(pauses));
    assert.match(String(deaths.at(-1)?.reason), /workers\/2 cannot be made/);
    await assertRunning(server, 1);

    rmSync(folder);
    renameSync(`${folder}-aside`, folder);
    await waitFor('it is back', async () => workerPids(server).get(2) !== pid || undefined);
    await waitFor('it serves', async () => ((await runningIn(server)) === 2 ? true : undefined));
  });

  it('ends the first start with one line, and nobody stays', async (t) => {
    const place = await makePlace('postgres');
    t.after(() => place.remove());
    block(place, 2);
    const { code, stdout, stderr } = await runCommand(['serve'], { ...place.env, PORT: '0', WORKERS: '2' });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^DATA_DIR [^\n]+\n$/);
  });

  async function runningIn(server: RunningServer): Promise<number> {
    const { checks } = (await (await fetch(`${server.url}/readyz`)).json()) as {
      checks: { workers: { running: number } };
    };
    return checks.workers.running;
  }

  async function assertRunning(server: RunningServer, running: number): Promise<void> {
    const answer = await fetch(`${server.url}/readyz`);
    assert.equal(answer.status, 200);
    const { checks } = (await answer.json()) as { checks: { workers: object } };
    assert.deepEqual(checks.workers, { ok: true, running, of: 2, silent: [] });
  }
});

describe('a worker that hangs', { skip }, () => {
  it('is named by /readyz, and what it may know is not taken for nothing', async (t) => {
    const { server } = await start(t, 2);
    const shortCode = await makePlayLink(server.url, KEY);
    const workers = await WorkerConnection.toEach(server.url, 2);
    const addresses = workers.map(() => freshAddress());
    await Promise.all(workers.map((worker, turn) => worker.tap(shortCode, addresses[turn] ?? '')));
    const pid = workerPids(server).get(1) ?? 0;
    process.kill(pid, 'SIGSTOP');
    t.after(() => process.kill(pid, 'SIGCONT'));
    const [awake, ready] = await Promise.any(
      workers.map(async (worker) => [worker, await worker.call('GET', '/readyz')] as const),
    );
    assert.equal(ready.status, 503);
    assert.deepEqual(JSON.parse(ready.body).checks.workers, { ok: false, running: 1, of: 2, silent: [1] });
    await assert.rejects(awake.install(addresses[0] ?? '', {}), /answered 503/);
    process.kill(pid, 'SIGCONT');
    await waitFor('it is ready again', async () => (await fetch(`${server.url}/readyz`)).ok || undefined);
    for (const worker of workers) worker.close();
  });
});
