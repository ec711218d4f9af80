/** Listening sockets that a service manager opened, as systemd does for a socket unit (sd_listen_fds(3)). */
import { Socket } from 'node:net';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';

const FIRST_DESCRIPTOR = 3;
const METRICS_NAME = 'metrics';
/** The kernel lowers it to its own limit. Node’s 511 would fill up during a restart. */
export const BACKLOG = 65_535;

/** Sockets that wait for connections already; connections that nobody accepts stay in them while no process runs. */
export interface HandedOver {
  /** In place of `HOST` and `PORT`. */
  readonly main: Socket | null;
  /** In place of `METRICS_PORT`. */
  readonly metrics: Socket | null;
  /** Why sockets that the environment names were left alone. */
  readonly warning: string | null;
}

const NONE: HandedOver = { main: null, metrics: null, warning: null };

/**
 * Takes the sockets, and their variables out of the environment, since they are not for processes that this one starts.
 * Node closes the descriptors in those.
 * @throws StartError for what is no listening TCP socket.
 */
export function takeHandedOver(env: NodeJS.ProcessEnv, pid: number = process.pid): HandedOver {
  const { LISTEN_FDS: count, LISTEN_PID: forPid, LISTEN_FDNAMES: names } = env;
  for (const name of ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES', 'LISTEN_PIDFDID']) delete env[name];
  if (count === undefined) return NONE;
  if (forPid !== String(pid)) return { ...NONE, warning: FOR_ANOTHER };
  if (!/^[1-9]\d{0,2}$/.test(count))
    throw new StartError(`LISTEN_FDS must be the number of sockets, not “${count}”.`);
  const sockets = Array.from({ length: Number(count) }, (_, index) => {
    const name = names?.split(':')[index] ?? '';
    return { name, socket: openListening(FIRST_DESCRIPTOR + index, name) };
  });
  const [metrics = null, ...moreMetrics] = sockets.filter(({ name }) => name === METRICS_NAME);
  const [main = null, ...more] = sockets.filter(({ name }) => name !== METRICS_NAME);
  if (more.length + moreMetrics.length > 0) throw new StartError(tooMany(sockets.map(({ name }) => name)));
  return { main: main?.socket ?? null, metrics: metrics?.socket ?? null, warning: null };
}

/** The settings with the addresses of the sockets in them. */
export function withAddresses(env: NodeJS.ProcessEnv, { main, metrics }: HandedOver): NodeJS.ProcessEnv {
  const { address, port } = addressOf(main);
  return {
    ...env,
    ...(main !== null && { HOST: address, PORT: String(port), REUSE_PORT: '0' }),
    ...(metrics !== null && { METRICS_PORT: String(addressOf(metrics).port) }),
  };
}

/** Settings that say something else than the sockets, with what holds in their place. */
export function withoutEffect(
  env: NodeJS.ProcessEnv,
  config: Pick<Config, 'host' | 'port' | 'metricsPort'>,
  { main, metrics }: HandedOver,
): string[] {
  const held = {
    ...(main !== null && { HOST: config.host, PORT: String(config.port) }),
    ...(metrics !== null && { METRICS_PORT: String(config.metricsPort) }),
  };
  return Object.entries(held).flatMap(([name, value]) => {
    const asked = env[name]?.trim() ?? '';
    if (asked === '' || asked === value) return [];
    return [
      `${name} has no effect: the socket that the service manager handed over has ${value}. Change the socket unit`,
    ];
  });
}

function openListening(descriptor: number, name: string): Socket {
  const refuse = (why: string) => {
    const called = name === '' ? '' : ` (“${name}”)`;
    return new StartError(
      `Descriptor ${descriptor}${called} of LISTEN_FDS ${why}. Throughline takes listening TCP sockets: ListenStream=127.0.0.1:8080 in a socket unit, without Accept=yes.`,
    );
  };
  let socket: Socket;
  try {
    socket = new Socket({ fd: descriptor, readable: false, writable: false });
  } catch {
    throw refuse('is no TCP socket');
  }
  // A Unix socket has no address here. Its callers would have none either, which matching needs.
  const { port } = addressOf(socket);
  if (port === undefined) throw refuse('is a Unix socket');
  if (socket.remoteAddress !== undefined) throw refuse('is a connection of one client');
  if (port === 0) throw refuse('has no port');
  return socket;
}

function addressOf(socket: Socket | null): { readonly address?: string; readonly port?: number } {
  return socket?.address() ?? {};
}

const FOR_ANOTHER =
  'LISTEN_FDS is ignored: LISTEN_PID names another process. Start Node itself, without a shell or npm in between';

function tooMany(names: readonly string[]): string {
  return `LISTEN_FDS hands over ${names.length} sockets (${names.join(', ')}): one for all calls, and one named “${METRICS_NAME}” are taken. For IPv4 and IPv6 use ListenStream=[::]:8080 with BindIPv6Only=both.`;
}
