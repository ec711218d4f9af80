/** A webhook receiver: a real server on a loopback address that records its requests. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import { waitFor } from './wait-for.ts';

/** Allows webhooks to the receiver's address. */
export const RECEIVER_ENV = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

export interface Envelope {
  readonly event: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  /** The bytes of the body. */
  readonly raw: Buffer;
}

export function envelopeOf({ raw }: Received): Envelope {
  return JSON.parse(raw.toString('utf8')) as Envelope;
}

/** A status; `never` sends no response. A cut off response ends in the middle of its body. */
type Response =
  | number
  | 'never'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly isCutOff?: boolean };
/** To the nth request, counted from 1. */
export type Answer = (nth: number) => Response;

/** One address of the receiver. */
export class Hook {
  readonly received: Received[] = [];
  readonly url: string;
  answer: Answer;

  constructor(url: string, answer: Answer) {
    this.url = url;
    this.answer = answer;
  }

  /** Waits until `count` requests have arrived. */
  async arrived(count = 1): Promise<readonly Received[]> {
    return await waitFor(`${count} deliveries to ${this.url}`, () =>
      this.received.length >= count ? this.received : undefined,
    );
  }

  /** Waits for the first delivery and reads its envelope. */
  async envelope(): Promise<Envelope> {
    const [first] = await this.arrived();
    if (first === undefined) throw new Error('nothing arrived');
    return envelopeOf(first);
  }
}

export class Receiver {
  readonly #hooks = new Map<string, Hook>();
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const hook = this.#hooks.get(request.url ?? '');
      hook?.received.push({ headers: request.headers, raw: Buffer.concat(chunks) });
      const answer = hook === undefined ? 404 : hook.answer(hook.received.length);
      if (answer === 'never') return;
      const {
        status,
        headers = {},
        isCutOff = false,
      } = typeof answer === 'number' ? { status: answer } : answer;
      const length = isCutOff ? { 'content-length': 1_000 } : {};
      response.writeHead(status, { location: '/elsewhere', ...length, ...headers });
      if (isCutOff) response.write('x', () => request.socket.resetAndDestroy());
      else response.end('thanks');
    });
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** An address that no other test uses. */
  newHook(answer: Answer = () => 200): Hook {
    const path = `/${randomUUID()}`;
    const { port } = this.#server.address() as AddressInfo;
    const hook = new Hook(`http://127.0.0.1:${port}${path}`, answer);
    this.#hooks.set(path, hook);
    return hook;
  }
}

/** A receiver for the tests of one `describe`. */
export function useReceiver(): Receiver {
  const receiver = new Receiver();
  before(() => receiver.open());
  after(() => receiver.close());
  return receiver;
}
