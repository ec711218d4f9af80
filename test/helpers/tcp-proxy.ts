/** A TCP proxy between a service and its database that a test can interrupt. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
  readonly #target: { host: string; port: number };
  #server: Server | undefined;
  #port = 0;
  #silent = false;
  readonly #sockets = new Set<Socket>();

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
  }

  /** Forwards to the server in `url`. */
  static async open(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) });
    await proxy.restore();
    return proxy;
  }

  /** The same URL, with the proxy's host and port. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.#port);
    return changed.href;
  }

  /** Breaks every connection and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  /** Keeps and accepts connections but forwards no bytes, like a network that drops packets. */
  fallSilent(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** New connections work; silent ones stay silent, as if another machine had taken over the address. */
  takeAnew(): void {
    this.#silent = false;
  }

  async restore(): Promise<void> {
    this.#silent = false;
    for (const socket of this.#sockets) socket.resume();
    if (this.#server !== undefined) return;
    const server = createServer((socket) => this.#join(socket));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    this.#port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    this.#server = server;
  }

  #join(near: Socket): void {
    const far = connect(this.#target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#silent) from.pause();
    }
  }
}
