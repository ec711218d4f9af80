/** Expired records are dropped by whole days and months; their counts are kept. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { insertAuditEntries } from '../../../src/audit/index.ts';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS, startOf } from '../../../src/lib/clock.ts';
import type { Log } from '../../../src/lib/log.ts';
import { dropOld, startRetention } from '../../../src/privacy/retention.ts';
import { confirmClock } from '../../../src/privacy/retention-clock.ts';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { countRecords, readCounts } from '../../helpers/counts.ts';
import { engines } from '../../helpers/engines.ts';
import { queryStored, type StoredRow } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { DESKTOP, IPHONE, type TestApp, useWorld, type World } from '../../helpers/world.ts';

const KEPT_DAYS = 10;
const ENV = {
  CLICK_RETENTION_DAYS: String(KEPT_DAYS),
  WEBHOOK_RETENTION_DAYS: '3',
  EVENT_RETENTION_DAYS: '40',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
};
const STORES = {
  iosDestination: 'https://apps.apple.com/app/id1',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
  fallbackUrl: 'https://example.com/',
};

for (const engine of engines)
  describe(`retention on ${engine}`, () => {
    const world = useWorld(engine, ENV);
    const receiver = createServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1');
    after(() => receiver.close());
    const stored = (sql: string) => queryStored(world.place, sql);

    it('drops clicks of expired days, and keeps the later ones', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      await tapsOf(world, shortCode, 3);
      world.clock.advance(KEPT_DAYS * DAY_MS);
      await tapsOf(world, shortCode, 2);

      await dropOld(world.service);
      assert.equal((await clicksOf(app)).length, 5);
      world.clock.advance(DAY_MS);
      await dropOld(world.service);
      assert.equal((await clicksOf(app)).length, 2);
    });

    it('drops sessions that have ended and invitations that have expired, and no others', async () => {
      const { db, ids } = world.service;
      const app = await world.newApp();
      const invite = async () => {
        const [id, created_at] = [ids.next(), isoTime(world.clock.nowMs())];
        const row = { app_id: app.id, id, role: 'viewer', token_hash: id, created_at };
        await db
          .insertInto('invitations')
          .values({ ...row, email: `${id}@example.com` })
          .execute();
        return id;
      };
      const [old, user] = [await newUser(world), await newUser(world, { appId: app.id })];
      await invite();
      world.clock.advance(4 * DAY_MS);
      const open = await invite();
      const options = { appId: app.id };
      assert.equal((await callAs(world, user, 'GET', '/v1/links', options)).status, 200);
      world.clock.advance(3 * DAY_MS);

      await dropOld(world.service);
      const sessions = await db
        .selectFrom('sessions')
        .select('user_id')
        .where('user_id', 'in', [old.id, user.id])
        .execute();
      assert.deepEqual(sessions, [{ user_id: user.id }]);
      const invitations = await db
        .selectFrom('invitations')
        .select('id')
        .where('app_id', '=', app.id)
        .execute();
      assert.deepEqual(invitations, [{ id: open }]);
      assert.equal((await callAs(world, user, 'GET', '/v1/links', options)).status, 200);
    });

    it('counts by link, campaign, day, platform and visitor are the same before and after, for each app', async () => {
      const apps = [await world.newApp(STORES), await world.newApp(STORES)];
      await makeRoom();
      for (const app of apps) {
        const links = [
          await world.newLink(app, { campaignId: 'spring' }),
          await world.newLink(app),
          await world.newLink(app, { campaignId: 'test' }, app.keys.test),
        ];
        for (let day = 0; day < 3; day++) {
          for (const { shortCode } of links) await tapsOf(world, shortCode, 2 + day);
          await world.tap(links[0]?.shortCode ?? '', { userAgent: DESKTOP });
          await world.tap(links[0]?.shortCode ?? '', { userAgent: 'Twitterbot/1.0' });
          world.clock.advance(DAY_MS);
        }
      }
      await world.service.clickLog.applied();
      const before = await countRecords(world.place);
      for (const { id } of apps)
        assert.ok(before.filter((count) => count.app_id === id && count.kind === 'click').length >= 12);

      world.clock.advance((KEPT_DAYS + 1) * DAY_MS);
      await dropOld(world.service);
      for (const app of apps) assert.deepEqual(await clicksOf(app), []);
      const after = await readCounts(world.place);
      for (const { id } of apps)
        assert.deepEqual(
          after.filter((count) => count.app_id === id),
          before.filter((count) => count.app_id === id),
        );
    });

    it('has the same result in concurrent runs, and keeps the counts', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      await makeRoom();
      await tapsOf(world, shortCode, 20);
      await world.service.clickLog.applied();
      const before = await readCounts(world.place);

      world.clock.advance((KEPT_DAYS + 1) * DAY_MS);
      const { service } = world;
      await Promise.allSettled([dropOld(service), dropOld(service), dropOld(service)]);
      assert.deepEqual(await clicksOf(app), []);
      assert.deepEqual(await readCounts(world.place), before);
    });

    it('stops at once without logging a fault, and the next run continues', async (t) => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      await makeRoom();
      await tapsOf(world, shortCode, 3);
      await world.service.clickLog.applied();
      world.clock.advance((KEPT_DAYS + 1) * DAY_MS);
      const said: unknown[] = [];
      const { service } = world;
      const log = { ...service.log, error: (told: unknown) => said.push(told) } as unknown as Log;
      const store = { ...service.store, databaseNowMs: async () => world.clock.nowMs() };
      await confirmClock({ ...service, store });
      const begin = () => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const retention = startRetention({ ...service, log, store, metrics: new Registry() });
        t.mock.timers.tick(MINUTE_MS);
        t.mock.timers.reset();
        return retention;
      };

      await begin().stop();
      assert.deepEqual(await stored("select name from leases where name = 'retention'"), []);
      // Whole partitions are dropped first.
      assert.equal((await clicksOf(app)).length, engine === 'sqlite' ? 3 : 0);
      const next = begin();
      await waitFor('the next run to drop them', async () => (await clicksOf(app)).length === 0 || undefined);
      await next.stop();
      assert.deepEqual(said, []);
    });

    it('drops expired webhook messages, sent or not, and keeps the later ones', async () => {
      const app = await world.newApp(STORES);
      const webhook = {
        url: 'http://127.0.0.1:9/',
        secret: 'a secret of the receiver',
        events: ['install.organic'],
      };
      const made = await world.call('POST', '/v1/webhooks', { key: app.keys.live, body: webhook });
      assert.equal(made.status, 201, made.text);
      await world.install(app);
      world.clock.advance(3 * DAY_MS);
      await dropOld(world.service);
      const [old, ...none] = await toldOf(app);
      assert.notEqual(old, undefined);
      assert.deepEqual(none, []);
      world.clock.advance(DAY_MS);
      await world.install(app);
      // A partition with an active lock is dropped by a later run.
      const left = await waitFor('the old message to be dropped', async () => {
        await dropOld(world.service);
        const told = await toldOf(app);
        return told.some(({ id }) => id === old?.id) ? undefined : told;
      });
      assert.equal(left.length, 1);
    });

    it('drops audit entries of failed deliveries, entries of key changes after a year, and keeps the others', async () => {
      const { service } = world;
      const app = await world.newApp();
      const log = async (action: string) =>
        await insertAuditEntries(service.db, [
          {
            app_id: app.id,
            id: service.ids.next(),
            action,
            details: '{}',
            sandbox: 0,
            created_at: isoTime(service.clock.nowMs()),
          },
        ]);
      await log('webhook.delivery_failed');
      await log('privacy.exported');
      world.clock.advance(4 * DAY_MS);
      await log('webhook.delivery_failed');
      await log('link.updated');
      const left = async () => {
        await dropOld(service);
        const { body } = await world.call('GET', '/v1/audit-log', { key: app.keys.live });
        return body.map(({ action }: { action: string }) => action);
      };
      const byOperator = [...Array(4).fill('key.created'), 'app.created'];
      const kept = ['privacy.exported', ...byOperator];
      assert.deepEqual(await left(), ['link.updated', 'webhook.delivery_failed', ...kept]);
      world.clock.advance(364 * DAY_MS);
      assert.deepEqual(await left(), ['link.updated', ...kept]);
      world.clock.advance(2 * DAY_MS);
      assert.deepEqual(await left(), kept);
    });

    it('drops the responses to a dropped message, however late it was resent', async () => {
      const app = await world.newApp();
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const webhook = { url, secret: 'a secret of the receiver', events: ['event.recorded'] };
      await world.call('POST', '/v1/webhooks', { key: app.keys.live, body: webhook });
      const { installId } = (await world.install(app)).body;
      const event = { installId, eventName: 'bought', userId: 'ada', properties: { iban: 'DE02 1203' } };
      await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body: event });
      const [first] = await attempts(app, 1);
      world.clock.advance(2 * DAY_MS);
      const path = `/v1/webhooks/deliveries/${first?.id}/redelivery`;
      assert.equal((await world.call('POST', path, { key: app.keys.live })).status, 202);
      await attempts(app, 2);
      world.clock.advance(2 * DAY_MS);
      await dropOld(world.service);

      const [kept, ...others] = await attempts(app, 1);
      assert.deepEqual(others, []);
      assert.deepEqual([kept?.request_body, kept?.response_body], ['', '']);
    });

    it('keeps messages for four days at least while a webhook has extended retries', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const webhook = { url, secret: 'a secret of the receiver', retries: 'extended' };
      const { id } = (await world.call('POST', '/v1/webhooks', { key, body: webhook })).body;
      await world.install(app);
      await attempts(app, 1);
      const kept = async () => {
        await dropOld(world.service);
        return (await stored(`select id from webhook_messages where app_id = '${app.id}'`)).length;
      };
      world.clock.advance(4 * DAY_MS);
      assert.equal(await kept(), 1);
      await world.call('PATCH', `/v1/webhooks/${id}`, { key, body: { retries: 'standard' } });
      assert.equal(await kept(), 0);
    });

    it('drops events of expired months, and keeps the later ones and all counts', async () => {
      const app = await world.newApp();
      await toNextMonth();
      const send = await eventsOf(app);
      await send({ eventName: 'old' }, { eventName: 'old', eventId: randomUUID() });
      await toNextMonth();
      await send({ eventName: 'later' }, { eventName: 'later', eventId: randomUUID() });
      const before = await countsOf(app);

      world.clock.advance(39 * DAY_MS);
      await dropOld(world.service);
      assert.deepEqual(await namesOf(app), ['old', 'old', 'later', 'later']);
      world.clock.advance(2 * DAY_MS);
      await dropOld(world.service);
      assert.deepEqual(await namesOf(app), ['later', 'later']);
      assert.equal((await stored(`select mark from event_ids where app_id = '${app.id}'`)).length, 1);
      assert.deepEqual(await countsOf(app), before);
    });

    it('an event sent again in a later month is recognised as the earlier one', async () => {
      const app = await world.newApp();
      const send = await eventsOf(app);
      const event = { eventName: 'bought', eventId: randomUUID() };
      await send(event);
      const before = await countsOf(app);
      assert.deepEqual(
        before.map(({ kind, n }) => [kind, n]),
        [
          ['event', 1],
          ['install', 1],
        ],
      );
      await toNextMonth();
      await send(event, event);
      assert.deepEqual(await namesOf(app), ['bought']);
      assert.deepEqual(await countsOf(app), before);
    });

    const countsOf = async ({ id }: TestApp) =>
      (await readCounts(world.place)).filter((count) => count.app_id === id);

    /** The first hour of the next month, with time to spare. */
    async function toNextMonth(): Promise<void> {
      const nowMs = world.clock.nowMs();
      world.clock.advance(startOf('month', nowMs, 1) + HOUR_MS - nowMs);
      await makeRoom();
    }

    async function makeRoom(): Promise<void> {
      await world.service.store.makePartitions(world.clock.nowMs());
    }

    /** Sends events of one install, all in a batch. */
    async function eventsOf(app: TestApp) {
      const { installId } = (await world.install(app)).body;
      return async (...events: { eventName: string; eventId?: string }[]) => {
        const body = { events: events.map((event) => ({ ...event, installId })) };
        const answer = await world.call('POST', '/v1/sdk/events', { key: app.keys.live, body });
        for (const [place, result] of answer.body.results.entries()) {
          const { eventId = result.eventId } = events[place] ?? {};
          assert.deepEqual(result, { status: 201, eventId });
        }
      };
    }

    const namesOf = async ({ id }: TestApp) =>
      (await stored(`select event_name from events where app_id = '${id}' order by id`)).map(
        (row) => row.event_name,
      );

    async function attempts({ keys }: TestApp, count: number): Promise<Record<string, string>[]> {
      return await waitFor(`${count} attempts`, async () => {
        const { body } = await world.call('GET', '/v1/webhooks/deliveries', { key: keys.live });
        return body.length === count ? body : undefined;
      });
    }

    async function clicksOf({ id }: TestApp): Promise<StoredRow[]> {
      await world.service.clickLog.applied();
      return await stored(`select id from clicks where app_id = '${id}'`);
    }

    const toldOf = ({ id }: TestApp) => stored(`select id from webhook_messages where app_id = '${id}'`);
  });

async function tapsOf(world: World, shortCode: string, count: number): Promise<void> {
  for (let tap = 0; tap < count; tap++)
    assert.equal((await world.tap(shortCode, { userAgent: IPHONE })).status, 302);
}
