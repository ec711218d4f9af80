import { type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../errors.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
  /** Local address of the connection; undefined leaves the choice to the system. */
  readonly from?: string | undefined;
}

interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const RESPONSE_TIMEOUT_MS = 15_000;
const MAX_TRIES = 6;

/** Not `fetch`, which cannot bind a local address. */
export function send(baseUrl: string, { method, path, headers, body, from }: Call): Promise<HttpResponse> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: { ...headers, ...(payload !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
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

export interface Server {
  readonly url: string;
  /**
   * Sends a request; retries after `Retry-After`.
   * @param action for the error text, such as `making an app`.
   * @throws StartError for any other status.
   */
  expect(action: string, call: Call, ...statuses: readonly number[]): Promise<HttpResponse>;
}

/** @param onPause called before a wait for `Retry-After`. */
export function serverAt(url: string, onPause: (seconds: number) => void): Server {
  return {
    url,
    async expect(action, call, ...statuses) {
      for (let tries = 1; ; tries++) {
        const response = await send(url, call).catch((error: Error) => {
          throw new StartError(`The server at ${url} did not respond (${action}): ${reasonOf(error)}.`);
        });
        if (statuses.includes(response.status)) return response;
        const seconds = Number(response.headers['retry-after'] ?? Number.NaN);
        if (Number.isNaN(seconds) || tries === MAX_TRIES)
          throw new StartError(
            `Unexpected status ${response.status} instead of ${statuses.join(' or ')} (${action})${errorIn(response)}`,
          );
        onPause(seconds);
        await sleep(seconds * 1_000);
      }
    },
  };
}

/** The AggregateError of a failed IPv4 and IPv6 connection has no message. */
export function reasonOf(error: Error & { code?: string }): string {
  return error.message || (error.code ?? error.name);
}

function errorIn({ text }: HttpResponse): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? `: ${error}` : '.';
  } catch {
    return '.';
  }
}
