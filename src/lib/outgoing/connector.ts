import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { SECOND_MS } from '../clock.ts';

const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;

/** Opens and tracks the connections of the agent. */
interface Connector {
  readonly connect: buildConnector.connector;
  /** Includes connections in progress, which the agent would leave until they time out. */
  destroyAll(): void;
}

/** Node does not call `lookup` for an IP address in a URL: the caller checks those. */
export function createConnector(
  lookup: LookupFunction,
  { verifiesCertificates }: { verifiesCertificates: boolean },
): Connector {
  const open = new Set<Socket>();
  const connect = buildConnector({
    lookup,
    // Makes Node ask `lookup` for all addresses.
    autoSelectFamily: true,
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    rejectUnauthorized: verifiesCertificates,
    // The type omits the returned socket. The option `signal` would keep all sockets in memory.
  }) as (...args: Parameters<buildConnector.connector>) => Socket;
  return {
    connect(options, callback) {
      const socket = connect(options, callback);
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    },
    destroyAll() {
      for (const socket of open) socket.destroy();
    },
  };
}
