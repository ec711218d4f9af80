import { setTimeout as sleep } from 'node:timers/promises';
import { ThroughlineError } from './throughline-error.ts';

/** How requests are sent. */
export interface Sending {
  /** By default that of the runtime. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Further attempts after the first; 3 by default. */
  readonly retries: number;
  /** Of each attempt, from the connection to the last byte of the answer; 30,000 by default. */
  readonly timeoutMs: number;
  /** A service that asks to wait longer is not tried again; 60,000 by default. */
  readonly maxWaitMs: number;
}

interface Attempt extends Sending {
  readonly url: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal | undefined;
}

const FIRST_DELAY_MS = 500;
const REPEATABLE = ['GET', 'PUT', 'DELETE'];
const UNAVAILABLE: readonly (number | null)[] = [502, 503, 504];
/** Of connections that were never made. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];
/** The same on Deno, whose errors have no code. */
const NEVER_SENT_BY_DENO = 'client error (Connect)';

/**
 * Sends a request, again if that is safe and may help. @returns the answer of a success, with its whole body.
 * @throws ThroughlineError of the last attempt, or the reason of `signal`.
 */
export async function send(
  request: Request,
  { isSafe, signal, ...sending }: Sending & { isSafe: boolean; signal: AbortSignal | undefined },
): Promise<Response> {
  const { url, method, headers } = request;
  const body = request.body === null ? null : await request.text();
  // A redirect could take the key to another host, or turn a POST into a GET.
  const init: RequestInit = { method, headers, body, redirect: 'manual' };
  const canRepeat = isSafe || REPEATABLE.includes(method);
  for (let retry = 0; ; retry += 1) {
    const outcome = await attempt({ ...sending, url, init, signal });
    if (!(outcome instanceof ThroughlineError)) return outcome;
    // An earlier attempt may have deleted it.
    if (method === 'DELETE' && retry > 0 && outcome.status === 404)
      return new Response(null, { status: 204 });
    const waitMs = outcome.retryAfterMs ?? delayMs(retry);
    if (retry >= sending.retries || waitMs > sending.maxWaitMs || !mayHelp(outcome, canRepeat)) throw outcome;
    // The reason of the signal, rather than the error of the timer, is thrown by the next attempt.
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

async function attempt(given: Attempt): Promise<Response | ThroughlineError> {
  const { fetch, url, init, signal, timeoutMs } = given;
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const response = await fetch(url, { ...init, signal: either });
    const { status, headers } = response;
    const bytes = await response.arrayBuffer();
    if (isSuccess(response)) return new Response(status === 204 ? null : bytes, { status, headers });
    return refusal(response, new TextDecoder().decode(bytes), `${init.method} ${url}`);
  } catch (cause) {
    signal?.throwIfAborted();
    return networkError(cause, timeout.aborted, given);
  }
}

function networkError(cause: unknown, isLate: boolean, { url, timeoutMs }: Attempt): ThroughlineError {
  const { origin } = new URL(url);
  const [code, message] = isLate
    ? (['network.timeout', `${origin} did not answer within ${timeoutMs} ms.`] as const)
    : (['network.failed', `No answer from ${origin}: ${textOf(cause)}.`] as const);
  return new ThroughlineError(`${message} Check baseUrl and the network.`, { code, cause });
}

function isSuccess({ ok, status, headers }: Response): boolean {
  return (
    ok && (status === 204 || /^(application\/json|image\/|text\/csv)/.test(headers.get('Content-Type') ?? ''))
  );
}

function refusal({ status, headers }: Response, body: string, request: string): ThroughlineError {
  const fields = { status, requestId: headers.get('X-Request-Id'), retryAfterMs: retryAfterMs(headers) };
  const code = headers.get('X-Service-Error');
  if (code !== null) return new ThroughlineError(errorText(body), { ...fields, code });
  return new ThroughlineError(
    `${request} got an answer with status ${status} that is not the service’s. Check baseUrl, and the proxies in between.`,
    { ...fields, code: 'response.unexpected' },
  );
}

/** The body of an error is `{ "error": "…" }`. */
function errorText(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {}
  return body;
}

/** `Retry-After` has seconds or a date. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('Retry-After');
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** Doubles, with jitter, so that clients that failed together do not return together. */
function delayMs(retry: number): number {
  return FIRST_DELAY_MS * 2 ** retry * (0.5 + Math.random() / 2);
}

/** A request over a limit has had no effect; other failures may hide a success. */
function mayHelp({ status, code, cause }: ThroughlineError, canRepeat: boolean): boolean {
  if (status === 429) return true;
  if (code === 'network.failed' && wasNeverSent(cause)) return true;
  return canRepeat && (status === null || UNAVAILABLE.includes(status));
}

function wasNeverSent(cause: unknown): boolean {
  return NEVER_SENT.includes(codeOf(cause)) || textOf(cause).includes(NEVER_SENT_BY_DENO);
}

/** `fetch` wraps the error of the socket. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : codeOf(cause.cause);
}

function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (codeOf(cause) !== '') return codeOf(cause);
  return cause.cause instanceof Error ? textOf(cause.cause) : cause.message;
}
