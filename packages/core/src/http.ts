import { orAfter } from './timing.ts';
import type { Fetch, HttpResponse, JsonObject } from './types.ts';

/** `later`: the service did not answer, or asks to send it again. `refused`: sending it again would not help. */
export type Answer =
  | { readonly outcome: 'ok'; readonly body: JsonObject }
  | { readonly outcome: 'later'; readonly reason: string; readonly retryAfterMs: number }
  | { readonly outcome: 'refused'; readonly reason: string };

export type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Answer>;

const TIMEOUT_MS = 15_000;
/** A wrong key is mended in the app or the service, not by asking again. */
const WRONG_KEY_RETRY_MS = 60_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
const TO_REPEAT = [408, 425, 429];

export function createCall({
  baseUrl,
  key,
  fetch,
  now,
}: {
  baseUrl: string;
  key: string;
  fetch: Fetch;
  now: () => number;
}): Call {
  const root = baseUrl.replace(/\/+$/, '');

  async function send(method: string, path: string, body: object | undefined): Promise<Answer> {
    const abort = typeof AbortController === 'function' ? new AbortController() : null;
    const exchange = async () => {
      const response = await fetch(root + path, {
        method,
        headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        ...(abort && { signal: abort.signal }),
      });
      return judge(response, await response.text());
    };
    return await orAfter(TIMEOUT_MS, exchange(), () => {
      abort?.abort();
      return later(`no answer within ${TIMEOUT_MS / 1_000} s`);
    });
  }

  function judge({ status, headers }: HttpResponse, text: string): Answer {
    const body = parse(text);
    if (status === 204) return { outcome: 'ok', body: {} };
    // Networks that ask for a login answer 200, 302 or 404 in place of the service.
    if (body === null) return later(`status ${status}, not from the service`);
    if (status >= 200 && status < 300) return { outcome: 'ok', body };
    const reason = typeof body.error === 'string' ? body.error : null;
    if (reason === null) return later(`status ${status}, not from the service`);
    if (status === 401) return later(reason, WRONG_KEY_RETRY_MS);
    if (status >= 500 || TO_REPEAT.includes(status))
      return later(reason, retryAfterMs(headers.get('retry-after')));
    return { outcome: 'refused', reason };
  }

  function retryAfterMs(text: string | null): number {
    if (text === null) return 0;
    const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now();
    return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
  }

  return async (method, path, body) => {
    try {
      return await send(method, path, body);
    } catch (cause) {
      return later(`${cause}`);
    }
  };
}

function later(reason: string, retryAfterMs = 0): Answer {
  return { outcome: 'later', reason, retryAfterMs };
}

function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}
