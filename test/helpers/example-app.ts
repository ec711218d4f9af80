/** The example shop in a browser: React Native for web, bundled from the sources and served from a site of its own. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { build } from 'rolldown';

const MODULES = ['react', 'react-dom'];

export class ExampleApp {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async serve(environment: Readonly<Record<`EXPO_PUBLIC_${string}`, string>>): Promise<ExampleApp> {
    const script = await bundle(environment);
    const server = createServer(({ url }, response) => {
      if (url === '/app.js') response.setHeader('content-type', 'text/javascript').end(script);
      else
        response
          .setHeader('content-type', 'text/html')
          .end('<!doctype html><title>Shop</title><div id="root"></div><script src="/app.js"></script>');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new ExampleApp(server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

async function bundle(environment: Readonly<Record<string, string>>): Promise<string> {
  const { output } = await build({
    input: 'examples/expo/index.web.js',
    platform: 'browser',
    write: false,
    // The optional modules are not installed here.
    logLevel: 'silent',
    resolve: {
      alias: {
        'react-native': resolve('node_modules/react-native-web'),
        '@throughline/react-native': resolve('packages/react-native/src/index.ts'),
        '@throughline/core': resolve('packages/core/src/index.ts'),
        // The example may have its own, and an app has one React.
        ...Object.fromEntries(MODULES.map((name) => [name, resolve('node_modules', name)])),
      },
    },
    transform: {
      define: {
        'process.env.NODE_ENV': '"production"',
        ...Object.fromEntries(
          Object.entries(environment).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]),
        ),
      },
    },
    output: { format: 'iife' },
  });
  return output[0].code;
}
