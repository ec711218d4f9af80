/** A site of its own, whose pages load the script of the service. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SitePage {
  readonly html: string;
  readonly policy?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Site {
  readonly url: string;
  readonly #server: Server;
  readonly #pages: Map<string, SitePage>;

  private constructor(server: Server, pages: Map<string, SitePage>) {
    this.#server = server;
    this.#pages = pages;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async serve(): Promise<Site> {
    const pages = new Map<string, SitePage>();
    const server = createServer(({ url = '' }, response) => {
      const page = pages.get(url.split('?', 1)[0] ?? '');
      if (page === undefined) return response.writeHead(404).end();
      for (const [name, value] of Object.entries(page.headers ?? {})) response.setHeader(name, value);
      response.setHeader('content-type', 'text/html; charset=utf-8');
      if (page.policy !== undefined) response.setHeader('content-security-policy', page.policy);
      response.end(page.html);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new Site(server, pages);
  }

  put(path: string, page: SitePage): void {
    this.#pages.set(path, page);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
