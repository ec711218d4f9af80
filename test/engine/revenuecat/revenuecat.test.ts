import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Flag } from '../../../src/db/index.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { dropOld } from '../../../src/privacy/retention.ts';
import { listExcess } from '../../../src/revenuecat/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { erase } from '../../helpers/privacy-scene.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

type Fields = Record<string, unknown>;
const SAMPLES = JSON.parse(readFileSync('test/fixtures/revenuecat.json', 'utf8')) as Record<string, Fields>;
/** Of a purchase that no other belongs to. */
const NEW = { transaction_id: null, original_transaction_id: null };
const AUTHORIZATION = 'Bearer of the tests, 24 or more';

for (const engine of engines)
  describe(`RevenueCat on ${engine}`, () => {
    const world = useWorld(engine);
    const newApp = () => world.newApp({ revenuecatAuthorization: AUTHORIZATION });
    const newUser = async (app: TestApp, userId: string, key = app.keys.live_publishable) => {
      const installId = (await world.install(app, {}, { key })).body.installId as string;
      await identify(app, { installId, userId }, key);
      return installId;
    };
    const identify = async (app: TestApp, body: Fields, key = app.keys.live_publishable) => {
      assert.equal((await world.call('POST', '/v1/sdk/identify', { key, body })).status, 204);
    };
    const send = async (app: TestApp, name: string, changes: Fields = {}) =>
      await world.call('POST', `/v1/integrations/revenuecat/${app.id}`, {
        headers: { authorization: AUTHORIZATION },
        body: { event: { ...SAMPLES[name], id: randomUUID(), ...changes }, api_version: '1.0' },
      });
    const outcomeOf = async (app: TestApp, name: string, changes: Fields = {}) => {
      const { status, body } = await send(app, name, changes);
      assert.equal(status, 200);
      return body.outcome as string;
    };
    const events = async (app: TestApp) =>
      await world.service.db
        .selectFrom('events')
        .selectAll()
        .where('app_id', '=', app.id)
        .orderBy('id')
        .execute();
    const statusOf = async (app: TestApp) =>
      (await world.call('GET', '/v1/integrations/revenuecat', { key: app.keys.live })).body;
    const revenueOf = async (app: TestApp, key = app.keys.live) => {
      const { body } = await world.call('GET', '/v1/stats', { key });
      return body.totals?.revenue ?? body.revenue;
    };

    it('a purchase, its repetition and its refund are each recorded once, with their revenue and the user', async () => {
      const app = await newApp();
      const installId = await newUser(app, 'ada');
      const purchase = { id: 'the event', app_user_id: 'ada' };
      const both = await Promise.all([1, 2].map(() => outcomeOf(app, 'initialPurchase', purchase)));
      assert.deepEqual(
        [...both, await outcomeOf(app, 'initialPurchase', purchase)],
        Array(3).fill('recorded'),
      );
      await outcomeOf(app, 'refund', { app_user_id: 'ada', price_in_purchased_currency: -1.99 });
      const rows = await events(app);
      assert.deepEqual(
        rows.map((row) => [row.event_name, row.revenue_amount, row.user_id, row.install_id]),
        [
          ['subscribe', '4.99', 'ada', installId],
          ['refund', '-1.99', 'ada', installId],
        ],
      );
      assert.equal(rows[0]?.occurred_at, '2022-07-25T05:19:34.000Z');
      assert.deepEqual(await revenueOf(app), [{ currency: 'USD', amount: '3.00' }]);
    });

    it('a transaction that the app tracked itself counts once, whoever comes first', async () => {
      const app = await newApp();
      const installId = await newUser(app, 'ada');
      const track = async (transactionId: string) =>
        await world.call('POST', '/v1/sdk/event', {
          key: app.keys.live_publishable,
          body: {
            installId,
            eventName: 'purchase',
            revenue: { amount: '4.99', currency: 'USD' },
            transactionId,
          },
        });
      await track('t-1');
      await outcomeOf(app, 'initialPurchase', { app_user_id: 'ada', transaction_id: 't-1' });
      await outcomeOf(app, 'initialPurchase', { app_user_id: 'ada', transaction_id: 't-2' });
      await track('t-2');
      assert.deepEqual(
        (await events(app)).map((row) => [
          ...[row.event_name, row.revenue_amount],
          ...[row.transaction_id, row.repeats_transaction],
        ]),
        [
          ['purchase', '4.99', 't-1', null],
          ['subscribe', null, 't-1', 1],
          ['subscribe', '4.99', 't-2', null],
          ['purchase', null, 't-2', 1],
        ],
      );
    });

    it('the newest install of the user is found, by user ID, alias, install ID or attribute', async () => {
      const app = await newApp();
      await newUser(app, 'ada');
      world.clock.advance(1_000);
      const newest = await newUser(app, 'ada');
      const customers: Fields[] = [
        { app_user_id: 'ada' },
        { app_user_id: '$RCAnonymousID:1', aliases: ['$RCAnonymousID:2', 'ada'] },
        { app_user_id: newest.toUpperCase() },
        {
          ...{ app_user_id: '$RCAnonymousID:1' },
          subscriber_attributes: { throughline_install_id: { value: newest } },
        },
      ];
      for (const customer of customers)
        assert.equal(await outcomeOf(app, 'expiration', { aliases: [], ...customer }), 'recorded');
      assert.deepEqual(new Set((await events(app)).map((row) => row.install_id)), new Set([newest]));
    });

    it('refunds and renewals are of the install that bought, after a reinstall and a change of the user too', async () => {
      const app = await newApp();
      const first = await newUser(app, 'ada');
      const bought = { app_user_id: 'ada', aliases: [], transaction_id: 'E1', original_transaction_id: 'E1' };
      const trial = { ...bought, transaction_id: 'F1', original_transaction_id: 'F1' };
      await outcomeOf(app, 'initialPurchase', bought);
      await outcomeOf(app, 'trialStarted', trial);
      world.clock.advance(1_000);
      const second = await newUser(app, 'ada');
      const expected: (string | null)[][] = [];
      const check = async (name: string, changes: Fields, ...row: (string | null)[]) => {
        assert.equal(await outcomeOf(app, name, changes), 'recorded');
        expected.push(row);
      };
      await check('renewal', { ...bought, transaction_id: 'E2' }, first, 'ada', '7.99');
      await check('renewal', { ...trial, transaction_id: 'F2' }, first, 'ada', '7.99');
      await check('refund', { ...bought, transaction_id: 'E2' }, first, 'ada', '-9.99');
      await check('expiration', { ...trial, transaction_id: 'F2' }, first, 'ada', null);
      await check('nonRenewingPurchase', { ...bought, ...NEW }, second, 'ada', '32.99');
      // Somebody else signs in on the first phone, and the second is gone.
      await identify(app, { installId: first, userId: 'bob' });
      await check('renewal', { ...bought, transaction_id: 'E3' }, first, 'ada', '7.99');
      // After a transfer RevenueCat names another customer.
      const bobs = await newUser(app, 'bea');
      await check('renewal', { ...bought, app_user_id: 'bea', transaction_id: 'E4' }, bobs, 'bea', '7.99');
      const rows = (await events(app)).slice(2);
      assert.deepEqual(
        rows.map((row) => [row.install_id, row.user_id, row.revenue_amount]),
        expected,
      );
    });

    it('a user whom the app told stays known when somebody else signs in, by events alone too', async () => {
      const app = await newApp();
      const installId = await newUser(app, 'ada');
      for (const userId of [undefined, 'carl'])
        await world.call('POST', '/v1/sdk/event', {
          key: app.keys.live_publishable,
          body: { installId, eventName: 'seen', ...(userId !== undefined && { userId }) },
        });
      await identify(app, { installId, userId: 'bob' });
      for (const userId of ['ada', 'carl', 'bob'])
        assert.equal(
          await outcomeOf(app, 'nonRenewingPurchase', { app_user_id: userId, aliases: [], ...NEW }),
          'recorded',
        );
      const rows = (await events(app)).slice(2);
      assert.deepEqual(
        rows.map((row) => [row.install_id, row.user_id]),
        ['ada', 'carl', 'bob'].map((userId) => [installId, userId]),
      );
      assert.equal(
        await outcomeOf(app, 'nonRenewingPurchase', { app_user_id: 'dan', aliases: [] }),
        'waiting',
      );
    });

    it('partial refunds and a refund after a reversal all count, and one without a price is of the whole', async () => {
      const app = await newApp();
      await newUser(app, 'ada');
      const price = (amount: number | null) => ({ price: amount, price_in_purchased_currency: amount });
      const of = (amount: number | null) => ({
        ...{ app_user_id: 'ada', aliases: [], transaction_id: 'T', original_transaction_id: 'T' },
        ...{ currency: 'USD', ...price(amount) },
      });
      await outcomeOf(app, 'nonRenewingPurchase', of(9.99));
      for (const [name, amount] of [
        ['refund', -3],
        ['refund', -4],
        ['refundReversed', 7],
        ['refund', null],
        ['refundReversed', 0],
        ['refund', 0],
      ] as const)
        await outcomeOf(app, name, of(amount));
      assert.deepEqual(
        (await events(app)).map((row) => [row.event_name, row.revenue_amount]),
        [
          ['purchase', '9.99'],
          ['refund', '-3'],
          ['refund', '-4'],
          ['refund_reversed', '7'],
          ['refund', '-9.99'],
          ['refund_reversed', '9.99'],
          ['refund', '-9.99'],
        ],
      );
      assert.deepEqual(await revenueOf(app), []);
      await outcomeOf(app, 'refund', { ...of(null), transaction_id: 'unknown' });
      assert.equal((await events(app)).at(-1)?.revenue_amount, null);
    });

    it('a sandbox purchase is of a sandbox install only, and counts in no live revenue', async () => {
      const app = await newApp();
      await newUser(app, 'ada');
      const sandbox = { app_user_id: 'ada', aliases: [], environment: 'SANDBOX' };
      assert.equal(await outcomeOf(app, 'initialPurchase', sandbox), 'waiting');
      await newUser(app, 'ada', app.keys.test_publishable);
      const [event] = await waitFor('the event is recorded', async () => {
        const rows = await events(app);
        return rows.length > 0 ? rows : undefined;
      });
      assert.deepEqual([event?.sandbox, event?.revenue_amount], [1, '4.99']);
      assert.deepEqual(await revenueOf(app), []);
    });

    it('a purchase of an unknown user waits, and is recorded with its own time once the user is known', async () => {
      const [app, other] = [await newApp(), await newApp()];
      const renewal = { id: 'one', app_user_id: 'Ada', aliases: [] };
      for (let n = 0; n < 2; n++) assert.equal(await outcomeOf(app, 'renewal', renewal), 'waiting');
      assert.equal((await statusOf(app)).waiting.events, 1);
      await newUser(other, 'Ada');
      await newUser(app, 'ada');
      const installId = await newUser(app, 'Ada');
      await waitFor('nothing waits', async () => (await statusOf(app)).waiting.events === 0 || undefined);
      assert.equal(await outcomeOf(app, 'renewal', renewal), 'recorded');
      const rows = await events(app);
      assert.deepEqual(
        rows.map((row) => [row.install_id, row.user_id, row.occurred_at]),
        [[installId, 'Ada', '2022-07-25T13:18:52.000Z']],
      );
      assert.deepEqual(await events(other), []);
    });

    it('what a restart left waiting is found by the sweep, by the ID of an install too', async () => {
      const app = await newApp();
      const installId = randomUUID();
      await outcomeOf(app, 'renewal', { app_user_id: installId, aliases: [] });
      await world.install(app, { installId });
      await world.service.revenuecat.sweep();
      assert.deepEqual(
        (await events(app)).map((row) => row.install_id),
        [installId],
      );
      assert.equal((await statusOf(app)).waiting.events, 0);
    });

    it('a purchase that arrives while the user is told is never left waiting', async () => {
      const app = await newApp();
      const installId = (await world.install(app)).body.installId as string;
      await Promise.all([
        ...Array.from({ length: 10 }, (_, n) =>
          outcomeOf(app, 'expiration', { id: `e${n}`, app_user_id: 'late', aliases: [] }),
        ),
        identify(app, { installId, userId: 'late' }),
      ]);
      await waitFor('nothing waits', async () => (await statusOf(app)).waiting.events === 0 || undefined);
      assert.equal((await events(app)).length, 10);
    });

    it('what can match nobody is answered, counted and not kept', async () => {
      const app = await newApp();
      for (const id of [undefined, null, 7, ' ', '\ud800', 'x'.repeat(300), {}]) {
        const nobody = { app_user_id: id, original_app_user_id: id, aliases: [id] };
        assert.equal(await outcomeOf(app, 'renewal', nobody), 'unnamed');
      }
      const { waiting, kinds } = await statusOf(app);
      assert.equal(waiting.events, 0);
      assert.deepEqual([kinds[0].received, kinds[0].dropped], [7, 7]);
    });

    it('of a customer at most 100 wait: the oldest make room, and are counted', async () => {
      const app = await newApp();
      const send = async (id: string, app_user_id = 'ada') =>
        await outcomeOf(app, 'renewal', { id, app_user_id, original_app_user_id: null, aliases: [] });
      await send('the oldest');
      world.clock.advance(1_000);
      await send('of another', 'bob');
      for (let n = 0; n < 100; n += 20)
        await Promise.all(Array.from({ length: 20 }, (_, each) => send(`newer ${n + each}`)));
      const { waiting, kinds } = await statusOf(app);
      assert.deepEqual([waiting.events, kinds[0].received, kinds[0].dropped], [101, 102, 1]);
      const installId = await newUser(app, 'ada');
      await waitFor('all are recorded', async () => (await events(app)).length === 100 || undefined);
      const rows = await events(app);
      assert.ok(rows.every((row) => row.install_id === installId && !row.properties.includes('the oldest')));
    });

    it('the oldest of an app make room for newer ones, those of the sandbox apart', async () => {
      const app = await newApp();
      for (const [n, environment] of ['PRODUCTION', 'PRODUCTION', 'SANDBOX', 'PRODUCTION'].entries()) {
        world.clock.advance(1_000);
        await outcomeOf(app, 'renewal', { app_user_id: `user ${n}`, aliases: [], environment });
      }
      const { db } = world.service;
      const stored = await db
        .selectFrom('revenuecat_waiting')
        .select('id')
        .where('app_id', '=', app.id)
        .orderBy('received_at')
        .execute();
      const [oldest, second, ofSandbox, newest] = stored.map(({ id }) => id);
      const excess = async (id: string | undefined, sandbox: Flag, max: number) =>
        await listExcess(db, app.id, { id: id ?? '', sandbox, max, marks: [], maxOfCustomer: 1 });
      assert.deepEqual(await excess(newest, 0, 1), [second, oldest]);
      assert.deepEqual(await excess(newest, 0, 2), [oldest]);
      assert.deepEqual(await excess(newest, 0, 3), []);
      assert.deepEqual(await excess(ofSandbox, 1, 1), []);
    });

    it('what waits is encrypted, exported, erased by user ID, and dropped after 30 days', async () => {
      const app = await newApp();
      for (const app_user_id of ['bob@example.com', 'Bob@example.com', 'carl'])
        await outcomeOf(app, 'renewal', { app_user_id, aliases: [], original_app_user_id: app_user_id });
      const stored = await world.service.db
        .selectFrom('revenuecat_waiting')
        .selectAll()
        .where('app_id', '=', app.id)
        .execute();
      assert.doesNotMatch(JSON.stringify(stored), /example\.com|weekly/i);
      const { body } = await world.call('POST', '/v1/privacy/export', {
        ...{ key: app.keys.live, body: { userId: 'bob@example.com' } },
      });
      assert.deepEqual(
        body.waitingPurchases.map((each: { customerIds: string[] }) => each.customerIds),
        [['bob@example.com']],
      );
      await erase(world, app, { userId: 'bob@example.com' });
      assert.equal((await statusOf(app)).waiting.events, 2);
      await newUser(app, 'bob@example.com');
      await world.service.revenuecat.sweep();
      assert.deepEqual(await events(app), []);
      const later = (days: number) => ({ nowMs: () => world.clock.nowMs() + days * DAY_MS });
      await dropOld({ ...world.service, clock: later(29) });
      assert.equal((await statusOf(app)).waiting.events, 2);
      await dropOld({ ...world.service, clock: later(31) });
      const { waiting, kinds } = await statusOf(app);
      assert.deepEqual([waiting.events, kinds[0].dropped], [0, 2]);
    });

    it('kinds are counted with their time; unknown ones under their name, at most fifty, and test events too', async () => {
      const app = await newApp();
      const test = { type: 'TEST', app_user_id: 'ada' };
      for (let n = 0; n < 2; n++) assert.equal(await outcomeOf(app, 'transfer', test), 'counted');
      for (let n = 0; n < 52; n++)
        assert.equal(await outcomeOf(app, 'transfer', { type: `NEW_${n}` }), 'counted');
      const { kinds, lastReceivedAt, isOn, address } = await statusOf(app);
      assert.equal(kinds.length, 51);
      const of = (kind: string) => kinds.find((each: { kind: string }) => each.kind === kind);
      assert.deepEqual([of('TEST').received, of('TEST').isKnown], [2, true]);
      assert.deepEqual([of('NEW_3').received, of('NEW_3').isKnown], [1, false]);
      assert.equal(of('OTHER').received, 3);
      assert.ok(Date.parse(lastReceivedAt) > world.clock.nowMs() - MINUTE_MS && isOn);
      assert.equal(address, `http://links.test/v1/integrations/revenuecat/${app.id}`);
      assert.match(
        await world.service.metrics.getSingleMetricAsString('throughline_revenuecat_events_total'),
        /kind="other",outcome="counted"\} \d+/,
      );
    });

    it('a purchase of a deleted install is neither recorded nor kept', async () => {
      const app = await newApp();
      const installId = await newUser(app, 'ada');
      await world.call('POST', '/v1/installs/deletions', {
        ...{ key: app.keys.live, body: { installIds: [installId] } },
      });
      assert.equal(await outcomeOf(app, 'renewal', { app_user_id: installId, aliases: [] }), 'erased');
      assert.equal((await statusOf(app)).waiting.events, 0);
    });
  });
