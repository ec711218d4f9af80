/** Paying installs, the revenue of the installs of a time, and first purchases. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { migrations } from '../../../migrations/index.ts';
import { openStore } from '../../../src/db/index.ts';
import { DAY_MS, dayOf, isoTime } from '../../../src/lib/clock.ts';
import { createLog } from '../../../src/lib/log.ts';
import { createFolder } from '../../../src/stats/index.ts';
import { upgradeStore } from '../../helpers/earlier-version.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const euros = (amount: string) => ({ amount, currency: 'EUR' });

for (const engine of engines)
  describe(`purchases on ${engine}`, () => {
    const world = useWorld(engine);
    const post = async (app: TestApp, path: string, body: object, key = app.keys.live) => {
      const answer = await world.call('POST', `/v1/${path}`, { key, body, from: freshAddress() });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const newInstall = async (app: TestApp, fields: object = {}): Promise<string> =>
      (await post(app, 'sdk/install', { fingerprint: { platform: 'IOS' }, ...fields })).installId;
    const buy = (app: TestApp, installId: string, amount: string | null, fields: object = {}) =>
      post(app, 'sdk/event', {
        ...{ installId, eventName: 'purchase', ...fields },
        ...(amount !== null && { revenue: euros(amount) }),
      });
    const read = async (app: TestApp, query: Record<string, string> = {}) => {
      const path = `/v1/stats?${new URLSearchParams(query)}`;
      const { status, body, text } = await world.call('GET', path, { key: app.keys.live });
      assert.equal(status, 200, text);
      return body;
    };
    const countsOf = ({ payingInstalls, firstPurchases, cohortRevenue }: Record<string, unknown>) => ({
      ...{ payingInstalls, firstPurchases, cohortRevenue },
    });
    const today = (offsetDays = 0) => {
      const day = dayOf(isoTime(world.clock.nowMs() + offsetDays * DAY_MS));
      return { from: day, to: day };
    };

    it('that arrive at once make an install pay once, in single calls and in batches', async () => {
      const app = await world.newApp();
      const installIds = await Promise.all(Array.from({ length: 5 }, () => newInstall(app)));
      const events = installIds.map((installId) => ({
        ...{ installId, eventName: 'purchase', revenue: euros('1.00') },
      }));
      await Promise.all([
        ...Array.from({ length: 4 }, () => post(app, 'sdk/events', { events: [...events, ...events] })),
        ...events.flatMap(({ installId }) => [buy(app, installId, '1.00'), buy(app, installId, '1.00')]),
      ]);
      assert.deepEqual(countsOf((await read(app)).totals), {
        ...{ payingInstalls: 5, firstPurchases: 5, cohortRevenue: [euros('50.00')] },
      });
    });

    it('that are sent again add nothing, whether by event or by transaction', async () => {
      const app = await world.newApp();
      const installId = await newInstall(app);
      const ids = { eventId: randomUUID(), transactionId: 'a transaction' };
      await Promise.all([buy(app, installId, '3.00', ids), buy(app, installId, '3.00', ids)]);
      await buy(app, installId, '3.00', { ...ids, eventId: randomUUID() });
      // The transaction is that of another install, so this one has not paid.
      await buy(app, await newInstall(app), '3.00', { ...ids, eventId: randomUUID() });
      assert.deepEqual(countsOf((await read(app)).totals), {
        ...{ payingInstalls: 1, firstPurchases: 1, cohortRevenue: [euros('3.00')] },
      });
    });

    it('of the sandbox take no live revenue of their transaction, nor live ones theirs', async () => {
      const app = await world.newApp();
      const test = await post(app, 'sdk/install', { fingerprint: { platform: 'IOS' } }, app.keys.test);
      const [sandbox, live] = [test.installId, await newInstall(app)];
      const totals = async (isSandbox: boolean) =>
        (await read(app, { sandbox: String(isSandbox) })).totals.revenue;
      const buyAs = async (installId: string, transactionId: string) => {
        const key = installId === live ? app.keys.live : app.keys.test;
        await post(
          app,
          'sdk/event',
          { installId, eventName: 'purchase', transactionId, revenue: euros('1.00') },
          key,
        );
      };
      for (const installId of [sandbox, live, sandbox, live]) await buyAs(installId, 'sandbox first');
      for (const installId of [live, sandbox, live, sandbox]) await buyAs(installId, 'live first');
      assert.deepEqual(
        [await totals(true), await totals(false)],
        [euros('2.00'), euros('2.00')].map((each) => [each]),
      );

      // A former version stored marks of the sandbox in this form.
      await buyAs(live, 'stored before');
      const store = await openStore(world.place, migrations, createLog('silent'), () => undefined);
      const last = store.db.selectFrom('event_ids').select('event_id').where('app_id', '=', app.id);
      await store.db
        .updateTable('event_ids')
        .set({ install_id: sandbox })
        .where('event_id', '=', last.orderBy('event_id', 'desc').limit(1))
        .execute();
      await store.close();
      await Promise.all([buyAs(live, 'stored before'), buyAs(live, 'stored before')]);
      assert.deepEqual(await totals(false), [euros('4.00')]);
    });

    it('count at the time and source of their install, and first ones on their own day', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const link = await world.newLink(app, { campaignId: 'spring' });
      const clickId = await world.clickId(link.shortCode, { from: freshAddress() });
      const installId = await newInstall(app, { clickId, fingerprint: { platform: 'ANDROID' } });
      await newInstall(app);
      world.clock.advance(3 * DAY_MS);
      await buy(app, installId, '0.0001');
      await buy(app, installId, '-0.5');
      const install = { payingInstalls: 1, firstPurchases: 0, cohortRevenue: [euros('-0.4999')] };
      for (const groupBy of ['link', 'campaign', 'platform', 'method']) {
        const { totals, groups } = await read(app, { ...today(-3), groupBy, sort: 'payingInstalls' });
        assert.deepEqual([countsOf(totals), countsOf(groups[0])], [install, install], groupBy);
        const purchase = await read(app, { ...today(), groupBy, sort: 'firstPurchases' });
        const first = { payingInstalls: 0, firstPurchases: 1, cohortRevenue: [] };
        assert.deepEqual([countsOf(purchase.totals), countsOf(purchase.groups[0])], [first, first], groupBy);
        assert.equal(purchase.groups[0].key, groups[0].key);
      }
      const { series } = await read(app, { ...today(-3), interval: 'hour' });
      assert.equal(series.filter((hour: { payingInstalls: number }) => hour.payingInstalls > 0).length, 1);
      const byEvent = await read(app, { ...today(), groupBy: 'eventName', sort: 'firstPurchases' });
      assert.equal(byEvent.groups[0].key, 'purchase');
    });

    it('of nothing, of refunds and of existing users make no install pay', async () => {
      const app = await world.newApp();
      const refunded = await newInstall(app);
      for (const amount of [null, '0', '0.0000', '-0', '-5']) await buy(app, refunded, amount);
      const existing = await newInstall(app, { existingUser: true });
      await buy(app, existing, '7');
      const { totals } = await read(app);
      assert.deepEqual(countsOf(totals), {
        ...{ payingInstalls: 0, firstPurchases: 0, cohortRevenue: [euros('-5.00')] },
      });
      assert.deepEqual(totals.revenue, [euros('2.00')]);
    });

    it('in the sandbox are counted there alone', async () => {
      const app = await world.newApp();
      await buy(app, await newInstall(app, { debugBuild: true }), '1');
      assert.equal((await read(app)).totals.payingInstalls, 0);
      assert.equal((await read(app, { sandbox: 'true' })).totals.payingInstalls, 1);
    });

    it('stay counted when their install is erased, and go with it when it is deleted', async () => {
      const app = await world.newApp();
      const installIds = [await newInstall(app), await newInstall(app)];
      world.clock.advance(DAY_MS);
      for (const installId of installIds) await buy(app, installId, '2', { userId: 'ada' });
      const before = await read(app);
      assert.equal(before.totals.payingInstalls, 2);
      const { requestIds } = await post(app, 'privacy/erase', { userId: 'ada' });
      await waitFor('the erasure', async () => {
        const path = `/v1/privacy/erase/${requestIds[0]}`;
        const { body } = await world.call('GET', path, { key: app.keys.live });
        return body.status === 'completed' || undefined;
      });
      assert.deepEqual(await read(app), before);
      await post(app, 'installs/deletions', { installIds: [installIds[0]] });
      const { totals } = await read(app, { groupBy: 'eventName' });
      assert.deepEqual(countsOf(totals), {
        ...{ payingInstalls: 1, firstPurchases: 1, cohortRevenue: [euros('2.00')] },
      });
      await post(app, 'installs/deletions', { installIds: [installIds[1]] });
      const { groups } = await read(app, { groupBy: 'eventName' });
      assert.deepEqual(groups, []);
    });

    it('of an earlier version are counted after an upgrade, as far as their events are stored', async (t) => {
      const app_id = randomUUID();
      const install = (installed_at: string, fields: object = {}) => ({
        ...{ app_id, id: randomUUID(), sandbox: 0, platform: 'IOS', installed_at, country: null },
        ...{ attribution_method: 'ORGANIC', answer: '{}', trace: '{}', existing_user: null, ...fields },
      });
      const installs = [
        install('2026-11-20T10:05:00.000Z', { country: 'DE' }),
        install('2026-11-21T23:59:59.999Z'),
        install('2026-11-20T10:06:00.000Z', { existing_user: 1 }),
      ];
      const event = (index: number, day: number, eventName: string, amount: string | null) => {
        const at = `2026-11-${day}T12:00:00.000Z`;
        return {
          ...{ app_id, id: randomUUID(), install_id: installs[index]?.id, event_name: eventName },
          ...{ properties: '{}', sandbox: 0, occurred_at: at, created_at: at },
          ...{ revenue_amount: amount, revenue_currency: amount === null ? null : 'EUR' },
        };
      };
      const events = [
        ...[event(0, 22, 'level', null), event(0, 22, 'refund', '-1'), event(0, 22, 'gift', '0.00')],
        ...[event(0, 24, 'renewal', '5'), event(0, 23, 'purchase', '5.5'), event(1, 24, 'refund', '-1')],
        event(2, 24, 'purchase', '100'),
      ];
      const { db } = await upgradeStore(t, {
        engine,
        added: '0020_',
        fill: async (old, store) => {
          await store.makePartitions(Date.parse('2026-11-20T00:00:00Z'));
          await old.insertInto('installs').values(installs).execute();
          await old.insertInto('events').values(events).execute();
        },
      });
      const stored = await db.selectFrom('installs').select(['id', 'first_purchase']).execute();
      const byId = new Map(stored.map((row) => [row.id, JSON.parse(row.first_purchase ?? 'null')]));
      await createFolder(db)(app_id);
      const days = await db
        .selectFrom('count_days')
        .select(['dimension', 'day', 'value', 'paying_installs', 'first_purchases', 'cohort_revenue'])
        .where('dimension', 'in', ['', 'country', 'eventName'])
        .orderBy('dimension')
        .orderBy('day')
        .execute();
      assert.deepEqual(
        installs.map(({ id }) => byId.get(id)),
        [{ at: '2026-11-23T12:00:00.000Z', eventName: 'purchase' }, null, null],
      );
      const rows = days.map((row) => [row.dimension, row.day, row.value, ...Object.values(row).slice(3)]);
      assert.deepEqual(rows, [
        ['', '2026-11-20', '', 1, 0, '{"EUR":"95000"}'],
        ['', '2026-11-21', '', 0, 0, '{"EUR":"-10000"}'],
        ['', '2026-11-23', '', 0, 1, null],
        ['country', '2026-11-20', '=DE', 1, 0, '{"EUR":"95000"}'],
        ['country', '2026-11-23', '=DE', 0, 1, null],
        ['eventName', '2026-11-23', '=purchase', 0, 1, null],
      ]);
    });
  });
