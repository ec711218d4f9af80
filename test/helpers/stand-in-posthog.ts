import { parseBody, StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';

export interface PosthogEvent {
  readonly event: string;
  readonly distinct_id: string;
  readonly uuid: string;
  readonly timestamp: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Half a surrogate pair is no JSON for PostHog. */
const HALF_PAIR = /(?<!\\)(\\\\)*\\ud[89a-f][0-9a-f]{2}/;

/**
 * PostHog's /batch/: posthog.com/docs/api/capture. Statuses and texts are those of the service's own answers
 * (github.com/PostHog/posthog, rust/capture/src/api.rs).
 */
export class StandInPosthog extends StandIn {
  readonly projectKey = 'phc_4Xh9sQpZ';
  /** By `uuid`. */
  readonly stored = new Map<string, PosthogEvent>();

  protected override answer({ method, path, body }: StandInRequest): StandInAnswer {
    if (method !== 'POST' || path !== '/batch/') return { status: 404, body: 'not found' };
    if (Buffer.byteLength(body) > 20_000_000) return { status: 413, body: 'length limit exceeded' };
    const call = parseBody<{ api_key?: unknown; batch: PosthogEvent[] }>(body);
    if (call === null || HALF_PAIR.test(body)) return { status: 400, body: 'failed to parse request' };
    const { api_key: key, batch } = call;
    if (typeof key !== 'string') return { status: 401, body: 'event submitted without an api_key' };
    const keys = new Set([
      key,
      ...batch.flatMap(({ properties }) => (typeof properties.token === 'string' ? [properties.token] : [])),
    ]);
    if (keys.size > 1) return { status: 401, body: 'batch submitted with inconsistent api_key values' };
    if (key.startsWith('phx_')) return { status: 401, body: 'API key is not valid: personal_api_key' };
    if (batch.length === 0) return { status: 400, body: 'request holds no event' };
    if (batch.some(({ distinct_id: id }) => !id?.trim()))
      return { status: 400, body: 'event submitted without a distinct_id' };
    if (batch.some(({ event }) => !event))
      return { status: 400, body: 'event submitted with an empty event name' };
    if (batch.some((event) => Buffer.byteLength(JSON.stringify(event)) > 1_000_000))
      return { status: 400, body: 'maximum event size exceeded' };
    if (key === this.projectKey) for (const event of batch) this.#store(event);
    return { status: 200, body: { status: 'Ok' } };
  }

  /** Drops without a word what it cannot use. */
  #store(event: PosthogEvent): void {
    if (!UUID.test(event.uuid) || Number.isNaN(Date.parse(event.timestamp))) return;
    this.stored.set(event.uuid, event);
  }
}
