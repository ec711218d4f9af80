/**
 * A process that holds a listening socket, as systemd does, and starts the program again and again with it. The socket is
 * descriptor 3 of the shell and of the program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from './engines.ts';
import { commandLine, OWN_ENV } from './process.ts';
import { waitFor } from './wait-for.ts';

/** `exec`, since `LISTEN_PID` names the process itself. */
const START = `LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=throughline.socket; export LISTEN_PID LISTEN_FDS LISTEN_FDNAMES
echo $$ > "$PID_FILE"; exec`;

export interface HeldServer {
  readonly url: string;
  /** Of the process that runs now. */
  pid(): number;
  output(): string;
  /** Ends the process that runs now, and waits until the next one has taken its place and is ready. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

/** Waits until the first process is ready. */
export async function startWithHeldSocket(
  place: Place,
  port: number,
  env: Record<string, string> = {},
): Promise<HeldServer> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-held-'));
  const pidFile = join(folder, 'pid');
  const listener = await listen(port);
  const holder = spawn('sh', ['-c', `while :; do sh -c '${START} ${quoted(commandLine('serve'))}'; done`], {
    cwd: folder,
    env: { ...OWN_ENV, ...place.env, ...env, PID_FILE: pidFile },
    stdio: ['ignore', 'pipe', 'pipe', descriptorOf(listener)],
  });
  // This process would accept connections otherwise.
  listener.close();
  let output = '';
  for (const stream of [holder.stdout, holder.stderr]) stream?.on('data', (part) => (output += part));
  const url = `http://127.0.0.1:${port}`;
  const pid = () => Number(readFileSync(pidFile, 'utf8'));
  await isReady(url);
  return {
    url,
    pid,
    output: () => output,
    async restart() {
      const before = pid();
      process.kill(before, 'SIGTERM');
      await waitFor('the next process', () => (pid() === before ? undefined : true));
      await isReady(url);
    },
    async end() {
      const ended = once(holder, 'close');
      holder.kill('SIGKILL');
      process.kill(pid(), 'SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1', 4_096);
  await once(server, 'listening');
  return server;
}

/** Node passes an open socket on to its own children only, so the descriptor is read from its internals. */
function descriptorOf(server: Server): number {
  return (server as Server & { readonly _handle: { readonly fd: number } })._handle.fd;
}

/** A shell's single quotes within single quotes. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

async function isReady(url: string): Promise<void> {
  await waitFor('the service to be ready', async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    return answer?.ok || undefined;
  });
}
