/** The servers that are measured, each a process of its own on 127.0.0.1. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clicks, readPostgres, readSqlite } from './clicks.ts';
import { type CpuReading, readCpuTime } from './cpu-time.ts';
import { endWithUs, temporaryDirectory } from './temporary.ts';
import { LINKS, shortCode } from './visitors.ts';

export interface Server extends AsyncDisposable {
  readonly port: number;
}

export interface Service extends Server {
  readonly pid: number;
  /** The address of its PostgreSQL database, or the path of its SQLite file. */
  readonly database: string;
  readonly clicks: Clicks;
  memoryMb(): number;
  /** What it has taken of the processors so far; null where that is not known. */
  cpuTime(): Promise<CpuReading | null>;
  /** What it says at `/metrics`, by name and labels as they stand there. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  /** How long its oldest click on disk has waited for the database. */
  behindMs(): Promise<number>;
}

/** @param file `bare.ts`, or that of the server that has a line of each request on disk first. */
export async function startBare(file: 'bare.ts' | 'bare-synced.ts' = 'bare.ts'): Promise<Server> {
  const child = fork(join(import.meta.dirname, file));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { port, [Symbol.asyncDispose]: () => stop(child) };
}

/**
 * The real service, as `npm start` runs it, with links that lead every visitor somewhere.
 * @param ownSettings beside those that all benches have.
 */
export async function startService(
  databaseUrl: string | null,
  ownSettings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const dataDir = temporaryDirectory('service');
  const child = spawn(process.execPath, startArguments(), {
    cwd: join(import.meta.dirname, '..'),
    env: {
      ...settings(dataDir),
      ...ownSettings,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    },
    // Warnings are seen, and stdout is the report's alone.
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
  });
  endWithUs(child);
  const url = await listening(child, dataDir);
  for (let link = 0; link < LINKS; link++) await createLink(url, link);
  const database = databaseUrl ?? join(dataDir, 'throughline.db');
  const clicks = databaseUrl === null ? readSqlite(database) : await readPostgres(database);
  return {
    pid: child.pid ?? 0,
    port: Number(new URL(url).port),
    database,
    clicks,
    memoryMb: () => residentMb(child),
    cpuTime: async () => readCpuTime(child.pid ?? 0, await clicks.servers()),
    metrics: () => readMetrics(url, dataDir),
    behindMs: async () => behindMs(await readMetrics(url, dataDir)),
    async [Symbol.asyncDispose]() {
      await clicks.close();
      await stop(child);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What `npm start` gives to node. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').slice(2);
}

export const LIVE_KEY = 'svc_live_benchbenchbenchbench';
export const SDK_KEY = 'svc_live_pub_benchbenchbenchbench';
export const SECRET_KEY = 'a secret of the benchmark alone';

/** Nothing else of the environment comes in, so that a run is the same everywhere. */
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

const START_WITHIN_MS = 20_000;

/** The service writes its address into its data directory once it listens. */
async function listening(child: ChildProcess, dataDir: string): Promise<string> {
  const file = join(dataDir, 'server.json');
  for (let waitedMs = 0; waitedMs < START_WITHIN_MS; waitedMs += 50) {
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { url: string }).url;
    if (child.exitCode !== null) break;
    await wait(50);
  }
  throw new Error('the service did not start');
}

async function createLink(url: string, link: number): Promise<void> {
  const answer = await fetch(`${url}/v1/links`, {
    method: 'POST',
    headers: { 'x-api-key': LIVE_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      shortCode: shortCode(link),
      deepLinkPath: `/products/${link}`,
      deepLinkParams: { product: link, source: 'newsletter' },
      campaignId: `campaign-${link % 7}`,
      iosDestination: `https://apps.apple.com/app/id${1_000_000_000 + link}`,
      androidDestination: `https://play.google.com/store/apps/details?id=com.example.app${link}`,
      fallbackUrl: `https://www.example.com/products/${link}`,
    }),
  });
  if (answer.status !== 201) throw new Error(`a link was not created: ${await answer.text()}`);
}

async function readMetrics(url: string, dataDir: string): Promise<ReadonlyMap<string, number>> {
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const lines = (await answer.text()).matchAll(/^([^#\s]\S*) (\S+)$/gm);
  return new Map(Array.from(lines, ([, name = '', value]) => [name, Number(value)]));
}

function behindMs(metrics: ReadonlyMap<string, number>): number {
  const seconds = metrics.get('throughline_clicks_behind_seconds');
  if (seconds === undefined) throw new Error('the service does not say how far its database is behind');
  return seconds * 1_000;
}

function residentMb({ pid }: ChildProcess): number {
  const status = `/proc/${pid}/status`;
  const kib = existsSync(status)
    ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kib) / 1024;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
