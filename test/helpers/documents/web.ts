/** The hosts of the guide behind one port with TLS: the service, and stand-ins for other services. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certify } from '../certify.ts';

export type Answer = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
};

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' });
/** Of all hosts of the guide. */
export const CERTIFICATE = certify(privateKey, publicKey, '*.example.com', '20260101', '20490101');

export class Web {
  /** By host; others are the service. */
  readonly hosts = new Map<string, (path: string) => Answer>();
  /** The address of the service. */
  service = '';
  readonly #server: Server;

  constructor() {
    this.#server = createServer({ key: KEY, cert: CERTIFICATE }, (call, response) =>
      this.#answer(call, response),
    );
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close().closeAllConnections();
  }

  #answer(call: IncomingMessage, response: ServerResponse): void {
    const { method, url: path = '/', headers } = call;
    const other = this.hosts.get(headers.host ?? '');
    if (other !== undefined) {
      const { status, headers: own, body } = other(path);
      response.writeHead(status, own).end(typeof body === 'string' ? body : JSON.stringify(body));
      return;
    }
    const forwarded = { ...headers, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    const inner = request(this.service + path, { method, headers: forwarded }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    inner.on('error', () => response.destroy());
    response.on('close', () => inner.destroy());
    call.pipe(inner);
  }
}
