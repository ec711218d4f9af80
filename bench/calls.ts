/** Requests sent by a process of their own, with answers that are looked at afterwards. */
import type { CallOrder, CallResult } from './caller.ts';
import { startWorker } from './worker.ts';

export interface Caller extends AsyncDisposable {
  /** @throws when a request got no answer. */
  call(order: CallOrder): Promise<CallResult>;
}

export async function startCaller(): Promise<Caller> {
  const worker = await startWorker<CallOrder, CallResult>('caller.ts');
  return {
    async call(order) {
      const result = await worker.ask(order);
      if (result.firstError !== null) throw new Error(`a request got no answer: ${result.firstError}`);
      return result;
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

/** The text of a request. */
export function request(
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): string {
  const json = body === undefined ? '' : JSON.stringify(body);
  const all: Record<string, string> = {
    Host: 'links.example.com',
    ...headers,
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(json)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`;
}

/** @throws where the answer is not a 200 with JSON. */
export function jsonOf<T>(answer: string): T {
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`not a 200: ${answer}`);
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as T;
}

/** @throws where the answer is not a redirect. */
export function locationOf(answer: string): URL {
  const location = /\r\nlocation: ([^\r]+)/i.exec(answer)?.[1];
  if (!answer.startsWith('HTTP/1.1 302 ') || location === undefined)
    throw new Error(`not a redirect: ${answer}`);
  return new URL(location);
}
