/** Destinations: what reaches them, and what becomes of it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { formAll } from '../../../src/webhooks/destinations/form-batches.ts';
import { freshAddress, IPHONE_FINGERPRINT } from '../../helpers/callers.ts';
import {
  batchesOf,
  forwarded,
  newEvents,
  newInstall,
  newSegment,
  type StandInSource,
  settled,
  useStandInSegment,
} from '../../helpers/destinations.ts';
import { engines } from '../../helpers/engines.ts';
import { erase } from '../../helpers/privacy-scene.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`destinations on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const segment = useStandInSegment();

    it('installs and events arrive once, with the ids of the records', async () => {
      const app = await world.newApp();
      const source = segment.newSource();
      const { id } = await newSegment(world, app, source);
      const installId = await newInstall(world, app);
      const eventIds = await newEvents(world, app, installId, ['signup', 'purchase']);
      await allArrived(source, [installId, ...eventIds]);
      const [attempt] = await batchesOf(world, app, id, source.calls.length);
      assert.deepEqual([attempt.success, attempt.httpStatus, attempt.summary], [true, 200, null]);
    });

    it('a live destination gets live records, one of a test key those of sandboxes', async () => {
      const app = await world.newApp();
      const [live, sandbox] = [segment.newSource(), segment.newSource()];
      await newSegment(world, app, live);
      const made = await newSegment(world, app, sandbox, {}, app.keys.test);
      assert.equal(made.sandbox, true);
      const [liveId, sandboxId] = [
        await newInstall(world, app),
        await newInstall(world, app, {}, app.keys.test),
      ];
      await settled(world, app);
      assert.deepEqual([live.ids, sandbox.ids], [[liveId], [sandboxId]]);
    });

    it('a transaction that was told by an event that the destination does not take arrives once, with its revenue', async () => {
      const app = await world.newApp();
      const [some, all] = [segment.newSource(), segment.newSource()];
      await newSegment(world, app, some, { events: ['event'], eventNames: ['purchase'] });
      await newSegment(world, app, all, { events: ['event'] });
      const installId = await newInstall(world, app);
      const revenue = { amount: '9.99', currency: 'EUR' };
      const events = ['subscribe', 'purchase', 'purchase'].map((eventName) => ({
        ...{ installId, eventName, revenue, transactionId: 'T-1', eventId: randomUUID() },
      }));
      const key = app.keys.live_publishable;
      const answer = await world.call('POST', '/v1/sdk/events', { key, body: { events } });
      assert.ok(answer.status < 300, answer.text);
      await formAll(world.service);
      await settled(world, app);
      const sentTo = ({ calls }: StandInSource) =>
        calls.flatMap(({ items }) =>
          items.map(({ messageId, event, properties }) => {
            const { revenue: amount, order_id } = properties as { revenue: number; order_id: string };
            return [messageId, event, amount, order_id];
          }),
        );
      assert.deepEqual(sentTo(some), [[events[1]?.eventId, 'purchase', 9.99, 'T-1']]);
      assert.deepEqual(sentTo(all), [[events[0]?.eventId, 'subscribe', 9.99, 'T-1']]);
    });

    it('an install that an ad network claims arrives once', async () => {
      const app = await world.newApp();
      const source = segment.newSource();
      await newSegment(world, app, source);
      const fingerprint = { ...IPHONE_FINGERPRINT, platform: 'ANDROID' };
      const installId = await newInstall(world, app, { fingerprint, installReferrer: 'gclid=once' });
      const { body } = await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live });
      assert.equal(body.network?.name, 'google_ads');
      await settled(world, app);
      assert.deepEqual(source.ids, [installId]);
    });

    it('only chosen kinds and names of events are sent', async () => {
      const app = await world.newApp();
      const source = segment.newSource();
      await newSegment(world, app, source, { events: ['event'], eventNames: ['purchase'] });
      const installId = await newInstall(world, app);
      const [, purchase = ''] = await newEvents(world, app, installId, ['signup', 'purchase']);
      await allArrived(source, [purchase]);
    });

    it('without consent to more than certain matching, records go only to destinations with consent “any”', async () => {
      const app = await world.newApp();
      const [granted, any] = [segment.newSource(), segment.newSource()];
      const { id } = await newSegment(world, app, granted);
      await newSegment(world, app, any, { consent: 'any' });
      const weak = await newInstall(world, app, { deterministicOnly: true });
      const [event = ''] = await newEvents(world, app, weak, ['purchase']);
      await settled(world, app);
      assert.deepEqual(any.ids.toSorted(), [weak, event].toSorted());
      const [attempt] = await batchesOf(world, app, id, 1);
      assert.match(attempt.summary, /left out/);
      assert.deepEqual(granted.calls, []);
    });

    it('what the person says last holds: a consent withdrawn or given later, by any call of the install', async () => {
      const app = await world.newApp();
      const [granted, any] = [segment.newSource(), segment.newSource()];
      await newSegment(world, app, granted);
      await newSegment(world, app, any, { consent: 'any' });
      const key = app.keys.live_publishable;
      const { shortCode } = await world.newLink(app);
      const call = async (path: string, body: object) => {
        const sent = { key, from: freshAddress(), body: { fingerprint: IPHONE_FINGERPRINT, ...body } };
        assert.equal((await world.call('POST', `/v1/sdk/${path}`, sent)).status, 200);
      };
      const record = async (installId: string) =>
        (await newEvents(world, app, installId, ['purchase'])).join('');
      const [withdrawn, given, repeated] = [
        await newInstall(world, app),
        await newInstall(world, app, { deterministicOnly: true }),
        await newInstall(world, app, { deterministicOnly: true }),
      ];
      const [before, unsaid] = [await record(withdrawn), await record(given)];
      world.clock.advance(1);
      await call('open', { installId: withdrawn, deterministicOnly: true });
      const openId = randomUUID();
      await call('resolve', { installId: given, shortCode, openId });
      await call('install', { installId: repeated });
      const after = [await record(withdrawn), await record(given), await record(repeated)];
      const all = [withdrawn, given, repeated, before, unsaid, openId, ...after];
      await settled(world, app);
      for (const id of all) assert.ok(any.ids.includes(id));
      const [withheld = '', ...sent] = after;
      for (const id of [openId, ...sent]) assert.ok(granted.ids.includes(id));
      // What was recorded before the consent was withdrawn may have been sent before.
      for (const id of [given, repeated, unsaid, withheld]) assert.ok(!granted.ids.includes(id));
    });

    it('of a batch that is refused whole, all but the wrong record arrive, and that one is refused alone', async () => {
      const app = await world.newApp();
      const source = segment.newSource(({ items }) =>
        items.some(({ event }) => event === 'wrong') ? { status: 400, body: 'malformed JSON' } : 200,
      );
      const { id } = await newSegment(world, app, source, { events: ['event'] });
      const installId = await newInstall(world, app);
      const names = Array.from({ length: 9 }, (_, index) => (index === 6 ? 'wrong' : 'right'));
      const eventIds = await newEvents(world, app, installId, names);
      await formAll(world.service);
      const alone = await waitFor('the wrong record is alone', () =>
        source.calls.find(({ items: [first, ...others] }) => first?.event === 'wrong' && others.length === 0),
      );
      assert.equal(alone.items[0]?.messageId, eventIds[6]);
      const accepted = () =>
        source.calls
          .filter(({ items }) => items.every(({ event }) => event !== 'wrong'))
          .flatMap(({ items }) => items.map(({ messageId }) => messageId));
      await waitFor('all others', () => (accepted().length === 8 ? true : undefined));
      assert.deepEqual(accepted().toSorted(), eventIds.toSpliced(6, 1).toSorted());
      const attempts = await batchesOf(world, app, id, source.calls.length);
      assert.ok(attempts.some(({ givenUp }: { givenUp: boolean }) => givenUp));
      assert.ok(attempts.some(({ details }: { details: string }) => details.includes('malformed JSON')));
    });

    it('a dead destination delays no other, and the feed keeps nothing for it', async () => {
      const app = await world.newApp();
      const [dead, well] = [segment.newSource(() => 'never'), segment.newSource()];
      const { id } = await newSegment(world, app, dead);
      await newSegment(world, app, well);
      const installId = await newInstall(world, app);
      const ids: string[] = [];
      for (let round = 0; round < 5; round++) {
        ids.push(...(await newEvents(world, app, installId, ['level', 'level'])));
        await formAll(world.service);
      }
      await allArrived(well, [installId, ...ids]);
      const feed = world.service.db.selectFrom('destination_feed').select('id').where('app_id', '=', app.id);
      assert.deepEqual(await feed.execute(), []);
      const queued = world.service.db.selectFrom('webhook_queue').select('id').where('webhook_id', '=', id);
      assert.ok((await queued.execute()).length >= 1);
      await world.call('DELETE', `/v1/destinations/${id}`, { key: app.keys.live });
    });

    it('a destination that fails is asked with few of its batches, and gets all of them once it is back', async () => {
      const app = await world.newApp();
      const source = segment.newSource(() => 503);
      await newSegment(world, app, source, { events: ['event'] });
      const installId = await newInstall(world, app);
      const ids: string[] = [];
      for (let batch = 0; batch < 20; batch++) {
        ids.push(...(await newEvents(world, app, installId, ['level'])));
        await formAll(world.service);
      }
      await waitFor('three calls', () => (source.calls.length >= 3 ? true : undefined));
      const asked = source.calls.length;
      assert.ok(asked < 12, `${asked} calls`);
      source.answer = () => 200;
      const arrived = () =>
        new Set(source.calls.slice(asked).flatMap(({ items }) => items.map((item) => item.messageId)));
      await waitFor('all records', () => (arrived().size === ids.length ? true : undefined));
    });

    it('processes that form batches at the same time send each record once', async () => {
      const app = await world.newApp();
      const source = segment.newSource();
      await newSegment(world, app, source, { events: ['event'] });
      const installId = await newInstall(world, app);
      const calls = Array.from({ length: 20 }, () => newEvents(world, app, installId, ['level']));
      const ids = (await Promise.all(calls)).flat();
      await Promise.all(Array.from({ length: 4 }, () => formAll(world.service)));
      await settled(world, app);
      assert.deepEqual(source.ids.toSorted(), ids.toSorted());
    });

    it('while a destination is disabled nothing is sent, and a recovery sends what waited', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const source = segment.newSource(() => 503);
      const { id } = await newSegment(world, app, source);
      const installId = await newInstall(world, app);
      await forwarded(world, source, 1);
      await batchesOf(world, app, id, 1);
      const patch = (enabled: boolean) =>
        world.call('PATCH', `/v1/destinations/${id}`, { key, body: { enabled } });
      await patch(false);
      // If an attempt was in flight, its retry is dropped too.
      await settled(world, app);
      const calls = source.calls.length;
      source.answer = () => 200;
      await newInstall(world, app);
      await formAll(world.service);
      await patch(true);
      const later = await newInstall(world, app);
      await formAll(world.service);
      await source.arrived(calls + 1);
      const body = { since: '2020-01-01T00:00:00Z' };
      const recovered = await world.call('POST', `/v1/destinations/${id}/recovery`, { key, body });
      assert.deepEqual([recovered.status, recovered.body], [202, { messages: 1 }], recovered.text);
      await source.arrived(calls + 2);
      const after = source.calls.slice(calls).flatMap(({ items }) => items.map(({ messageId }) => messageId));
      assert.deepEqual(after.toSorted(), [installId, later].toSorted());
    });

    it('records that are erased while their batch waits are left out, and what the network said of them goes', async () => {
      const app = await world.newApp();
      const source = segment.newSource(() => ({ status: 503, body: 'no room for user u-erased' }));
      const { id } = await newSegment(world, app, source);
      const [gone, stays] = [await newInstall(world, app), await newInstall(world, app)];
      const key = app.keys.live_publishable;
      await world.call('POST', '/v1/sdk/identify', { key, body: { installId: gone, userId: 'u-erased' } });
      await forwarded(world, source, 1);
      const [failed] = await batchesOf(world, app, id, 1);
      assert.match(failed.details, /u-erased/);
      source.answer = () => 503;
      await erase(world, app, { userId: 'u-erased' });
      const calls = source.calls.length;
      source.answer = () => 200;
      const since = { since: '2020-01-01T00:00:00Z' };
      await world.call('POST', `/v1/destinations/${id}/recovery`, { key: app.keys.live, body: since });
      await waitFor('the other one', () =>
        source.calls.slice(calls).some(({ items }) => items.some(({ messageId }) => messageId === stays))
          ? true
          : undefined,
      );
      const ids = source.calls.slice(calls).flatMap(({ items }) => items.map(({ messageId }) => messageId));
      assert.ok(!ids.includes(gone));
      for (const { details } of await batchesOf(world, app, id, 1)) assert.doesNotMatch(details, /u-erased/);
    });

    it('webhooks, their log and their failures have nothing of destinations', async () => {
      const app = await world.newApp();
      const source = segment.newSource(() => 400);
      const { id } = await newSegment(world, app, source);
      await newInstall(world, app);
      await forwarded(world, source, 1);
      const [attempt] = await batchesOf(world, app, id, 1);
      const key = app.keys.live;
      const read = async (path: string) => (await world.call('GET', path, { key })).body;
      assert.deepEqual(await read('/v1/webhooks'), []);
      assert.deepEqual(await read('/v1/webhooks/deliveries'), []);
      assert.deepEqual(await read(`/v1/webhooks/deliveries?webhook_id=${id}`), []);
      for (const [method, path] of [
        ['GET', `/v1/webhooks/${id}`],
        ['DELETE', `/v1/webhooks/${id}`],
        ['POST', `/v1/webhooks/${id}/test`],
        ['POST', `/v1/webhooks/deliveries/${attempt.id}/redelivery`],
      ] as const)
        assert.equal((await world.call(method, path, { key })).status, 404, path);
    });
  });

// Apart and in turn: under load, time that passes would end attempts of other tests.
for (const engine of engines)
  describe(`destinations while time passes on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const segment = useStandInSegment();

    it('whoever sends many records that a network refuses holds up no other record for good', async () => {
      const app = await world.newApp();
      const isWrong = ({ items }: StandInSource['calls'][number]) =>
        items.some(({ event }) => event === 'wrong');
      const source = segment.newSource((call) => (isWrong(call) ? 400 : 200));
      await newSegment(world, app, source, { events: ['event'] });
      const installId = await newInstall(world, app);
      const wrong = (count: number) => Array.from({ length: count }, () => 'wrong');
      await newEvents(world, app, installId, wrong(40));
      await forwarded(world, source, 60);
      const right: string[] = [];
      const arrived = () => new Set(source.calls.filter((call) => !isWrong(call)).flatMap(idsOf));
      await waitFor('later records', async () => {
        const ids = await newEvents(world, app, installId, ['wrong', 'right', 'wrong']);
        right.push(...ids.slice(1, 2));
        await forwarded(world, source, source.calls.length + 1);
        world.clock.advance(10 * SECOND_MS);
        return arrived().size >= 3 || undefined;
      });
      await waitFor('the others', () => {
        world.clock.advance(10 * SECOND_MS);
        return right.every((id) => arrived().has(id)) || undefined;
      });
    });

    it('a wrong key loses nothing: what waited arrives once the key is right, at once', async () => {
      const app = await world.newApp();
      const right = `Basic ${Buffer.from('right-key:').toString('base64')}`;
      const source = segment.newSource(({ headers }) => (headers.authorization === right ? 200 : 401));
      const { id } = await newSegment(world, app, source);
      const installId = await newInstall(world, app);
      await forwarded(world, source, 1);
      const [attempt] = await batchesOf(world, app, id, 1);
      assert.match(attempt.summary, /401.*credentials/);
      await waitFor('a retry of a later time', async () => {
        world.clock.advance(6_000);
        return source.calls.length >= 3 ? true : undefined;
      });
      const { db } = world.service;
      const query = db.selectFrom('webhook_queue').select('next_attempt_at').where('webhook_id', '=', id);
      const waiting = () => query.where('lease_until', 'is', null).executeTakeFirst();
      const before = await waitFor('a retry that waits', waiting);
      const body = { config: { writeKey: 'right-key' } };
      const changed = await world.call('PATCH', `/v1/destinations/${id}`, { key: app.keys.live, body });
      assert.deepEqual([changed.status, changed.body.config.baseUrl], [200, source.baseUrl], changed.text);
      assert.notEqual((await waiting())?.next_attempt_at, before.next_attempt_at);
      await waitFor('the record arrives', () => {
        // An attempt with the former key may have been in flight, after which the destination rests.
        world.clock.advance(6_000);
        const arrived = source.calls.some(
          ({ headers, items }) => headers.authorization === right && items[0]?.messageId === installId,
        );
        return arrived ? true : undefined;
      });
    });
  });

/** Forms batches until a source has got these records, and no others. */
async function allArrived(source: StandInSource, ids: readonly string[]): Promise<void> {
  await waitFor('all records', () => (source.ids.length >= ids.length ? true : undefined), {
    withinMs: 30_000,
  });
  assert.deepEqual(source.ids.toSorted(), ids.toSorted());
}

const idsOf = ({ items }: StandInSource['calls'][number]) => items.map(({ messageId }) => messageId);
