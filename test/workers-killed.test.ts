/** Workers, or the process that supervises them, are killed under load: whatever was acknowledged is there, once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { assertCounted } from './counts.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { Load } from './load.ts';
import { makePlayLink, type RunningServer } from './process.ts';
import { journalFiles, queryStored } from './stored.ts';
import { waitFor } from './wait-for.ts';
import {
  ADMIN_TOKEN,
  KEY,
  lives,
  logOf,
  startWorkers,
  WorkerConnection,
  workerPids,
} from './workers-scene.ts';
import { freshAddress, IPHONE } from './world.ts';

const WORKERS = 4;
const skip = !engines.includes('postgres');

async function assertStoredOnce(place: Place, acknowledged: readonly string[]): Promise<void> {
  assert.equal(new Set(acknowledged).size, acknowledged.length);
  const rows = await queryStored(place, 'select id from clicks');
  const stored = new Set(rows.map(({ id }) => id));
  assert.equal(stored.size, rows.length);
  const lost = acknowledged.filter((clickId) => !stored.has(clickId));
  assert.equal(lost.length, 0, `${lost.length} of ${acknowledged.length} acknowledged clicks are lost`);
  assert.deepEqual(journalFiles(place), []);
  await assertCounted(place);
}

/** Waits until another process has the killed one's place. */
async function successorOf(server: RunningServer, worker: number, pid: number): Promise<void> {
  await waitFor(
    `worker ${worker} is replaced`,
    async () => workerPids(server).get(worker) !== pid || undefined,
  );
}

describe('four workers that are killed, one after the other, under load', { skip }, () => {
  const KILLS = 5;
  let place: Place;
  let server: RunningServer;
  let load: Load;
  let ended: { code: number | null };
  const totals: number[] = [];

  async function recordedClicks(): Promise<number> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    // Some connections of before are the killed worker's.
    const text = await waitFor('somebody gives the metrics', () =>
      fetch(`${server.url}/metrics`, { headers }).then(
        (answer) => answer.text(),
        () => undefined,
      ),
    );
    return Number(/^throughline_clicks_recorded_total\{visitor="human"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  before(async () => {
    place = await makePlace('postgres');
    server = await startWorkers(place, WORKERS);
    const shortCodes = [await makePlayLink(server.url, KEY), await makePlayLink(server.url, KEY)];
    load = new Load({ url: server.url, key: KEY, shortCodes, taps: 20, installs: 3, outlivesBreaks: true });
    for (let kill = 1; kill <= KILLS; kill++) {
      await load.reaches(150 * kill, 4 * kill);
      totals.push(await recordedClicks());
      const number = (kill % WORKERS) + 1;
      const pid = workerPids(server).get(number) ?? 0;
      process.kill(pid, 'SIGKILL');
      totals.push(await recordedClicks());
      await successorOf(server, number, pid);
    }
    await load.reaches(150 * (KILLS + 1), 4 * (KILLS + 1));
    totals.push(await recordedClicks());
    await load.stop();
    ended = await server.end('SIGTERM');
  });
  after(async () => {
    await server?.end('SIGKILL');
    await place?.remove();
  });

  it('have every click whose 302 arrived, once, and an empty journal each', async () => {
    assert.deepEqual(ended, { code: 0, signal: null });
    await assertStoredOnce(place, load.clickIds);
  });

  it('have every install whose 200 arrived, with the method it was answered', async () => {
    const rows = await queryStored(place, 'select id, attribution_method from installs');
    const stored = new Map(rows.map(({ id, attribution_method: method }) => [id, method]));
    assert.equal(stored.size, rows.length);
    for (const { installId, answer } of load.answeredInstalls)
      assert.equal(stored.get(installId), answer?.method);
  });

  it('were each replaced, with a longer pause where one died again at once', () => {
    const deaths = logOf(server).filter(({ msg }) => msg === 'a worker died; another takes its place');
    assert.deepEqual(
      deaths.map(({ worker, signal }) => [worker, signal]),
      Array.from({ length: KILLS }, (_, index) => [((index + 1) % WORKERS) + 1, 'SIGKILL']),
    );
    assert.equal(deaths[0]?.pauseMs, 0);
  });

  it('never take back in their metrics what they had counted', () => {
    assert.deepEqual(
      totals,
      totals.toSorted((a, b) => a - b),
    );
    assert.ok(totals.every((total) => total > 0));
  });
});

describe('a worker that dies right after a tap', { skip }, () => {
  it('leaves a click that its siblings find, by the looks of the phone alone', async (t) => {
    const place = await makePlace('postgres');
    const server = await startWorkers(place, 3);
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    const shortCode = await makePlayLink(server.url, KEY);
    const workers = await WorkerConnection.toEach(server.url, 3);
    const addresses = workers.map(() => freshAddress());
    const headers = { 'user-agent': IPHONE, 'accept-language': 'en-US,en;q=0.9' };
    const [pid = 0] = workerPids(server).values();
    const taps = () =>
      workers.map((worker, turn) =>
        worker.call('GET', `/l/${shortCode}`, { from: addresses[turn] ?? '', headers }),
      );
    const letGo = await holdClicksBack(place);
    await Promise.all(taps());
    process.kill(pid, 'SIGKILL');
    await letGo();
    const [alive] = await WorkerConnection.toEach(server.url, 1);
    // Where its successor takes long to start, the SDK is told to come back: an install is never organic for that.
    for (const from of addresses) {
      const look = () => alive?.install(from, {}).catch(() => undefined);
      assert.equal((await waitFor('the install is answered', async () => look()))?.method, 'FINGERPRINT');
    }
    for (const worker of [...workers, alive]) worker?.close();
  });
});

describe('a worker that hangs', { skip }, () => {
  it('is killed and replaced, and what it had acknowledged is there, once', async (t) => {
    const place = await makePlace('postgres');
    const server = await startWorkers(place, 2);
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    const load = new Load({
      url: server.url,
      key: KEY,
      shortCodes: [await makePlayLink(server.url, KEY)],
      taps: 20,
      installs: 2,
      outlivesBreaks: true,
    });
    await load.reaches(200, 2);
    const pid = workerPids(server).get(2) ?? 0;
    // As a loop without end would: it says nothing, and keeps its port and its connections.
    process.kill(pid, 'SIGSTOP');
    await successorOf(server, 2, pid);
    assert.equal(lives(pid), false);
    await load.stop();
    assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
    assert.ok(
      logOf(server).some(({ msg, worker }) => msg === 'a worker hangs: it is killed' && worker === 2),
    );
    await assertStoredOnce(place, load.clickIds);
  });
});

/** From now on no click gets into the database; gives what ends that, and what waits for it meanwhile. */
async function holdClicksBack(place: Place): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: place.databaseUrl ?? '' });
  await holder.connect();
  await holder.query('begin; lock table clicks in share row exclusive mode');
  return async () => {
    // The database would do what a process asked for that is gone.
    await holder.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    await holder.end();
  };
}

describe('workers whose supervisor is killed under load', { skip }, () => {
  it('end by themselves, and a new start has the port, the folder and every click at once', async (t) => {
    const place = await makePlace('postgres');
    let server = await startWorkers(place, WORKERS);
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    const shortCodes = [await makePlayLink(server.url, KEY)];
    const load = new Load({ url: server.url, key: KEY, shortCodes, taps: 40, installs: 2 });
    await load.reaches(300, 5);
    const pids = [...workerPids(server).values()];
    await server.end('SIGKILL');
    await load.stop();
    const port = new URL(server.url).port;
    server = await startWorkers(place, WORKERS, { PORT: port });
    assert.deepEqual(pids.filter(lives), []);
    assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
    await assertStoredOnce(place, load.clickIds);
  });
});
