import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { SECOND_MS } from '../clock.ts';

const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;

/** Makes the agent's connections, and knows which are open. */
interface Connector {
  readonly connect: buildConnector.connector;
  /** Ends all of them at once, also those still being made, which the agent itself would leave to their time. */
  destroyAll(): void;
}

/** A connection goes where `lookup` says; an IP address in the URL never comes before it. */
export function createConnector(lookup: LookupFunction): Connector {
  const open = new Set<Socket>();
  const connect = buildConnector({
    lookup,
    // With this, `lookup` is always asked for all addresses.
    autoSelectFamily: true,
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    rejectUnauthorized: true,
    // The socket is given back, though the type does not say so. The option `signal` would do without, but keeps every
    // socket in memory for as long as the signal lives.
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
