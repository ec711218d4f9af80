import { createServer } from 'node:net';
import type { Config } from '../../platform/config.ts';
import { StartError } from '../../platform/errors.ts';

/** A port that is ours until it is let go. */
export interface HeldPort {
  readonly port: number;
  letGo(): Promise<void>;
}

/**
 * Holds the port without serving anybody; of `0` the system picks a free one.
 * @throws StartError when it cannot be had.
 */
export async function holdPort({ port, host }: Pick<Config, 'port' | 'host'>): Promise<HeldPort> {
  const holder = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw portRefused({ port, host }, error);
  });
  const bound = holder.address();
  return {
    port: typeof bound === 'object' ? (bound?.port ?? port) : port,
    letGo: () => new Promise((resolve) => holder.close(() => resolve())),
  };
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

export function portRefused({ port, host }: Pick<Config, 'port' | 'host'>, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException;
  const advice = code === 'EADDRINUSE' ? ' Stop what uses it, or set another PORT.' : '';
  return new StartError(`PORT ${port} on HOST ${host} cannot be used: ${message}.${advice}`);
}
