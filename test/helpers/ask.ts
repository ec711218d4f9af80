/** Requests over a real connection, for tests of the `Host` header and of raw response bytes. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Answer, World } from './world.ts';

export interface Question {
  readonly method?: 'GET' | 'HEAD';
  readonly host?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a request to the service; the first call starts the listener. */
export async function ask(
  world: World,
  path: string,
  { method = 'GET', host = 'links.test', headers = {} }: Question = {},
): Promise<Answer & { readonly bytes: Buffer }> {
  const { server } = world.service.api;
  if (!server.listening) await world.service.api.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { host, ...headers },
    agent: false,
  });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = await buffer(answer);
  const text = bytes.toString();
  const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : null;
  return { status: answer.statusCode ?? 0, headers: answer.headers, text, body, bytes };
}
