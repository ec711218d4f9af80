/** The real program in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Engine, makePlace, type Place } from './engines.ts';
import { freePort } from './free-port.ts';

const MAIN = fileURLToPath(new URL('../../bin/throughline.js', import.meta.url));
/** All that a process of the program gets of our own environment. */
export const OWN_ENV = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
const START_WITHIN_MS = 90_000;
/** A command that should end and does not is killed: its code is null. */
const END_WITHIN_MS = 90_000;

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** What it wrote so far. */
  output(): string;
  /** Sends a signal and gives how the process ended. */
  end(
    signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL',
  ): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** A place with no setting but where its data is; the folder is not there yet. */
export async function makeUnconfiguredPlace(engine: Engine): Promise<Place> {
  const place = await makePlace(engine, { isEmpty: true });
  const dataDir = join(place.dataDir, 'data');
  const { LOG_LEVEL: _level, ...env } = place.env;
  return { ...place, dataDir, env: { ...env, DATA_DIR: dataDir } };
}

/** Starts `throughline serve` and waits until it is ready, which a process on a shared port tells on `METRICS_PORT`. */
export async function startServer(place: Place, env: Record<string, string> = {}): Promise<RunningServer> {
  const port = env.PORT ?? String(await freePort());
  const { child, output } = run(['serve'], { ...place.env, ...env, PORT: port });
  const url = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + START_WITHIN_MS;
  while (!(await isReady(env.METRICS_PORT === undefined ? url : `http://127.0.0.1:${env.METRICS_PORT}`))) {
    if (child.exitCode !== null || Date.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`the server did not start: ${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    pid: child.pid ?? 0,
    output,
    async end(signal) {
      const ended = exit(child);
      child.kill(signal);
      return await ended;
    },
  };
}

/** Makes a link over HTTP whose Android destination is on Play, so that a tap's answer tells the click's id. */
export async function makePlayLink(url: string, key: string): Promise<string> {
  const answer = await fetch(`${url}/v1/links`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      deepLinkPath: '/',
      androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
    }),
  });
  return ((await answer.json()) as { shortCode: string }).shortCode;
}

/** Runs one command of the program to its end. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<{ code: number | null; output: string; stdout: string; stderr: string }> {
  const { child, output, written } = run(args, env, cwd);
  const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  const { code } = await exit(child);
  clearTimeout(timer);
  return { code, output: output(), ...written };
}

/** Starts one command of the program, to be killed in the middle of it. */
export function startCommand(args: string[], env: Record<string, string>): { kill(): Promise<void> } {
  const { child } = run(args, env);
  return {
    async kill() {
      const ended = exit(child);
      child.kill('SIGKILL');
      const { signal } = await ended;
      if (signal !== 'SIGKILL') throw new Error('the command had ended before it was killed');
    },
  };
}

/** The command line that runs the program, for what must be started through something else. */
export function commandLine(...args: string[]): string {
  return [process.execPath, MAIN, ...args].map((part) => `'${part}'`).join(' ');
}

function run(args: readonly string[], env: Record<string, string>, cwd = tmpdir()) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { ...OWN_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => {
      text += chunk.toString();
      written[stream] += chunk.toString();
    });
  return { child, output: () => text, written };
}

function exit(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve({ code: child.exitCode, signal: child.signalCode });
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
}
