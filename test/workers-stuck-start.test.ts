import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pino from 'pino';
import { Workers } from '../src/platform/workers/index.ts';
import { ALIVE_EVERY_MS } from '../src/platform/workers/messages.ts';
import { waitFor } from './wait-for.ts';

const MINUTE_MS = 60_000;

interface Line {
  readonly msg: string;
  readonly pid: number;
}

describe('a worker', () => {
  it('that does not come to the end of its start within two minutes is killed, and another takes its place', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'throughline-stuck-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const starts = join(directory, 'starts');
    const pids = () => readFileSync(starts, 'utf8').trim().split('\n').map(Number);
    cluster.setupPrimary({
      exec: join(import.meta.dirname, 'stuck-start-process.ts'),
      args: [starts],
      execArgv: [],
    });
    const lines: Line[] = [];
    const log = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) });
    const killed = () => lines.filter(({ msg }) => msg.includes('hangs')).map(({ pid }) => pid);
    let laterMs = 0;
    const now = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => now() + laterMs);

    const workers = new Workers({ count: 1, env: {}, log });
    t.after(() => workers.kill());
    await workers.start();
    await workers.listen();
    const [first = 0] = pids();
    process.kill(first, 'SIGKILL');
    const stuck = await waitFor('a second start', async () => pids()[1]);
    laterMs = 1.9 * MINUTE_MS;
    await wait(2 * ALIVE_EVERY_MS);
    assert.deepEqual(killed(), []);

    laterMs = 2 * MINUTE_MS;
    const third = await waitFor('a third start', async () => pids()[2]);
    assert.deepEqual(killed(), [stuck]);
    await waitFor('its end', async () =>
      lines.find(({ msg, pid }) => msg === 'a worker is ready' && pid === third),
    );
    assert.equal(await workers.stop(), true);
  });
});
