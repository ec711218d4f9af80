/** Destinations of a test's app, and a stand-in of their networks. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { after, before } from 'node:test';
import { formAll } from '../../src/webhooks/destinations/form-batches.ts';
import { freshAddress, IPHONE_FINGERPRINT } from './callers.ts';
import { StandIn, type StandInRequest } from './stand-in.ts';
import { waitFor } from './wait-for.ts';
import type { TestApp, World } from './world.ts';

interface SegmentItem {
  readonly event: string;
  readonly messageId: string;
  readonly [field: string]: unknown;
}

interface SegmentCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly items: readonly SegmentItem[];
}

type SegmentAnswer = number | 'never' | { status: number; body?: string; headers?: Record<string, string> };

/** One source of the stand-in, made from segment.com/docs/connections/sources/catalog/libraries/server/http-api. */
export class StandInSource {
  readonly calls: SegmentCall[] = [];
  readonly baseUrl: string;
  answer: (call: SegmentCall, nth: number) => SegmentAnswer = () => 200;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** Of the records that were accepted. */
  get ids(): string[] {
    return this.calls.flatMap(({ items }) => items.map(({ messageId }) => messageId));
  }

  async arrived(calls: number): Promise<readonly SegmentCall[]> {
    return await waitFor(`${calls} calls`, () => (this.calls.length >= calls ? this.calls : undefined));
  }
}

class StandInSources extends StandIn {
  readonly #sources: StandInSource[] = [];

  protected override answer({ path, headers, body }: StandInRequest) {
    const [, nth, ...rest] = path.split('/');
    const source = this.#sources[Number(nth)];
    const call = { path: rest.join('/'), headers, items: JSON.parse(body).batch };
    source?.calls.push(call);
    const answer = source?.answer(call, source.calls.length) ?? 404;
    if (answer === 'never') return answer;
    return { body: '{"success": true}', ...(typeof answer === 'number' ? { status: answer } : answer) };
  }

  newSource(answer: StandInSource['answer'] = () => 200): StandInSource {
    const source = new StandInSource(`${this.baseUrl}/${this.#sources.length}`);
    this.#sources.push(source);
    source.answer = answer;
    return source;
  }
}

/** A server that takes Segment's calls, each source under a path of its own. */
export function useStandInSegment(): StandInSources {
  const standIn = new StandInSources();
  before(() => standIn.open());
  after(() => standIn.close());
  return standIn;
}

/** Creates a destination of type `segment` at a stand-in of Segment. */
export async function newSegment(
  world: World,
  app: TestApp,
  { baseUrl }: Pick<StandInSource, 'baseUrl'>,
  { config, ...fields }: { config?: object; [field: string]: unknown } = {},
  key = app.keys.live,
) {
  const body = {
    type: 'segment',
    name: 'Segment',
    config: { writeKey: 'a-write-key', baseUrl, ...config },
    ...fields,
  };
  const answer = await world.call('POST', '/v1/destinations', { key, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export async function newInstall(
  world: World,
  app: TestApp,
  fields: object = {},
  key = app.keys.live_publishable,
) {
  const body = { fingerprint: IPHONE_FINGERPRINT, ...fields };
  const answer = await world.call('POST', '/v1/sdk/install', { key, from: freshAddress(), body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.installId as string;
}

/** @returns the events' ids. */
export async function newEvents(
  world: World,
  app: TestApp,
  installId: string,
  names: readonly string[],
  key = app.keys.live_publishable,
): Promise<string[]> {
  const events = names.map((eventName) => ({ installId, eventName, properties: { plan: 'pro' } }));
  const answer = await world.call('POST', '/v1/sdk/events', { key, body: { events } });
  assert.ok(answer.status < 300, answer.text);
  return answer.body.results.map(({ eventId }: { eventId: string }) => eventId);
}

/** Forms batches and waits until a source has got so many calls. */
export async function forwarded(world: World, source: StandInSource, calls: number): Promise<void> {
  await formAll(world.service);
  await source.arrived(calls);
}

/** Waits until no record of an app is left to send. */
export async function settled({ service: { db } }: World, { id }: TestApp): Promise<void> {
  await waitFor('nothing is left', async () => {
    for (const table of ['destination_feed', 'webhook_queue'] as const)
      if (await db.selectFrom(table).select('id').where('app_id', '=', id).executeTakeFirst())
        return undefined;
    return true;
  });
}

/** The attempts of a destination once there are so many, newest first. */
export async function batchesOf(world: World, app: TestApp, id: string, count: number) {
  return await waitFor(`${count} attempts`, async () => {
    const path = `/v1/destinations/${id}/deliveries?limit=100`;
    const answer = await world.call('GET', path, { key: app.keys.live });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.length >= count ? answer.body : undefined;
  });
}
