/** Starts Chromium for one test file, from the installed packages or from the system. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { DevTools } from './devtools.ts';
import { unpackChromium } from './unpack-chromium.ts';

export interface Chromium {
  readonly devtools: DevTools;
  end(): Promise<void>;
}

/** An executable and its environment variables. */
export interface Program {
  readonly path: string;
  readonly env: Record<string, string>;
}

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const ARGUMENTS = [
  '--headless',
  '--remote-debugging-pipe',
  // Sandboxing needs user namespaces, which containers lack; only the project's own pages are loaded.
  '--no-sandbox',
  '--disable-gpu',
  // `/dev/shm` has only 64 MB in containers.
  '--disable-dev-shm-usage',
  // Blocks all outgoing traffic, including the browser's own background requests.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
  // Rendering is identical on every machine that has the same fonts.
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
  '--hide-scrollbars',
];

/**
 * Starts the first Chromium that runs: `CHROMIUM`, then the packaged one, then an installed one. The browser ends with
 * this process, even if the process is killed.
 */
export async function startChromium(): Promise<Chromium | { readonly missing: string }> {
  const faults: string[] = [];
  for (const find of programs()) {
    try {
      return await start(await find());
    } catch (error) {
      faults.push((error as Error).message);
    }
  }
  return {
    missing: `no Chromium starts: install one (Debian: apt install chromium) or name one in CHROMIUM [${faults.join('; ')}]`,
  };
}

function programs(): (() => Program | Promise<Program>)[] {
  const named = process.env.CHROMIUM;
  if (named !== undefined) return [() => ({ path: named, env: {} })];
  const installed = INSTALLED.filter((path) => existsSync(path));
  return [unpackChromium, ...installed.map((path) => () => ({ path, env: {} }))];
}

async function start({ path, env }: Program): Promise<Chromium> {
  // The profile, and files that Chromium would otherwise write to the home directory.
  const home = mkdtempSync(join(tmpdir(), 'throughline-chromium-'));
  const child = spawn(path, [...ARGUMENTS, `--user-data-dir=${home}`], {
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').finally(() => rmSync(home, { recursive: true, force: true }));
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-1_000);
  });
  const devtools = new DevTools(child.stdio[3] as Writable, child.stdio[4] as Readable);
  try {
    await Promise.race([devtools.call('Browser.getVersion'), ended]);
  } catch (cause) {
    await ended.catch(() => undefined);
    throw new Error(`${path} did not start: ${complaint.trim() || (cause as Error).message}`, { cause });
  }
  return {
    devtools,
    async end() {
      await devtools.call('Browser.close').catch(() => undefined);
      await ended;
    },
  };
}
