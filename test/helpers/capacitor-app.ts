/** A Capacitor app in a browser: the package bundled from its sources, served from a site of its own at every path. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { build } from 'rolldown';

export class CapacitorApp {
  /** With the port. */
  readonly host: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
  }

  static async serve(): Promise<CapacitorApp> {
    const script = await bundle();
    const server = createServer(({ url }, response) => {
      const [type, text] =
        url === '/app.js'
          ? ['text/javascript', script]
          : ['text/html', '<!doctype html><title>Shop</title><script src="/app.js"></script>'];
      response.setHeader('content-type', type).end(text);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new CapacitorApp(server);
  }

  get url(): string {
    return `http://${this.host}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

async function bundle(): Promise<string> {
  const { output } = await build({
    input: 'packages/capacitor/test/page.ts',
    platform: 'browser',
    write: false,
    resolve: { alias: { '@throughline/core': resolve('packages/core/src/index.ts') } },
    output: { format: 'iife' },
  });
  return output[0].code;
}
