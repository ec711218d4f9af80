/** A client of `GET /v1/live` on a real connection, which can stop reading. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

export interface LiveMessage {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the message.
  readonly data: any;
}

export class LiveClient {
  readonly messages: LiveMessage[] = [];
  readonly response: IncomingMessage;
  #unparsed = '';
  #isEnded = false;

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#parse(chunk));
    // A reset by the server is an end, too.
    response.on('error', () => undefined);
    response.on('close', () => {
      this.#isEnded = true;
    });
  }

  get records(): LiveMessage[] {
    return this.messages.filter(({ event }) => event === 'message');
  }

  get lost(): (number | null)[] {
    return this.messages.filter(({ event }) => event === 'lost').map(({ data }) => data.count);
  }

  /** Waits for so many records. */
  async receives(count: number): Promise<LiveMessage[]> {
    return await waitFor(`${count} records`, () => (this.records.length >= count ? this.records : undefined));
  }

  async ended(): Promise<void> {
    await waitFor('the end of the stream', () => this.#isEnded || undefined, { everyMs: 20 });
  }

  close(): void {
    this.response.destroy();
  }

  #parse(chunk: string): void {
    const parts = (this.#unparsed + chunk).split('\n\n');
    this.#unparsed = parts.pop() ?? '';
    for (const part of parts) {
      const fields = new Map(part.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      const data = fields.get('data');
      if (data !== undefined)
        this.messages.push({
          event: fields.get('event') ?? 'message',
          id: fields.get('id') ?? '',
          data: JSON.parse(data),
        });
    }
  }
}

export interface LiveRequest {
  readonly key: string;
  readonly query?: string;
  readonly after?: string | undefined;
}

/** Waits for the first message, so that later records are in the stream. */
export async function openLive(url: string, call: LiveRequest): Promise<LiveClient> {
  const response = await requestLive(url, call);
  if (response.statusCode !== 200)
    throw new Error(`no stream: ${response.statusCode} ${await text(response)}`);
  const client = new LiveClient(response);
  await waitFor('a heartbeat', () => client.messages[0], { everyMs: 20 });
  return client;
}

export async function requestLive(
  url: string,
  { key, query = '', after }: LiveRequest,
): Promise<IncomingMessage> {
  const headers = { 'x-api-key': key, ...(after !== undefined && { 'last-event-id': after }) };
  const sent = request(`${url}/v1/live${query}`, { headers, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** Makes a service of this process listen; its address. */
export async function listenAt(world: World): Promise<string> {
  const { api } = world.service;
  if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
}
