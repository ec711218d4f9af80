import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';

type Address = Pick<Config, 'port' | 'host'>;

/** A port on which this process listens without serving, until it is released. */
interface HeldPort {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Holds the port and closes each connection; with port 0 the system picks a free one.
 * @throws StartError when the port cannot be used.
 */
export async function holdPort({ port, host }: Address): Promise<HeldPort> {
  const holder = createServer((socket) => socket.destroy());
  await new Promise<void>((listening, reject) => {
    holder.once('error', (error) => reject(portRefused('PORT', { port, host }, error)));
    holder.listen(port, host, listening);
  });
  const bound = holder.address();
  return {
    port: typeof bound === 'object' ? (bound?.port ?? port) : port,
    release: () => new Promise((closed) => holder.close(() => closed())),
  };
}

/** @throws StartError when no port can be used on the host. */
export async function pickFreePort({ host }: Address): Promise<number> {
  const { port, release } = await holdPort({ port: 0, host });
  await release();
  return port;
}

/**
 * Fails before the database is migrated. A shared port is not checked: to hold it would take connections from the processes
 * that serve it.
 * @throws StartError when the port cannot be used.
 */
export async function checkPort(config: Config): Promise<void> {
  if (!config.reusePort) await (await holdPort(config)).release();
}

/** Another process may leave the port, and an address may come with the network. */
const MAY_PASS: ReadonlySet<string | undefined> = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EAI_AGAIN']);

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: ' Stop the process that uses it, or set another port.',
  EACCES: ' Use a port from 1024 on, or allow the service to bind this one.',
  EADDRNOTAVAIL: ' Set HOST to an address of this machine.',
  ENOTFOUND: ' Set HOST to an address of this machine.',
  ENOTSUP: ' This system cannot share a port: leave out REUSE_PORT and give each process a PORT of its own.',
};

/** Names the setting, the cause and, for the usual causes, what to do. */
export function portRefused(setting: string, { port, host }: Address, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException;
  const advice = ADVICE[code ?? ''] ?? '';
  return new StartError(`${setting} ${port} on HOST ${host} cannot be used: ${message}.${advice}`, {
    mayPass: MAY_PASS.has(code),
  });
}
