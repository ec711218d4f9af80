import { isoTime, monotonicMs, SECOND_MS } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { type Outgoing, OutgoingError } from '../../platform/outgoing/index.ts';
import { VERSION } from '../../platform/version.ts';
import { secretOwner, type WebhookRow } from '../webhook.ts';
import type { MessageRow } from './queue.ts';
import { type SigningKey, serviceSignature, signingKeyOf, standardSignature } from './signature.ts';

/** The contract's timeout of an attempt. */
export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;
const MAX_RESPONSE_BYTES = 16 * 1024;
const USER_AGENT = `Throughline-Webhooks/${VERSION}`;

/** Where a webhook's deliveries go, and what signs them, the newest key first. */
export interface Target {
  readonly url: string;
  /** None for a template; null where its secret cannot be read any more. */
  readonly keys: readonly SigningKey[] | null;
}

/** How an attempt ended. */
export interface Outcome {
  readonly success: boolean;
  /** Ended by us, before it was known how it would end. */
  readonly isInterrupted: boolean;
  /** 0 where there was no answer. */
  readonly httpStatus: number;
  readonly responseBody: string;
  readonly errorMessage: string | null;
  readonly durationMs: number;
}

/** As the webhook is now: while its secret is being rotated, the former one signs too. */
export function targetOf(ctx: Ctx, webhook: WebhookRow): Target {
  const { url, template, secret, former_secret: former, former_secret_until: until } = webhook;
  if (template !== null || secret === null) return { url, keys: [] };
  const keyOf = (encrypted: string): SigningKey | null => {
    const decrypted = ctx.secrets.decrypt(encrypted, secretOwner(webhook));
    return decrypted === null ? null : signingKeyOf(decrypted);
  };
  const newest = keyOf(secret);
  if (newest === null) return { url, keys: null };
  const isRotating = until !== null && until > isoTime(ctx.clock.nowMs());
  const second = isRotating && former !== null ? keyOf(former) : null;
  return { url, keys: second === null ? [newest] : [newest, second] };
}

/** One attempt. It never throws: whatever happens is how the attempt ended. */
export async function send(
  ctx: Ctx,
  {
    outgoing,
    target,
    message,
    signal,
  }: { outgoing: Outgoing; target: Target; message: MessageRow; signal: AbortSignal },
): Promise<Outcome> {
  const startMs = monotonicMs();
  const ended = (outcome: Partial<Outcome>): Outcome => ({
    success: false,
    isInterrupted: false,
    httpStatus: 0,
    responseBody: '',
    errorMessage: null,
    durationMs: Math.round(monotonicMs() - startMs),
    ...outcome,
  });
  if (target.keys === null) return ended({ errorMessage: UNREADABLE_SECRET });
  try {
    const body = Buffer.from(message.body);
    const { status, body: responseBody } = await outgoing.post(target.url, {
      headers: headersOf(ctx, target.keys, message, body),
      body,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      signal,
    });
    const success = status >= 200 && status < 300;
    return ended({
      success,
      httpStatus: status,
      responseBody,
      errorMessage: success ? null : refusalBy(status),
    });
  } catch (error) {
    if (signal.aborted) return ended({ isInterrupted: true, errorMessage: INTERRUPTED });
    if (!(error instanceof OutgoingError))
      ctx.log.error({ err: error }, 'a webhook attempt failed unexpectedly');
    return ended({
      errorMessage: error instanceof OutgoingError ? error.message : 'The attempt failed on our side.',
    });
  }
}

/** What the delivery log says of an attempt that a stop or a crash cut. */
export const INTERRUPTED =
  'The attempt was interrupted by a stop of the service; whether it arrived is not known. A delivery that still waits is made again, a test is not.';
const UNREADABLE_SECRET =
  'The secret cannot be decrypted, since SECRET_KEY is another one now. Set the webhook’s secret again.';

function refusalBy(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return `The receiver answered ${status}.${isRedirect ? ' Redirects are not followed: set the webhook’s final address.' : ''}`;
}

function headersOf(
  ctx: Ctx,
  keys: readonly SigningKey[],
  { id: messageId, event_type: type, sandbox }: MessageRow,
  body: Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(ctx.clock.nowMs() / SECOND_MS));
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
