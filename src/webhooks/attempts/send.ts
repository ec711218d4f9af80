import { type Clock, isoTime, monotonicMs, SECOND_MS } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Outgoing, OutgoingError } from '../../lib/outgoing/index.ts';
import type { Secrets } from '../../lib/secrets.ts';
import { VERSION } from '../../lib/version.ts';
import { type SigningKey, serviceSignature, signingKeyOf, standardSignature } from '../signature.ts';
import { type Retries, secretOwner, type WebhookRow } from '../webhook.ts';
import type { MessageRow } from './queue.ts';
import { type Receiver, receiverOf } from './receiver.ts';
import { pauseOf } from './retry-after.ts';

/** The contract's timeout of an attempt. */
export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;
const MAX_RESPONSE_BYTES = 16 * 1024;
const USER_AGENT = `Throughline-Webhooks/${VERSION}`;

/** What an attempt needs of its webhook. */
export interface Target {
  readonly url: string;
  /** The newest first. Empty for a template; null if the secret cannot be decrypted. */
  readonly keys: readonly SigningKey[] | null;
  readonly receiver: Receiver;
  readonly retries: Retries;
}

/** The result of an attempt. */
export interface AttemptResult {
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
const UNREADABLE_SECRET =
  'The secret cannot be decrypted because SECRET_KEY has changed. Set the webhook’s secret again.';

export function targetOf(
  { clock, secrets }: { clock: Clock; secrets: Secrets },
  webhook: WebhookRow,
): Target {
  const keys = signingKeysOf({ clock, secrets }, webhook);
  return { url: webhook.url, keys, receiver: receiverOf(webhook), retries: webhook.retries as Retries };
}

/** During a rotation the former secret signs too. */
function signingKeysOf(
  { clock, secrets }: { clock: Clock; secrets: Secrets },
  webhook: WebhookRow,
): SigningKey[] | null {
  const { template, secret, former_secret: former, former_secret_until: until } = webhook;
  if (template !== null || secret === null) return [];
  const keyOf = (encrypted: string): SigningKey | null => {
    const decrypted = secrets.decrypt(encrypted, secretOwner(webhook));
    return decrypted === null ? null : signingKeyOf(decrypted);
  };
  const newest = keyOf(secret);
  if (newest === null) return null;
  const isRotating = until !== null && until > isoTime(clock.nowMs());
  const previous = isRotating && former !== null ? keyOf(former) : null;
  return previous === null ? [newest] : [newest, previous];
}

/** Makes one attempt. Never throws: a failure is a result. */
export async function send(
  { clock, log }: { clock: Clock; log: Log },
  {
    outgoing,
    target,
    message,
    signal,
  }: { outgoing: Outgoing; target: Target; message: MessageRow; signal: AbortSignal },
): Promise<AttemptResult> {
  const startMs = monotonicMs();
  const resultOf = (fields: Partial<AttemptResult>): AttemptResult => ({
    ...NO_RESPONSE,
    ...fields,
    durationMs: Math.round(monotonicMs() - startMs),
  });
  if (target.keys === null) return resultOf({ errorMessage: UNREADABLE_SECRET });
  try {
    const body = Buffer.from(message.body);
    const response = await outgoing.post(target.url, {
      headers: headersOf({ clock }, target.keys, message, body),
      body,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      signal,
    });
    const { status, body: responseBody } = response;
    const success = status >= 200 && status < 300;
    const pauseMs = pauseOf(response, clock.nowMs());
    const errorMessage = success ? null : describeStatus(status, pauseMs);
    return resultOf({ success, httpStatus: status, responseBody, errorMessage, pauseMs });
  } catch (error) {
    if (signal.aborted) return resultOf(INTERRUPTED);
    if (!(error instanceof OutgoingError)) log.error({ err: error }, 'Webhook attempt failed unexpectedly');
    const head = error instanceof OutgoingError ? error.head : null;
    const pauseMs = head === null ? null : pauseOf(head, clock.nowMs());
    // The body is not needed to know that a later attempt will be taken.
    if (head !== null && pauseMs !== null)
      return resultOf({
        httpStatus: head.status,
        pauseMs,
        errorMessage: describeStatus(head.status, pauseMs),
      });
    return resultOf({
      errorMessage:
        error instanceof OutgoingError ? error.message : 'The attempt failed because of an internal error.',
    });
  }
}

function describeStatus(status: number, pauseMs: number | null): string {
  const answered = `The receiver answered ${status}`;
  if (pauseMs !== null) return `${answered} and asked to wait ${Math.ceil(pauseMs / SECOND_MS)} s.`;
  const isRedirect = status >= 300 && status < 400;
  return `${answered}.${isRedirect ? ' Redirects are not followed: set the webhook’s final address.' : ''}`;
}

function headersOf(
  { clock }: { clock: Clock },
  keys: readonly SigningKey[],
  { id: messageId, event_type: type, sandbox }: MessageRow,
  body: Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(clock.nowMs() / SECOND_MS));
  const [newest] = keys;
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-event': type,
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    ...(sandbox === 1 && { 'x-service-sandbox': 'true' }),
    ...(newest !== undefined && {
      'x-service-signature': serviceSignature(newest, body),
      'webhook-signature': standardSignature(keys, { messageId, timestamp, body }),
    }),
  };
}
