import { orAfter } from './timing.ts';
import type { Fetch, HttpResponse, JsonObject } from './types.ts';

/**
 * `later`: the service did not answer, or may accept the same request another time. `refused`: sending it again would not
 * help; `code` is the service's, null if the answer is not from it.
 */
export type Answer =
  | {
      readonly outcome: 'ok';
      readonly body: JsonObject;
      readonly etag: string | null;
      /** 304 only if the caller named an `etag`: what it has is still so. */
      readonly status: number;
    }
  | {
      readonly outcome: 'later';
      readonly reason: string;
      readonly retryAfterMs: number;
      /** What the service itself said; null if it did not answer. */
      readonly said: Refusal | null;
      /** Whether a smaller request may pass: it took too long, or broke something in the service. */
      readonly isTooMuch?: boolean;
    }
  | { readonly outcome: 'refused'; readonly reason: string; readonly code: string | null };

/** For a caller that cannot wait. */
interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  /** As long as the service asks to wait, which may be until the next day; 0 if it does not say. */
  readonly waitMs: number;
}

/** @param body an object, or its JSON. @param etag of an answer that the caller has. */
export type Call = (
  method: 'GET' | 'POST',
  path: string,
  body?: object | string,
  etag?: string | null,
) => Promise<Answer>;

export const LOST = 'install.not_found';
export const ERASED = 'install.erased';

const TIMEOUT_MS = 15_000;
/** A wrong key, or an endpoint of a later version, is mended in the app or the service. */
const UNKNOWN_RETRY_MS = 60_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
const TO_REPEAT = [408, 425, 429];
const FINAL = [400, 409, 410, 413, 422];
const FINAL_CODES = ['link.not_found', LOST, ERASED];

export function createCall({
  baseUrl,
  key,
  fetch,
  now,
  onKey,
}: {
  baseUrl: string;
  key: string;
  fetch: Fetch;
  now: () => number;
  /** With the reason why the service refuses the key, or null. */
  onKey: (refusal: string | null) => void;
}): Call {
  const root = baseUrl.replace(/\/+$/, '');

  async function send(...[method, path, body, etag]: Parameters<Call>): Promise<Answer> {
    const abort = typeof AbortController === 'function' ? new AbortController() : null;
    const exchange = async () => {
      const response = await fetch(root + path, {
        method,
        headers: {
          'x-api-key': key,
          ...(body && { 'content-type': 'application/json' }),
          ...(etag && { 'if-none-match': etag }),
        },
        ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(abort && { signal: abort.signal }),
      });
      return judge(response, await response.text(), etag);
    };
    return await orAfter(TIMEOUT_MS, exchange(), () => {
      abort?.abort();
      return { ...later(`no answer within ${TIMEOUT_MS / 1_000} s`), isTooMuch: true };
    });
  }

  function judge({ status, headers }: HttpResponse, text: string, asked?: string | null): Answer {
    const body = parse(text);
    const reason = typeof body?.error === 'string' ? body.error : null;
    const isDone = status >= 200 && status < 300;
    if (status === 204 || (status === 304 && asked) || (isDone && body !== null)) {
      onKey(null);
      return { outcome: 'ok', body: body ?? {}, etag: headers.get('etag'), status };
    }
    // Of a proxy, too.
    if (status === 413) return { outcome: 'refused', reason: reason ?? 'status 413', code: reason && '' };
    // Networks that ask for a login answer 200, 302 or 404 in place of the service.
    if (reason === null) return later(`status ${status}, not from the service`);
    onKey(status === 401 ? reason : null);
    const code = headers.get('x-service-error') ?? '';
    if (FINAL.includes(status) || FINAL_CODES.includes(code)) return { outcome: 'refused', reason, code };
    const waitMs = askedMs(headers);
    const isUnknown = isFinal(status);
    const retryAfterMs = isUnknown ? UNKNOWN_RETRY_MS : Math.min(waitMs, MAX_RETRY_AFTER_MS);
    const said = { status, code, error: reason, waitMs };
    return { ...later(`${reason} (${status})`, retryAfterMs, said), isTooMuch: status === 500 };
  }

  function askedMs(headers: HttpResponse['headers']): number {
    const text = headers.get('retry-after');
    if (text === null) return 0;
    // The clock of the phone may be wrong.
    const nowMs = Date.parse(headers.get('date') ?? '') || now();
    const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
    return Number.isNaN(ms) ? 0 : Math.max(ms, 0);
  }

  return async (...request) => {
    try {
      return await send(...request);
    } catch (cause) {
      return later(`${cause}`);
    }
  };
}

function later(reason: string, retryAfterMs = 0, said: Refusal | null = null): Answer & { outcome: 'later' } {
  return { outcome: 'later', reason, retryAfterMs, said };
}

/** Whether the same request gets the same answer until the app or the service is changed. */
export function isFinal(status: number): boolean {
  return status < 500 && !TO_REPEAT.includes(status);
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
