import { Counter } from 'prom-client';
import type { Foundation } from '../../foundation.ts';
import { tasks, type Work } from '../../lib/channels.ts';
import { type After, monotonicMs, SECOND_MS } from '../../lib/clock.ts';
import {
  createOutgoing,
  NOT_PUBLIC,
  type Outgoing,
  OutgoingError,
  type OutgoingResponse,
  parseNetworks,
  pauseOf,
} from '../../lib/outgoing/index.ts';
import { OTHER_TYPES } from '../webhook.ts';
import type { Attempt } from './attempt.ts';
import { ATTEMPT_TIMEOUT_MS, LEASE_MS } from './queue.ts';
import type { PreparedCall, Reading } from './receiver-kind.ts';
import { MAX_IN_FLIGHT } from './schedule.ts';

/** What a lease leaves beside the attempt, with a second to record it. */
const MAX_PREPARING_MS = LEASE_MS - ATTEMPT_TIMEOUT_MS - SECOND_MS;
const COUNTER = 'throughline_webhook_attempts_total';
/** Those that did not happen are 0: a rate needs a beginning. */
const OUTCOMES = ['delivered', 'failed', 'paused', 'interrupted'] as const;

/** One instance per registry. */
export function attemptCounter({ metrics }: Pick<Foundation, 'metrics'>): Counter<'outcome'> {
  const known = metrics.getSingleMetric(COUNTER);
  if (known instanceof Counter) return known;
  const counter = new Counter({
    name: COUNTER,
    help: 'Finished attempts to deliver to webhooks, by outcome',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of OUTCOMES) counter.inc({ outcome }, 0);
  return counter;
}

/** The result of an attempt. */
export interface AttemptResult<Outcome = unknown> {
  readonly success: boolean;
  /** Aborted by the service: it is unknown whether the message arrived. */
  readonly isInterrupted: boolean;
  /** 0 if no response arrived. */
  readonly httpStatus: number;
  readonly responseBody: string;
  readonly errorMessage: string | null;
  /** How long the receiver asked to wait; null if it did not. */
  readonly pauseMs: number | null;
  readonly durationMs: number;
  /** How long the kind of the receiver lets it rest, though it did not ask; the attempt counts as failed. */
  readonly restMs?: number | null;
  /** The answer blames the message: its receiver is well, and need not rest. */
  readonly blamesMessage?: boolean;
  /** The message failed as it is, and goes on as others. */
  readonly isReplaced?: boolean;
  /** What the kind of the receiver read in the response, for `recordEnd`. */
  readonly outcome?: Outcome;
}

const NO_RESPONSE: AttemptResult = {
  success: false,
  isInterrupted: false,
  httpStatus: 0,
  responseBody: '',
  errorMessage: null,
  pauseMs: null,
  durationMs: 0,
};
/** The result of an attempt that a stop or a crash cut off: it is unknown whether the message arrived. */
export const INTERRUPTED: AttemptResult = {
  ...NO_RESPONSE,
  isInterrupted: true,
  errorMessage:
    'The attempt was interrupted because the service stopped; it is unknown whether the message arrived. The delivery is retried; a test is not.',
};
const TOO_SLOW = 'The records of the message could not be read in time. It is sent later.';
const UNREADABLE_SECRET =
  'The secret cannot be decrypted because SECRET_KEY has changed. Set the webhook’s secret again.';

type SenderDeps = Pick<Foundation, 'clock' | 'config' | 'log' | 'metrics'> & { readonly after: After };

/** Makes attempts, and interrupts those in flight when the service stops. */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #outgoing: Outgoing;
  readonly #attempts: Counter<'outcome'>;
  readonly #interruption = new AbortController();

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#outgoing = createOutgoing({
      allowed: parseNetworks(deps.config.webhookAllowCidrs),
      // The schedule bounds attempts by webhook; many webhooks may share the origin of a chat platform.
      connectionsPerOrigin: MAX_IN_FLIGHT,
      after: deps.after,
    });
    this.#attempts = attemptCounter(deps);
  }

  /** Makes one attempt. Never throws: a failure is a result. */
  async send(attempt: Attempt): Promise<AttemptResult> {
    const startMs = monotonicMs();
    const work = workOf(attempt);
    const fields = await tasks.tracePromise(async () => {
      const made = await this.#post(attempt);
      noteResult(work, made);
      return made;
    }, work);
    const durationMs = Math.round(monotonicMs() - startMs);
    const made = { ...NO_RESPONSE, ...fields, durationMs };
    const result = { ...made, restMs: attempt.target?.restMs?.(made) ?? null };
    attempt.target?.note?.(result);
    if (!OTHER_TYPES.includes(attempt.message.event_type)) this.#attempts.inc({ outcome: outcomeOf(result) });
    return result;
  }

  /** Ends all attempts. */
  interrupt(): void {
    this.#interruption.abort();
  }

  async close(): Promise<void> {
    await this.#outgoing.close();
  }

  async #post({ target, message }: Attempt): Promise<Partial<AttemptResult>> {
    if (target === null) return { errorMessage: UNREADABLE_SECRET };
    const { clock, log } = this.#deps;
    const { signal } = this.#interruption;
    let mask = (text: string) => text;
    try {
      const startMs = monotonicMs();
      const call = await target.toCall(message);
      // Later than that, another process may take the attempt for abandoned while it is made.
      if (monotonicMs() - startMs > MAX_PREPARING_MS) return { ...INTERRUPTED, errorMessage: TOO_SLOW };
      if (!('url' in call)) return call;
      const { url, headers, body, maxResponseBytes } = call;
      mask = call.mask ?? mask;
      const limits = { timeoutMs: ATTEMPT_TIMEOUT_MS, maxResponseBytes, signal };
      const response = await this.#outgoing.post(url, { headers, body, ...limits });
      return maskedBy(mask, readResponse(call, { ...response, body: mask(response.body) }, clock.nowMs()));
    } catch (error) {
      if (signal.aborted) return INTERRUPTED;
      if (!(error instanceof OutgoingError)) {
        log.error({ err: error }, 'Webhook attempt failed unexpectedly');
        return { errorMessage: 'The attempt failed because of an internal error.' };
      }
      return maskedBy(mask, failed(error, clock.nowMs()));
    }
  }
}

/** Neither the address nor what it answers: both are another's. */
function workOf({ row }: Attempt): Work {
  return {
    name: 'webhook attempt',
    attributes: { 'throughline.webhook.id': row.webhook_id, 'throughline.attempt': row.failed_attempts + 1 },
  };
}

function noteResult({ attributes }: Work, { success = false, httpStatus = 0 }: Partial<AttemptResult>): void {
  if (httpStatus > 0) attributes['http.response.status_code'] = httpStatus;
  if (!success) attributes['error.type'] = httpStatus > 0 ? String(httpStatus) : 'no_response';
}

function maskedBy(
  mask: (text: string) => string,
  { responseBody, errorMessage, ...result }: Partial<AttemptResult>,
): Partial<AttemptResult> {
  return {
    ...result,
    ...(responseBody !== undefined && { responseBody: mask(responseBody) }),
    ...(errorMessage !== undefined && { errorMessage: errorMessage && mask(errorMessage) }),
  };
}

function readResponse(call: PreparedCall, response: OutgoingResponse, nowMs: number): Partial<AttemptResult> {
  const { status, body: responseBody } = response;
  const success = status >= 200 && status < 300;
  const pauseMs = pauseOf(response, nowMs);
  const errorMessage = success ? null : describeStatus(status, pauseMs);
  const reading: Reading | null = call.read?.({ status, body: responseBody }) ?? null;
  return { success, httpStatus: status, responseBody, errorMessage, pauseMs, ...reading };
}

/** The address that the name led to stays unsaid. */
const ALLOW =
  'If the receiver is meant to be there, whoever runs the service adds its network, such as 10.1.0.0/16, to WEBHOOK_ALLOW_CIDRS and starts the service again.';

/** What arrived before the response was cut off is kept: its status says what is wrong, and whether to wait. */
function failed({ partial, message }: OutgoingError, nowMs: number): Partial<AttemptResult> {
  if (partial === null)
    return { errorMessage: message.includes(NOT_PUBLIC) ? `${message} ${ALLOW}` : message };
  const { status, body: responseBody } = partial;
  const pauseMs = pauseOf(partial, nowMs);
  const errorMessage = `${describeStatus(status, pauseMs)} ${message}`;
  return { httpStatus: status, responseBody, pauseMs, errorMessage };
}

function describeStatus(status: number, pauseMs: number | null): string {
  const answered = `The receiver answered ${status}`;
  if (pauseMs !== null) return `${answered} and asked to wait ${Math.ceil(pauseMs / SECOND_MS)} s.`;
  const isRedirect = status >= 300 && status < 400;
  return `${answered}.${isRedirect ? ' Redirects are not followed: set the webhook’s final address.' : ''}`;
}

function outcomeOf({ success, isInterrupted, pauseMs }: AttemptResult): (typeof OUTCOMES)[number] {
  if (success) return 'delivered';
  if (isInterrupted) return 'interrupted';
  return pauseMs === null ? 'failed' : 'paused';
}
