/** From the start of the process to the first ready answer: `npm start` of the sources and the bundle, in turns. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/helpers/free-port.ts';
import { median, table } from '../lib/markdown.ts';
import { killOnExit, temporaryDirectory } from '../lib/temporary.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'build/throughline/throughline.js');
const STARTS = { whole: 7, quick: 1 };
const ASK_EVERY_MS = 5;
const KIB_PER_MIB = 1_024;

interface Start {
  readonly ms: number;
  /** Of the service process; null where another process starts it. */
  readonly residentMiB: number | null;
}

export async function benchStart({ isQuick }: { isQuick: boolean }): Promise<string> {
  if (!existsSync(PROGRAM)) throw new Error('There is no bundle. Run “npm run bundle” first.');
  const ways = {
    sources: { command: 'npm', args: ['start'], dataDir: temporaryDirectory('start-sources') },
    bundle: {
      command: process.execPath,
      args: ['--max-semi-space-size=16', PROGRAM, 'serve'],
      dataDir: temporaryDirectory('start-bundle'),
    },
  };
  // The first start makes the database, the second one leaves compiled code.
  for (const way of Object.values(ways)) for (const _ of [1, 2]) await start(way);
  const starts: Record<keyof typeof ways, Start[]> = { sources: [], bundle: [] };
  for (let turn = 0; turn < (isQuick ? STARTS.quick : STARTS.whole); turn++)
    for (const name of ['sources', 'bundle'] as const) starts[name].push(await start(ways[name]));
  const medianOf = (list: readonly Start[]) => median(list.map(({ ms }) => ms));
  const [sources, bundle] = [medianOf(starts.sources), medianOf(starts.bundle)];
  const resident = median(starts.bundle.map(({ residentMiB }) => residentMiB ?? 0));
  return `${table(
    ['', 'ready after, ms (median)', 'of `npm start`'],
    [
      ['`npm start`', sources.toFixed(0), '1'],
      ['the bundle', bundle.toFixed(0), (bundle / sources).toFixed(2)],
    ],
  )}

The bundle has ${resident.toFixed(0)} MiB resident then. Medians of ${starts.bundle.length} starts in turns, with a database and compiled code of earlier starts.
`;
}

async function start(way: { command: string; args: readonly string[]; dataDir: string }): Promise<Start> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(way.command, way.args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: way.dataDir, DATA_DIR: way.dataDir, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  killOnExit(child);
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`The start failed with code ${child.exitCode}.`);
    await sleep(ASK_EVERY_MS);
  }
  const ms = performance.now() - began;
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return { ms, residentMiB: way.command === 'npm' ? null : Number(kib) / KIB_PER_MIB };
}

async function isReady(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
}
