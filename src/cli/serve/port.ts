import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import { FREE_WITHIN_MS, listWorkerDirs } from '../../platform/data-dir/index.ts';
import { StartError } from '../../platform/errors.ts';

/** A port that is ours until it is let go. */
interface HeldPort {
  readonly port: number;
  letGo(): Promise<void>;
}

/**
 * Holds the port without serving anybody; of `0` the system picks a free one.
 * @throws StartError when it cannot be had.
 */
export async function holdPort({ port, host }: Pick<Config, 'port' | 'host'>): Promise<HeldPort> {
  const holder = createServer((socket) => socket.destroy());
  await new Promise<void>((listening, reject) => {
    holder.once('error', reject);
    holder.listen(port, host, listening);
  }).catch((error: unknown) => {
    throw portRefused({ port, host }, error);
  });
  const bound = holder.address();
  return {
    port: typeof bound === 'object' ? (bound?.port ?? port) : port,
    letGo: () => new Promise((closed) => holder.close(() => closed())),
  };
}

const TRY_AGAIN_MS = 100;

/** @throws StartError where the port cannot be had: to be known before a database is migrated for nothing. */
export async function checkPort(config: Config): Promise<void> {
  // Workers whose supervisor was killed are about to end.
  const mayBeLeft = listWorkerDirs(resolve(config.dataDir)).length > 0;
  const untilMs = monotonicMs() + (mayBeLeft ? FREE_WITHIN_MS : 0);
  for (;;)
    try {
      return await (await holdPort(config)).letGo();
    } catch (error) {
      if (monotonicMs() >= untilMs) throw error;
      await sleep(TRY_AGAIN_MS);
    }
}

/**
 * Whether the system lets several processes listen on one port and spreads connections over them (`SO_REUSEPORT`): then
 * none of them passes on connections for others, and one that dies leaves nobody waiting.
 */
export async function canSharePort(): Promise<boolean> {
  const server = createServer();
  const listening = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port: 0, host: '127.0.0.1', exclusive: true, reusePort: true }, () => resolve(true));
  });
  return await listening.finally(() => server.close());
}

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: ' Stop what uses it, or set another PORT.',
  EACCES: ' Set a PORT from 1024 on, or let the service have this one.',
  EADDRNOTAVAIL: ' Set HOST to an address of this machine.',
  ENOTFOUND: ' Set HOST to an address of this machine.',
};

/** Says which port it is, why it cannot be had and, for the usual reasons, what to do. */
export function portRefused({ port, host }: Pick<Config, 'port' | 'host'>, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException;
  const advice = ADVICE[code ?? ''] ?? '';
  return new StartError(`PORT ${port} on HOST ${host} cannot be used: ${message}.${advice}`);
}
