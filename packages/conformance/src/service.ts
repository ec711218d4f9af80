/** The service that clients are tested against: one that the runner starts, or one that the caller names. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Service {
  readonly url: URL;
  /** Makes an app for each scenario; null for a named service, whose scenarios share `keys`. */
  readonly adminToken: string | null;
  readonly keys: Keys | null;
  end(): Promise<void>;
}

export interface Keys {
  readonly liveKey: string;
  readonly sdkKey: string;
}

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'bin', 'throughline.js');
const START_WITHIN_MS = 60_000;

/** @throws outside the repository of the service. */
export async function startService(): Promise<Service> {
  if (!existsSync(PROGRAM))
    throw new Error('There is no service to start: name one with --service URL --live-key KEY --sdk-key KEY');
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-conformance-'));
  const adminToken = randomBytes(24).toString('hex');
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: { ...inherited(), ...settings(dataDir), ADMIN_TOKEN: adminToken },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const end = async () => {
    process.off('exit', kill);
    await stop(child);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    return { url: await listening(child, dataDir), adminToken, keys: null, end };
  } catch (error) {
    await end();
    throw error;
  }
}

export function namedService(url: URL, keys: Keys): Service {
  return { url, adminToken: null, keys, end: async () => undefined };
}

/** Nothing of the caller's settings. */
function inherited(): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
}

function settings(dataDir: string): Record<string, string> {
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    PUBLIC_URL: 'https://go.example.test',
    // Each scenario has an address of its own, and so its own rate limits.
    TRUST_PROXY: '1',
    LOG_LEVEL: 'error',
  };
}

/** The service writes its URL into its data directory once it listens. */
async function listening(child: ChildProcess, dataDir: string): Promise<URL> {
  const file = join(dataDir, 'server.json');
  for (let waitedMs = 0; waitedMs < START_WITHIN_MS && child.exitCode === null; waitedMs += 50) {
    if (existsSync(file)) return new URL((JSON.parse(readFileSync(file, 'utf8')) as { url: string }).url);
    await sleep(50);
  }
  throw new Error('the service did not start');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
