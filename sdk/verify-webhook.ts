/**
 * Checks that a webhook was sent by Throughline and gives what it tells. It needs nothing but Node: copy this file into
 * the receiver. What is sent, and when, stands in docs/webhooks.md.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const HEX_SHA256 = /^[0-9a-f]{64}$/;

/** A request as the receiver got it, and what it is checked by. */
export interface WebhookRequest {
  /** The webhook's secret as it was given; while it is being rotated, the former and the new one. */
  readonly secret: string | readonly string[];
  /** A `Headers`, or an object as Node's `request.headers`; names in any case. */
  readonly headers: HeadersLike | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes that arrived, before anything has parsed them. */
  readonly body: Uint8Array | string;
  /** How far the time of sending may be from now, either way. */
  readonly toleranceSeconds?: number;
  /** The time, for tests. */
  readonly nowMs?: number;
  /**
   * Takes a request that has `X-Service-Signature` and none of the Standard Webhooks headers. That signature covers no
   * time and no id, so whoever once saw such a request can send it again for ever.
   */
  readonly allowUnstamped?: boolean;
}

/** What is needed of a `Headers`: null where a header is not there. */
export interface HeadersLike {
  get(name: string): string | null;
}

/** What a genuine webhook tells, told apart by `event`. Later versions may send events that are not among these. */
export type WebhookEnvelope =
  | Envelope<'install.attributed', InstallAttributed>
  | Envelope<'install.organic', InstallOrganic>
  | Envelope<'open.attributed', OpenAttributed>
  | Envelope<'event.recorded', EventRecorded>
  | Envelope<'skan.postback_received', PostbackReceived>
  | Envelope<'test.webhook', TestWebhook>;

/** What all events have in common. */
export interface Envelope<Event extends string, Data> {
  readonly event: Event;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  readonly data: Data;
}

/** An install is matched to a click. */
export interface InstallAttributed {
  readonly installId: string;
  readonly method: 'CLICK_ID' | 'FINGERPRINT' | 'INSTALL_REFERRER';
  readonly campaignId: string | null;
  readonly platform: 'ANDROID' | 'IOS';
  readonly appName: string;
  readonly shortCode: string | null;
  readonly deepLinkPath: string | null;
  /** Of a fingerprint match, a number from 0 to 1. */
  readonly confidence: string | null;
  readonly clickedAt: string | null;
}

/** An install has no matching click. Null is what the app does not tell. */
export interface InstallOrganic {
  readonly installId: string;
  readonly platform: 'ANDROID' | 'IOS';
  readonly appName: string;
  readonly deviceModel: string | null;
  readonly osVersion: string | null;
  readonly locale: string | null;
}

/** A deferred open is matched to a click; one that matches none is not told. */
export interface OpenAttributed {
  readonly openId: string;
  readonly method: 'CLICK_ID' | 'FINGERPRINT';
  readonly campaignId: string | null;
  readonly deepLinkPath: string | null;
  readonly appName: string;
  readonly shortCode: string | null;
  /** JSON. */
  readonly deepLinkParams: string | null;
  readonly confidence: string | null;
}

/** The app records an event. Its user is its own, else the one that identify linked to the install, else null. */
export interface EventRecorded {
  readonly eventId: string;
  readonly installId: string;
  readonly eventName: string;
  /** JSON; `{}` where there are none. */
  readonly properties: string;
  readonly appName: string;
  readonly platform: 'android' | 'ios';
  readonly userId: string | null;
}

/** The postback as Apple sent it: which fields it has, and whether an id is text or a number, depends on its version. */
export interface PostbackReceived {
  readonly appName: string;
  readonly version?: string;
  readonly 'ad-network-id'?: string;
  readonly 'campaign-id'?: string | number;
  readonly 'transaction-id'?: string;
  readonly 'source-app-id'?: string | number;
  readonly 'fidelity-type'?: number;
  readonly 'did-win'?: boolean;
  readonly 'conversion-value'?: number;
  readonly 'postback-sequence-index'?: number;
  readonly [field: string]: unknown;
}

/** What `POST /v1/webhooks/{webhookId}/test` sends. */
export interface TestWebhook {
  readonly message: string;
  readonly appId: string;
  readonly webhookId: string;
  readonly appName: string;
}

/** Why a request is refused. */
export type WebhookRefusal =
  | 'body_not_raw'
  | 'headers_missing'
  | 'header_malformed'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'not_an_envelope';

/** A request that must not be believed: `reason` is for programs, the message for people. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Checks the signature and the time of sending, then parses the body.
 * @throws WebhookVerificationError when the request must not be believed: answer 400.
 * @throws TypeError for a secret that is empty or missing: the receiver's own fault.
 */
export function verifyWebhook(request: WebhookRequest): WebhookEnvelope {
  const secrets = secretsOf(request.secret);
  const body = bytesOf(request.body);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(request.headers, name),
  );
  const isStamped = id !== undefined || timestamp !== undefined || signatures !== undefined;
  if (!isStamped && request.allowUnstamped === true) verifyBodyOnly(request, secrets, body);
  else {
    if (!id || !timestamp || !signatures) throw missing({ id, timestamp, signatures });
    // A dot in the id would let the same signed bytes be divided in another way.
    if (id.includes('.')) throw malformed('webhook-id', 'holds a dot');
    verifyTime(timestamp, request);
    verifySignatures(signatures, secrets, { id, timestamp, body });
  }
  return parseEnvelope(body);
}

/** An empty secret would make every forgery genuine. */
function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const isUsable = (one: unknown) => typeof one === 'string' && one !== '';
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isUsable))
    throw new TypeError('secret must be the webhook’s secret, or a list of them, none of them empty.');
  return secrets;
}

function bytesOf(body: Uint8Array | string): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  throw new WebhookVerificationError(
    'body_not_raw',
    'body must be the raw bytes or the text that arrived, not what a parser made of it.',
  );
}

/** Undefined where it is not there. */
function readHeader(headers: WebhookRequest['headers'], name: string): string | undefined {
  if (isHeadersLike(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  if (values.length > 1) throw malformed(name, 'is there more than once');
  return values[0];
}

function isHeadersLike(headers: WebhookRequest['headers']): headers is HeadersLike {
  return typeof headers.get === 'function';
}

function missing(
  given: Record<'id' | 'timestamp' | 'signatures', string | undefined>,
): WebhookVerificationError {
  const isTemplate = given.id && given.timestamp && !given.signatures;
  return new WebhookVerificationError(
    'headers_missing',
    isTemplate
      ? 'webhook-signature is missing. Webhooks with a template are not signed.'
      : 'webhook-id, webhook-timestamp and webhook-signature must all be there.',
  );
}

function malformed(name: string, what: string): WebhookVerificationError {
  return new WebhookVerificationError('header_malformed', `${name} ${what}.`);
}

function verifyTime(
  timestamp: string,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, nowMs = Date.now() }: WebhookRequest,
): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw malformed('webhook-timestamp', 'must be whole seconds since 1970');
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp);
  // Said of what is allowed, so that a tolerance that is no number allows nothing.
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const [reason, side] =
    ageSeconds > 0
      ? (['timestamp_too_old', 'behind'] as const)
      : (['timestamp_too_new', 'ahead of'] as const);
  throw new WebhookVerificationError(
    reason,
    `webhook-timestamp is ${Math.abs(ageSeconds)} s ${side} this machine’s clock; ${toleranceSeconds} s are allowed.`,
  );
}

/** Entries of other versions, such as `v1a,…`, are passed over. */
function verifySignatures(
  signatures: string,
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: string; body: Uint8Array },
): void {
  const given = signatures.split(' ').filter((entry) => entry.startsWith('v1,'));
  if (given.length === 0) throw malformed('webhook-signature', 'has no signature of version v1');
  const genuine = secrets.map((secret) => {
    const mac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`);
    return `v1,${mac.update(body).digest('base64')}`;
  });
  if (!matches(given, genuine)) throw mismatch();
}

/** The contract's own signature, which covers the body only. */
function verifyBodyOnly({ headers }: WebhookRequest, secrets: readonly string[], body: Uint8Array): void {
  const given = readHeader(headers, 'x-service-signature');
  if (!given) throw new WebhookVerificationError('headers_missing', 'There is no signature.');
  if (!HEX_SHA256.test(given)) throw malformed('X-Service-Signature', 'must be 64 hex digits in lower case');
  const genuine = secrets.map((secret) => createHmac('sha256', secret).update(body).digest('hex'));
  if (!matches([given], genuine)) throw mismatch();
}

/** A secret in the form of Standard Webhooks is decoded; any other one is taken as it is. */
function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  return encoded !== '' && BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}

/** In constant time, and as text: decoders forgive changes in the last character. */
function matches(given: readonly string[], genuine: readonly string[]): boolean {
  const pairs = given.flatMap((one) =>
    genuine.map((other) => [Buffer.from(one), Buffer.from(other)] as const),
  );
  return (
    pairs.filter(([one, other]) => one.length === other.length && timingSafeEqual(one, other)).length > 0
  );
}

function mismatch(): WebhookVerificationError {
  return new WebhookVerificationError(
    'signature_mismatch',
    'The signature is not that of this body. Check that the secret is this webhook’s and that the body is raw.',
  );
}

function parseEnvelope(body: Uint8Array): WebhookEnvelope {
  let envelope: unknown;
  try {
    envelope = JSON.parse(new TextDecoder().decode(body));
  } catch {}
  if (!isEnvelope(envelope))
    throw new WebhookVerificationError('not_an_envelope', 'The body is signed but is no event.');
  return envelope;
}

/** The signature vouches for the rest. A later version may send more types, so an unknown one is no fault. */
function isEnvelope(value: unknown): value is WebhookEnvelope {
  if (typeof value !== 'object' || value === null) return false;
  const { event, timestamp, data } = value as Record<string, unknown>;
  return (
    typeof event === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null
  );
}
