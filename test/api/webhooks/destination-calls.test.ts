/** `/v1/destinations`: what callers see. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { IPHONE_FINGERPRINT } from '../../helpers/callers.ts';
import {
  batchesOf,
  forwarded,
  newEvents,
  newInstall,
  newSegment,
  settled,
  useStandInSegment,
} from '../../helpers/destinations.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`calls of destinations on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    liftRateLimits();
    const segment = useStandInSegment();
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });
    const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      await world.call(method, `/v1/destinations${path}`, { key: app.keys.live, ...(body && { body }) });

    it('no response and no entry of the audit log has a secret', async () => {
      const source = segment.newSource();
      const { id } = await newSegment(world, app, source, { config: { writeKey: 'very-secret-1' } });
      await call('PATCH', `/${id}`, { config: { writeKey: 'very-secret-2' } });
      const audit = await world.call('GET', '/v1/audit-log?limit=100', { key: app.keys.live });
      const texts = [(await call('GET', '')).text, (await call('GET', `/${id}`)).text, audit.text];
      for (const text of texts) assert.doesNotMatch(text, /very-secret/);
      const { body } = await call('GET', `/${id}`);
      assert.deepEqual(
        [body.config, body.secretsSet],
        [{ region: 'us', baseUrl: source.baseUrl }, ['writeKey']],
      );
      assert.match(audit.text, /"destination\.updated"/);
      const stored = world.service.db.selectFrom('webhooks').selectAll().where('id', '=', id);
      assert.doesNotMatch(JSON.stringify(await stored.execute()), /very-secret/);
    });

    it('a stored secret is sent to no other address than the one it was given for', async () => {
      const { id } = await newSegment(world, app, segment.newSource());
      const moved = { baseUrl: segment.newSource().baseUrl };
      const refused = await call('PATCH', `/${id}`, { config: moved });
      assert.equal(refused.status, 400);
      assert.match(refused.body.error, /config\.writeKey is required with another address/);
      assert.equal((await call('PATCH', `/${id}`, { config: { ...moved, writeKey: 'again' } })).status, 200);
    });

    for (const [title, body, error] of [
      ['a missing field', { config: {} }, /config\.writeKey is required/],
      ['an unknown field', { config: { writeKey: 'k', wrong: 1 } }, /wrong/],
      ['an unknown type', { type: 'nothing' }, /type/],
      ['a private address', { config: { writeKey: 'k', baseUrl: 'http://10.1.2.3' } }, /WEBHOOK_ALLOW_CIDRS/],
      [
        'an address with a query',
        { config: { writeKey: 'k', baseUrl: 'https://example.com/?a=1' } },
        /config\.baseUrl must be an http\(s\) address without a query, in place of the type’s own: that of/,
      ],
      ['a mapping of no field', { mapping: { fields: { wrong: 'userId' } } }, /mapping\.fields\.wrong/],
      ['a source that no record has', { mapping: { fields: { userId: 'ipAddress' } } }, /no record has/],
      ['an unknown kind of record', { events: ['click'] }, /events/],
    ] as const)
      it(`${title} is refused with a text that says so`, async () => {
        const valid = { type: 'segment', name: 'Segment', config: { writeKey: 'k' } };
        const answer = await call('POST', '', { ...valid, ...body });
        assert.equal(answer.status, 400, answer.text);
        assert.match(answer.body.error, error);
      });

    it('a preview shows the exact request with masked secrets, and a test sends it', async () => {
      const source = segment.newSource();
      const { id } = await newSegment(world, app, source, { enabled: false });
      const installId = await newInstall(world, app);
      const shown = await call('POST', `/${id}/preview`, { installId });
      assert.equal(shown.status, 200, shown.text);
      const { url, headers, body } = shown.body.request;
      assert.equal(url, `${source.baseUrl}/v1/batch`);
      assert.equal(headers.authorization, 'Basic ••••');
      const tested = await call('POST', `/${id}/test`, { installId });
      assert.deepEqual([tested.status, tested.body.record.id], [200, installId], tested.text);
      const [sent] = await source.arrived(1);
      assert.deepEqual(sent?.items, JSON.parse(body).batch);
      const [attempt] = await batchesOf(world, app, id, 1);
      assert.deepEqual([attempt.test, attempt.success], [true, true]);
      const audit = await world.call('GET', '/v1/audit-log?limit=100', { key: app.keys.live });
      assert.ok(audit.text.includes('"destination.tested"'));
    });

    it('a preview says why nothing would be sent, and a test of it sends nothing', async () => {
      const source = segment.newSource();
      const { id } = await newSegment(world, app, source, { events: ['event'] });
      const installId = await newInstall(world, app, { deterministicOnly: true });
      const shown = await call('POST', `/${id}/preview`, { installId });
      assert.deepEqual([shown.status, shown.body.request], [200, null]);
      assert.match(shown.body.reason, /does not take this record/);
      const tested = await call('POST', `/${id}/test`, { installId });
      assert.equal(tested.status, 409, tested.text);
      assert.deepEqual(source.calls, []);
    });

    it('a test says nothing of how the destination fares, and no answer shows its secrets', async () => {
      const body = 'no source for echoed-key-1';
      const source = segment.newSource(() => ({ status: 400, body }));
      const { id } = await newSegment(world, app, source, { config: { writeKey: 'echoed-key-1' } });
      await newInstall(world, app);
      const tested = await call('POST', `/${id}/test`, {});
      assert.match(tested.body.error, /no source for ••••/);
      const { health } = (await call('GET', `/${id}`)).body;
      assert.deepEqual([health.lastFailureAt, health.failingSince], [null, null]);
      await forwarded(world, source, 2);
      const attempts = await batchesOf(world, app, id, 2);
      assert.doesNotMatch(JSON.stringify(attempts), /echoed-key/);
      const log = world.service.db.selectFrom('webhook_attempts').selectAll().where('webhook_id', '=', id);
      assert.doesNotMatch(JSON.stringify(await log.execute()), /echoed-key/);
    });

    it('a refused test says what the network answered', async () => {
      const source = segment.newSource(() => ({ status: 400, body: 'no such source' }));
      const { id } = await newSegment(world, app, source, { enabled: false });
      await newInstall(world, app);
      const tested = await call('POST', `/${id}/test`, {});
      assert.equal(tested.status, 502);
      assert.match(tested.body.error, /no such source/);
    });

    it('a redirect is not followed, and a test says what to set', async () => {
      const headers = { location: `${segment.baseUrl}/elsewhere` };
      const source = segment.newSource(() => ({ status: 308, headers }));
      const { id } = await newSegment(world, app, source, { enabled: false });
      await newInstall(world, app);
      const tested = await call('POST', `/${id}/test`, {});
      assert.match(tested.body.error, /308\. Redirects are not followed: set the final address\./);
      assert.equal(source.calls.length, 1);
    });

    it('a page in place of the network delivers nothing: a test says what to check, and a batch waits', async () => {
      const page = { status: 200, body: '<!doctype html><title>Sign in</title>' };
      const source = segment.newSource(() => page);
      const { id } = await newSegment(world, app, source);
      const installId = await newInstall(world, app);
      const tested = await call('POST', `/${id}/test`, { installId });
      assert.equal(tested.status, 502);
      assert.match(
        tested.body.error,
        /Segment answered 200, but .*Check the address, .*sign-in page.*Sign in/,
      );
      await forwarded(world, source, 2);
      const [attempt] = await batchesOf(world, app, id, 2);
      assert.equal(attempt.success, false);
      assert.equal((await call('GET', `/${id}`)).body.health.waiting, 1);
      await call('DELETE', `/${id}`);
    });

    it('a purchase and its refund have the same order, which lists have as it was told', async () => {
      const { id } = await newSegment(world, app, segment.newSource(), { enabled: false });
      const installId = await newInstall(world, app);
      const orderOf = async (amount: string, transactionId: string | null) => {
        const event = { installId, eventName: 'paid', revenue: { amount, currency: 'EUR' }, transactionId };
        const { body } = await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body: event });
        const shown = await call('POST', `/${id}/preview`, { eventId: body.eventId });
        const listed = await world.call('GET', `/v1/events/${body.eventId}`, { key: app.keys.live });
        assert.equal(listed.body.transactionId, transactionId, listed.text);
        return JSON.parse(shown.body.request.body).batch[0].properties.order_id;
      };
      assert.equal(await orderOf('5', 'order-1'), 'order-1');
      assert.equal(await orderOf('-5', 'order-1-refund'), 'order-1');
      // As from RevenueCat, of which each refund counts.
      assert.equal(await orderOf('-1', 'order-1-refund-0C1D2E3F'), 'order-1');
      assert.equal(await orderOf('5', 'order-1-refund-reversed'), 'order-1');
      assert.equal(await orderOf('5', null), undefined);
      const event = { installId, eventName: 'purchase', revenue: { amount: '5', currency: 'EUR' } };
      const again = { key: app.keys.live, body: { ...event, transactionId: 'order-1' } };
      const { body } = await world.call('POST', '/v1/sdk/event', again);
      const repeat = await call('POST', `/${id}/preview`, { eventId: body.eventId });
      assert.deepEqual([repeat.body.request, repeat.body.reason?.includes('counted')], [null, true]);
    });

    it('without a record named, the newest that would be sent is shown, behind many others too, and of any kind', async () => {
      const own = await world.newApp();
      const preview = async (fields: object) => {
        const { id } = await newSegment(world, own, segment.newSource(), { enabled: false, ...fields });
        return await world.call('POST', `/v1/destinations/${id}/preview`, { key: own.keys.live, body: {} });
      };
      const installId = await newInstall(world, own);
      const [rare] = await newEvents(world, own, installId, ['rare', 'common']);
      const weak = await newInstall(world, own, { deterministicOnly: true });
      await newEvents(world, own, weak, Array(60).fill('common'));
      assert.equal((await preview({ eventNames: ['rare'], events: ['event'] })).body.record.id, rare);
      const common = await preview({ events: ['event'] });
      assert.deepEqual([common.status, common.body.reason], [200, null]);
      assert.equal((await preview({ events: ['open'] })).status, 409);
      const { shortCode } = await world.newLink(own);
      const openId = crypto.randomUUID();
      const body = { fingerprint: IPHONE_FINGERPRINT, installId, shortCode, openId };
      await world.call('POST', '/v1/sdk/resolve', { key: own.keys.live_publishable, body });
      assert.equal((await preview({ events: ['open'] })).body.record?.id, openId);
    });

    it('the log names an event by the id that the receiver gets, by which it is found', async () => {
      const app = await world.newApp();
      const source = segment.newSource(() => ({ status: 400, body: 'malformed' }));
      const { id } = await newSegment(world, app, source, { events: ['event'] });
      const installId = await newInstall(world, app);
      const eventId = crypto.randomUUID();
      const event = { installId, eventName: 'purchase', eventId };
      await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body: event });
      await forwarded(world, source, 1);
      assert.equal(source.calls[0]?.items[0]?.messageId, eventId);
      const [attempt] = await batchesOf(world, app, id, 1);
      assert.deepEqual(attempt.records, [{ kind: 'event', id: eventId }]);
      assert.equal(JSON.parse(attempt.details).reasons[0].example.id, eventId);
      const found = await world.call('GET', `/v1/events/${eventId}`, { key: app.keys.live });
      assert.deepEqual([found.status, found.body.eventName], [200, 'purchase'], found.text);
    });

    it('what hangs at the receiver waits', async () => {
      const source = segment.newSource(() => 'never');
      const { id } = await newSegment(world, app, source);
      await newInstall(world, app);
      await forwarded(world, source, 1);
      assert.equal((await call('GET', `/${id}`)).body.health.waiting, 1);
      await call('DELETE', `/${id}`);
    });

    it('an event is found by the id of its client, and a record of another app is not found', async () => {
      const { id } = await newSegment(world, app, segment.newSource(), { enabled: false });
      const installId = await newInstall(world, app);
      const eventId = crypto.randomUUID();
      const event = { installId, eventName: 'purchase', eventId };
      await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body: event });
      const shown = await call('POST', `/${id}/preview`, { eventId });
      assert.deepEqual([shown.status, shown.body.record?.name], [200, 'purchase'], shown.text);
      const other = await world.newApp();
      const foreign = await newInstall(world, other);
      assert.equal((await call('POST', `/${id}/preview`, { installId: foreign })).status, 404);
      const path = `/v1/destinations/${id}`;
      assert.equal((await world.call('GET', path, { key: other.keys.live })).status, 404);
    });

    it('an app has at most 20 destinations', async () => {
      const full = await world.newApp();
      const source = segment.newSource();
      for (let made = 0; made < 20; made++) await newSegment(world, full, source);
      const body = { type: 'segment', name: 'one more', config: { writeKey: 'k' } };
      const answer = await world.call('POST', '/v1/destinations', { key: full.keys.live, body });
      assert.equal(answer.status, 409);
      assert.equal(answer.headers['x-service-error'], 'destination.too_many');
    });

    it('a redelivery and a recovery send a batch again and are in the audit log', async () => {
      const own = await world.newApp();
      const source = segment.newSource(() => ({ status: 422, body: 'wrong' }));
      const { id } = await newSegment(world, own, source);
      const installId = await newInstall(world, own);
      await forwarded(world, source, 1);
      const [attempt] = await batchesOf(world, own, id, 1);
      assert.deepEqual([attempt.givenUp, attempt.nextAttemptAt], [true, null]);
      source.answer = () => 200;
      const key = own.keys.live;
      const since = { since: '2020-01-01T00:00:00Z' };
      const recovered = await world.call('POST', `/v1/destinations/${id}/recovery`, { key, body: since });
      assert.deepEqual(recovered.body, { messages: 1 });
      await source.arrived(2);
      const again = `/v1/destinations/deliveries/${attempt.id}/redelivery`;
      assert.equal((await world.call('POST', again, { key })).status, 202);
      await source.arrived(3);
      assert.deepEqual(new Set(source.ids), new Set([installId]));
      const { text } = await world.call('GET', '/v1/audit-log?limit=100', { key });
      for (const action of [
        'destination.recovered',
        'destination.redelivered',
        'destination.delivery_failed',
      ])
        assert.ok(text.includes(`"${action}"`), action);
      assert.doesNotMatch(text, /webhook\.delivery_failed/);
    });

    it('the types say what each takes, and which fields are secret', async () => {
      const { body } = await call('GET', '/types');
      const { config, hasBaseUrl } = body.find(({ type }: { type: string }) => type === 'segment');
      assert.equal(hasBaseUrl, true);
      const writeKey = config.find(({ name }: { name: string }) => name === 'writeKey');
      assert.deepEqual([writeKey.required, writeKey.secret], [true, true]);
    });

    it('records of a deleted destination are sent no more', async () => {
      const own = await world.newApp();
      const source = segment.newSource(() => 503);
      const { id } = await newSegment(world, own, source);
      const installId = await newInstall(world, own);
      await forwarded(world, source, 1);
      await batchesOf(world, own, id, 1);
      await world.call('DELETE', `/v1/destinations/${id}`, { key: own.keys.live });
      const calls = source.calls.length;
      await newEvents(world, own, installId, ['later']);
      await settled(world, own);
      assert.equal(source.calls.length, calls);
    });
  });
