/** Starts the measured servers, each as a process on 127.0.0.1. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CpuReading, readCpuTime } from './cpu-time.ts';
import { type DatabaseReader, listServerPids, openReader } from './database.ts';
import { killOnExit, temporaryDirectory } from './temporary.ts';
import { LINKS, shortCode } from './visitors.ts';

export interface Server extends AsyncDisposable {
  readonly port: number;
}

export interface Service extends Server {
  readonly pid: number;
  /** URL of the PostgreSQL database, or path of the SQLite file. */
  readonly database: string;
  readonly reader: DatabaseReader;
  /** Null without `/proc`. */
  cpuTime(): Promise<CpuReading | null>;
  /** From `/metrics`, by name with labels. @returns a function that throws for a missing metric. */
  metrics(): Promise<(name: string) => number>;
}

/** @param file `bare-synced.ts` writes a line to disk before each response. */
export async function startBare(
  file: 'redirects/bare.ts' | 'redirects/bare-synced.ts' = 'redirects/bare.ts',
): Promise<Server> {
  const child = fork(join(import.meta.dirname, '..', file));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { port, [Symbol.asyncDispose]: () => stop(child) };
}

/**
 * Starts the service as `npm start` does, and creates its links.
 * @param ownSettings additional environment variables.
 * @param fill writes to the database while the service is stopped.
 */
export async function startService(
  databaseUrl: string | null,
  ownSettings: Readonly<Record<string, string>> = {},
  fill?: (database: string) => Promise<void>,
): Promise<Service> {
  const dataDir = temporaryDirectory('service');
  const env = {
    ...settings(dataDir),
    ...ownSettings,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
  };
  const database = databaseUrl ?? join(dataDir, 'throughline.db');
  let { child, url } = await startProcess(env, dataDir);
  for (let link = 0; link < LINKS; link++) await createLink(portOf(url), link);
  if (fill !== undefined) {
    await stop(child);
    await fill(database);
    ({ child, url } = await startProcess(env, dataDir));
  }
  const port = portOf(url);
  const reader = await openReader(database);
  return {
    pid: child.pid ?? 0,
    port,
    database,
    reader,
    cpuTime: async () => readCpuTime(child.pid ?? 0, await listServerPids(reader)),
    metrics: () => readMetrics(url, dataDir),
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]();
      await stop(child);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function startProcess(env: NodeJS.ProcessEnv, dataDir: string) {
  rmSync(serverFile(dataDir), { force: true });
  const child = spawn(process.execPath, startArguments(), {
    cwd: join(import.meta.dirname, '..', '..'),
    env,
    // stdout is for the report only.
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
  });
  killOnExit(child);
  return { child, url: await waitUntilListening(child, dataDir) };
}

function serverFile(dataDir: string): string {
  return join(dataDir, 'server.json');
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Arguments of node in `npm start`. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  ) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').slice(2);
}

export const LIVE_KEY = 'svc_live_benchbenchbenchbench';
export const SDK_KEY = 'svc_live_pub_benchbenchbenchbench';
export const SECRET_KEY = 'a secret for the benchmark only';

/** The whole environment: nothing is inherited, so that runs are comparable. */
function settings(dataDir: string): NodeJS.ProcessEnv {
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    TRUST_PROXY: '1',
    LOG_LEVEL: 'warn',
    SECRET_KEY,
    BOOTSTRAP_LIVE_KEY: LIVE_KEY,
    BOOTSTRAP_SDK_KEY: SDK_KEY,
  };
}

const START_TIMEOUT_MS = 120_000;

/** The service writes its URL into its data directory once it listens. */
async function waitUntilListening(child: ChildProcess, dataDir: string): Promise<string> {
  const file = serverFile(dataDir);
  for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS; waitedMs += 50) {
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { url: string }).url;
    if (child.exitCode !== null) break;
    await wait(50);
  }
  throw new Error('the service did not start');
}

/** Calls the API with the live key. @throws for an error status. */
export async function callApi<T>(
  { port }: Pick<Server, 'port'>,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'x-api-key': LIVE_KEY, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status} of ${method} ${path}: ${text}`);
  return (text === '' ? null : JSON.parse(text)) as T;
}

async function createLink(port: number, link: number): Promise<void> {
  await callApi({ port }, 'POST', '/v1/links', {
    shortCode: shortCode(link),
    deepLinkPath: `/products/${link}`,
    deepLinkParams: { product: link, source: 'newsletter' },
    campaignId: `campaign-${link % 7}`,
    iosDestination: `https://apps.apple.com/app/id${1_000_000_000 + link}`,
    androidDestination: `https://play.google.com/store/apps/details?id=com.example.app${link}`,
    fallbackUrl: `https://www.example.com/products/${link}`,
  });
}

async function readMetrics(url: string, dataDir: string): Promise<(name: string) => number> {
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const lines = (await response.text()).matchAll(/^([^#\s]\S*) (\S+)$/gm);
  const metrics = new Map(Array.from(lines, ([, name = '', value]) => [name, Number(value)]));
  return (name) => {
    const value = metrics.get(name);
    if (value === undefined) throw new Error(`missing metric ${name}`);
    return value;
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
