/**
 * Verifies webhooks of Throughline and parses their events. A receiver may copy this file: it needs only Node.
 * docs/guide/webhooks.md describes the requests.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const HEX_SHA256 = /^[0-9a-f]{64}$/;

/** A received request, and the options of its verification. */
export interface WebhookRequest {
  /** The webhook's secret; during a rotation, the former and the new one. */
  readonly secret: string | readonly string[];
  /** `Headers`, or an object such as Node's `request.headers`; names in any case. */
  readonly headers: HeadersLike | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body, before any parsing. */
  readonly body: Uint8Array | string;
  /** Maximum distance of `webhook-timestamp` from now, in the past or the future. */
  readonly toleranceSeconds?: number;
  /** For tests. */
  readonly nowMs?: number;
  /**
   * Accepts a request with `X-Service-Signature` and without the Standard Webhooks headers. That signature covers neither
   * time nor id, so such a request can be replayed forever.
   */
  readonly allowUnstamped?: boolean;
}

/** The part of `Headers` that is used. */
export interface HeadersLike {
  get(name: string): string | null;
}

/** The body of a webhook, discriminated by `event`. Later versions may send other events. */
export type WebhookEnvelope =
  | Envelope<'install.attributed', InstallAttributed>
  | Envelope<'install.organic', InstallOrganic>
  | Envelope<'install.network_attributed', InstallNetworkAttributed>
  | Envelope<'open.attributed', OpenAttributed>
  | Envelope<'open.direct', OpenDirect>
  | Envelope<'event.recorded', EventRecorded>
  | Envelope<'skan.postback_received', PostbackReceived>
  | Envelope<'host.problem', HostProblem>
  | Envelope<'host.recovered', HostRecovered>
  | Envelope<'test.webhook', TestWebhook>;

export interface Envelope<Event extends string, Data> {
  readonly event: Event;
  /** The time of the event, ISO 8601. */
  readonly timestamp: string;
  readonly data: Data;
}

/** An install matched to a click. */
export interface InstallAttributed {
  readonly installId: string;
  readonly method: 'CLICK_ID' | 'FINGERPRINT' | 'INSTALL_REFERRER';
  readonly campaignId: string | null;
  readonly platform: 'ANDROID' | 'IOS';
  readonly appName: string;
  readonly shortCode: string | null;
  readonly deepLinkPath: string | null;
  /** For a fingerprint match: a number from 0 to 1. */
  readonly confidence: string | null;
  readonly clickedAt: string | null;
}

/** An install without a matching click. A field is null if the app did not send it. */
export interface InstallOrganic {
  readonly installId: string;
  readonly platform: 'ANDROID' | 'IOS';
  readonly appName: string;
  readonly deviceModel: string | null;
  readonly osVersion: string | null;
  readonly locale: string | null;
}

/** What an ad network says of an install; fields that it does not name are null. */
export interface InstallNetworkAttributed {
  readonly installId: string;
  readonly platform: 'ANDROID' | 'IOS';
  readonly appName: string;
  readonly name: 'apple_ads' | 'meta' | 'google_ads';
  readonly campaignId: string | null;
  readonly campaignName: string | null;
  readonly adGroupId: string | null;
  readonly adGroupName: string | null;
  readonly adId: string | null;
  readonly adName: string | null;
  readonly keywordId: string | null;
  readonly claimType: string | null;
  readonly conversionType: string | null;
  readonly clickedAt: string | null;
  /** A record that the network makes for developers, not for an ad. */
  readonly test: boolean;
}

/** A deferred open matched to a click. Other opens send no webhook. */
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

/** An open by the link itself, without a click. */
export interface OpenDirect {
  readonly openId: string;
  readonly installId: string | null;
  readonly shortCode: string;
  readonly campaignId: string | null;
  readonly deepLinkPath: string;
  /** JSON. */
  readonly deepLinkParams: string | null;
  readonly appName: string;
  readonly platform: 'ANDROID' | 'IOS';
}

/** An event of the app. `userId` is that of the event, or else of the install's identified user. */
export interface EventRecorded {
  readonly eventId: string;
  readonly installId: string;
  readonly eventName: string;
  /** JSON; `{}` without properties. */
  readonly properties: string;
  readonly appName: string;
  readonly platform: 'android' | 'ios';
  readonly userId: string | null;
}

/** The postback as Apple sent it. Its version determines the fields, and whether an id is a string or a number. */
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

/** A check of the host of the app's short links failed twice. */
export interface HostProblem {
  readonly host: string;
  readonly check:
    | 'dns'
    | 'certificate'
    | 'association_files'
    | 'apple_copy'
    | 'google_verdict'
    | 'block_lists';
  readonly message: string;
  /** What to do. */
  readonly mend: string;
  /** When a look found it first. */
  readonly since: string;
  readonly appName: string;
}

/** The check is in order again; `since` is when the problem began. */
export type HostRecovered = Omit<HostProblem, 'mend'>;

/** The event of `POST /v1/webhooks/{webhookId}/test`. */
export interface TestWebhook {
  readonly message: string;
  readonly appId: string;
  readonly webhookId: string;
  readonly appName: string;
}

export type WebhookRefusal =
  | 'body_not_raw'
  | 'headers_missing'
  | 'header_malformed'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'not_an_envelope';

/** A request that must not be trusted: `reason` is for programs, the message for people. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  /** Express and Fastify respond to the error with it. */
  readonly statusCode = 400;
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Verifies the signature and the timestamp, then parses the body.
 * @throws WebhookVerificationError for an untrusted request: respond with 400.
 * @throws TypeError for an empty or missing secret, a mistake of the receiver.
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
    // With a dot in the id, the signed bytes could be split in two ways.
    if (id.includes('.')) throw malformed('webhook-id', 'must not contain a dot');
    verifyTime(timestamp, request);
    verifySignatures(signatures, secrets, { id, timestamp, body });
  }
  return parseEnvelope(body);
}

/** Refuses an empty secret, with which any client could sign. */
function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const isUsable = (item: unknown) => typeof item === 'string' && item !== '';
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isUsable))
    throw new TypeError('secret must be a non-empty string or a list of them.');
  return secrets;
}

function bytesOf(body: Uint8Array | string): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  throw new WebhookVerificationError(
    'body_not_raw',
    'body must be the raw bytes or text, not a parsed value.',
  );
}

function readHeader(headers: WebhookRequest['headers'], name: string): string | undefined {
  if (isHeadersLike(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  if (values.length > 1) throw malformed(name, 'must not be repeated');
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
      : 'webhook-id, webhook-timestamp and webhook-signature are required.',
  );
}

function malformed(name: string, rule: string): WebhookVerificationError {
  return new WebhookVerificationError('header_malformed', `${name} ${rule}.`);
}

function verifyTime(
  timestamp: string,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, nowMs = Date.now() }: WebhookRequest,
): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw malformed('webhook-timestamp', 'must be whole seconds since 1970');
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp);
  // A NaN tolerance fails this comparison, so it allows nothing.
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

/** Ignores entries of other versions, such as `v1a,…`. */
function verifySignatures(
  signatures: string,
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: string; body: Uint8Array },
): void {
  const given = signatures.split(' ').filter((entry) => entry.startsWith('v1,'));
  if (given.length === 0) throw malformed('webhook-signature', 'must have a signature of version v1');
  const expected = secrets.map((secret) => {
    const mac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`);
    return `v1,${mac.update(body).digest('base64')}`;
  });
  if (!matches(given, expected)) throw mismatch();
}

/** `X-Service-Signature` covers the body only. */
function verifyBodyOnly({ headers }: WebhookRequest, secrets: readonly string[], body: Uint8Array): void {
  const given = readHeader(headers, 'x-service-signature');
  if (!given) throw new WebhookVerificationError('headers_missing', 'The request has no signature header.');
  if (!HEX_SHA256.test(given)) throw malformed('X-Service-Signature', 'must be 64 hex digits in lower case');
  const expected = secrets.map((secret) => createHmac('sha256', secret).update(body).digest('hex'));
  if (!matches([given], expected)) throw mismatch();
}

/** Decodes a secret in the form of Standard Webhooks; any other is used as text. */
function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  return encoded !== '' && BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}

/** Compares in constant time, and as text: base64 decoders ignore some bits of the last character. */
function matches(given: readonly string[], expected: readonly string[]): boolean {
  const pairs = given.flatMap((a) => expected.map((b) => [Buffer.from(a), Buffer.from(b)] as const));
  return pairs.filter(([a, b]) => a.length === b.length && timingSafeEqual(a, b)).length > 0;
}

function mismatch(): WebhookVerificationError {
  return new WebhookVerificationError(
    'signature_mismatch',
    'The signature does not match the body. Check that the secret is this webhook’s and that the body is raw.',
  );
}

function parseEnvelope(body: Uint8Array): WebhookEnvelope {
  let envelope: unknown;
  try {
    envelope = JSON.parse(new TextDecoder().decode(body));
  } catch {}
  if (!isEnvelope(envelope))
    throw new WebhookVerificationError(
      'not_an_envelope',
      'The signature is valid, but the body is not an event.',
    );
  return envelope;
}

/** Accepts unknown events, which later versions may send. The signature vouches for the data. */
function isEnvelope(value: unknown): value is WebhookEnvelope {
  if (typeof value !== 'object' || value === null) return false;
  const { event, timestamp, data } = value as Record<string, unknown>;
  return (
    typeof event === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null
  );
}
