import { parseBody, StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';

export interface SegmentMessage {
  readonly type: string;
  readonly event?: string;
  readonly messageId: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly properties?: Record<string, unknown>;
  readonly [name: string]: unknown;
}

const TYPES = new Set(['identify', 'group', 'track', 'page', 'screen', 'alias']);

/**
 * Segment’s HTTP API. It answers 200 to everything but bad JSON and sizes, so what it would drop is in `dropped`.
 * twilio.com/docs/segment/connections/sources/catalog/libraries/server/http-api#errors
 */
export class StandInSegment extends StandIn {
  readonly writeKey = 'abc123';
  /** By `messageId`. */
  readonly stored = new Map<string, SegmentMessage>();
  readonly dropped: string[] = [];

  protected override answer({ method, path, headers, body }: StandInRequest): StandInAnswer {
    if (method !== 'POST' || path !== '/v1/batch') return { status: 404, body: 'not found' };
    const { batch } = parseBody<{ batch?: SegmentMessage[] }>(body) ?? {};
    const isTooLarge = Buffer.byteLength(body) > 500_000;
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    if (!Array.isArray(batch) || isTooLarge || !isJson || batch.some((each) => sizeOf(each) > 32_000))
      return { status: 400, body: { success: false, message: 'malformed JSON or payload too large' } };
    const isKnown = headers.authorization === `Basic ${Buffer.from(`${this.writeKey}:`).toString('base64')}`;
    for (const message of batch) {
      const problem = isKnown ? this.#problemOf(message, batch.length) : 'unknown write key';
      if (problem !== null) this.dropped.push(problem);
      else if (!this.stored.has(message.messageId)) this.stored.set(message.messageId, message);
    }
    return { status: 200, body: { success: true } };
  }

  #problemOf({ type, event, messageId, userId, anonymousId, timestamp }: SegmentMessage, count: number) {
    if (count > 2_500) return 'more than 2,500 events';
    if (!TYPES.has(type)) return 'type';
    if (!userId && !anonymousId) return 'no_user_anon_id';
    if (type === 'track' && !event) return 'track without event';
    if (typeof messageId !== 'string' || messageId.length >= 100) return 'messageId';
    return typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp)) ? null : 'timestamp';
  }
}

function sizeOf(message: SegmentMessage): number {
  return Buffer.byteLength(JSON.stringify(message));
}
