/** Runs the real program in a child process. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Call, Outcome } from './command-process.ts';
import { type Engine, makePlace, type Place } from './engines.ts';
import { freePort } from './free-port.ts';

/** `THROUGHLINE_PROGRAM=build/throughline/throughline.js` tests the bundle. */
const BUNDLED = process.env.THROUGHLINE_PROGRAM;
const MAIN = resolve(BUNDLED ?? fileURLToPath(new URL('../../bin/throughline.js', import.meta.url)));
/** The only variables of the test's environment that the child inherits. */
export const OWN_ENV = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
const START_WITHIN_MS = 90_000;
/** A command that does not end in time is killed; its exit code is then null. */
const END_WITHIN_MS = 90_000;

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** Output so far. */
  output(): string;
  /** Sends a signal and waits for the exit. */
  end(
    signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL',
  ): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** A place with only the data directory configured; the folder does not exist yet. */
export async function makeUnconfiguredPlace(engine: Engine): Promise<Place> {
  const place = await makePlace(engine, { isEmpty: true });
  const dataDir = join(place.dataDir, 'data');
  const { LOG_LEVEL: _level, ...env } = place.env;
  return { ...place, dataDir, env: { ...env, DATA_DIR: dataDir } };
}

/**
 * Starts `throughline serve` and waits until it is ready; a process on a shared port reports readiness on
 * `METRICS_PORT`.
 */
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

/**
 * Creates a link over HTTP with an Android destination on Play, so that the response to a tap carries the click's ID.
 */
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

/** Runs one command of the program to completion. */
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

let caller: ChildProcess | undefined;
let lastCall: Promise<unknown> = Promise.resolve();

/**
 * Like `runCommand`, in a process that has loaded the sources: for tests that need no process of their own. A bundle is
 * always tested in one.
 */
export function callCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Omit<Outcome, 'code'> & { code: number | null }> {
  if (BUNDLED !== undefined) return runCommand(args, env);
  const call = lastCall.then(() => sendCall({ args, env: { ...OWN_ENV, ...env }, cwd: tmpdir() }));
  lastCall = call.catch(() => undefined);
  return call;
}

/** The process ends with that of the test, which waits for it only while a command runs. */
async function sendCall(call: Call): Promise<Outcome> {
  caller ??= fork(new URL('command-process.ts', import.meta.url), { execArgv: [], env: OWN_ENV });
  const child = caller;
  child.ref();
  child.channel?.ref();
  const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(() => {
    caller = undefined;
    throw new Error(`The process ended before the command did: ${call.args.join(' ')}`);
  });
  child.send(call);
  const [outcome] = (await Promise.race([once(child, 'message', { signal }), ended]).finally(() => {
    clearTimeout(timer);
    over.abort();
    ended.catch(() => undefined);
  })) as [Outcome];
  child.unref();
  child.channel?.unref();
  return outcome;
}

/** Starts one command of the program, for tests that end it while it runs. */
export function startCommand(
  args: string[],
  env: Record<string, string>,
): {
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Output so far. */
  output(): string;
  /** Sends a signal that the command handles, and waits for its end. */
  interrupt(): Promise<{ code: number | null; stdout: string; stderr: string }>;
} {
  const { child, output, written } = run(args, env);
  return {
    output,
    async interrupt() {
      const ended = exit(child);
      child.kill('SIGINT');
      const { code } = await ended;
      return { code, ...written };
    },
    async kill(sent = 'SIGKILL') {
      const ended = exit(child);
      child.kill(sent);
      const { signal } = await ended;
      if (signal !== sent) throw new Error('the command ended before the test killed it');
    },
  };
}

/** The command line of the program, for tests that start it through a wrapper. */
export function commandLine(...args: string[]): string {
  return [process.execPath, MAIN, ...args].map((part) => `'${part}'`).join(' ');
}

/** `TEST_PROGRAM` in the environment names another program. */
function run(args: readonly string[], env: Record<string, string>, cwd = tmpdir()) {
  const { TEST_PROGRAM: program = MAIN, ...own } = env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...OWN_ENV, ...own },
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
