import { type IncomingHttpHeaders, request } from 'node:http';
import { StartError } from '../../platform/errors.ts';

/** One request, of a visitor, of the SDK or of the customer's server. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
  /** The loopback address that the connection comes from; undefined leaves it to the system. */
  readonly from?: string | undefined;
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const ANSWER_WITHIN_MS = 15_000;
const MAX_TRIES = 6;

/** `fetch` cannot choose the address that it comes from. */
export function send(baseUrl: string, { method, path, headers, body, from }: Call): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: { ...headers, ...(payload !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(from !== undefined && { localAddress: from, family: 4 }),
    };
    const sent = request(new URL(path, baseUrl), options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

/** The server that is simulated against. */
export interface Server {
  readonly url: string;
  /** Sends, waits where the server asks for it, and insists on the status: anything else is a StartError. */
  ask(what: string, call: Call, status: number): Promise<Answer>;
}

/** @param onPause is told when the server asks to wait before the next try. */
export function serverAt(url: string, onPause: (seconds: number) => void): Server {
  return {
    url,
    async ask(what, call, status) {
      for (let tries = 1; ; tries++) {
        const answer = await send(url, call).catch((error: Error) => {
          throw new StartError(`The server at ${url} did not answer when ${what}: ${reasonOf(error)}.`);
        });
        if (answer.status === status) return answer;
        const seconds = Number(answer.headers['retry-after'] ?? Number.NaN);
        if (Number.isNaN(seconds) || tries === MAX_TRIES)
          throw new StartError(
            `The server’s answer when ${what} was ${answer.status}, not ${status}${errorIn(answer)}`,
          );
        onPause(seconds);
        await sleep(seconds * 1_000);
      }
    },
  };
}

/** An error of both IPv4 and IPv6 has no message of its own. */
export function reasonOf(error: Error & { code?: string }): string {
  return error.message || (error.code ?? error.name);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function errorIn({ text }: Answer): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? `: ${error}` : '.';
  } catch {
    return '.';
  }
}
