/** A server on loopback in the place of a product that tests cannot call. It answers as the product’s documentation says. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OutgoingCall } from '../../src/webhooks/destinations/destination-type.ts';

export interface StandInRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface StandInAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

/** What the product does with a request: `never` leaves it without an answer, and a promise holds it. */
type Answering = StandInAnswer | 'never';

export abstract class StandIn {
  /** Answers instead of the product’s own, first in, first out. */
  readonly next: StandInAnswer[] = [];
  readonly requests: StandInRequest[] = [];
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
      const { method = '', headers } = request;
      const body = Buffer.concat(chunks).toString();
      const received = { method, path: pathname, query: searchParams, headers, body };
      this.requests.push(received);
      const answer = this.next.shift() ?? (await this.answer(received));
      if (answer === 'never') return;
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    });
  });

  protected abstract answer(request: StandInRequest): Answering | Promise<Answering>;

  /** Its address, once it is open. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Makes a call to itself that is meant for the product. */
  async receive(call: OutgoingCall): ReturnType<typeof send> {
    return await send({ ...call, url: call.url.replace(new URL(call.url).origin, this.baseUrl) });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** @returns null for a body that is not JSON. */
export function parseBody<Body>(body: string): Body | null {
  try {
    return JSON.parse(body) as Body;
  } catch {
    return null;
  }
}

/** Makes a call as the service does. */
export async function send({ url, headers, body }: OutgoingCall): Promise<{ status: number; body: string }> {
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, body: await response.text() };
}
