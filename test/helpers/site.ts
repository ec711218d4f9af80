/** A site of its own, with pages and scripts of a test. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface SitePage {
  readonly html: string;
  readonly policy?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface SiteScript {
  readonly script: string;
}

export class Site {
  /** With the port. */
  readonly host: string;
  readonly #server: Server;
  readonly #pages: Map<string, SitePage | SiteScript>;

  private constructor(server: Server, pages: Map<string, SitePage | SiteScript>) {
    this.#server = server;
    this.#pages = pages;
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** An app of one script, at every path. @param body what the script needs. */
  static async serveApp(script: string, body = ''): Promise<Site> {
    const site = await Site.serve();
    site.put('/app.js', { script });
    site.put('*', { html: `<!doctype html><title>Shop</title>${body}<script src="/app.js"></script>` });
    return site;
  }

  static async serve(): Promise<Site> {
    const pages = new Map<string, SitePage | SiteScript>();
    const server = createServer(({ url = '' }, response) => {
      const page = pages.get(url.split('?', 1)[0] ?? '') ?? pages.get('*');
      if (page === undefined) return response.writeHead(404).end();
      if ('script' in page) return response.setHeader('content-type', 'text/javascript').end(page.script);
      for (const [name, value] of Object.entries(page.headers ?? {})) response.setHeader(name, value);
      response.setHeader('content-type', 'text/html; charset=utf-8');
      if (page.policy !== undefined) response.setHeader('content-security-policy', page.policy);
      response.end(page.html);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new Site(server, pages);
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** @param path `*` is every other one. */
  put(path: string, page: SitePage | SiteScript): void {
    this.#pages.set(path, page);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
