/** What is kept no longer than it may be goes, whole days of clicks at once; what it added up to stays. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { makeRoomForClicks } from '../src/clicks/index.ts';
import { DAY_MS, isoTime } from '../src/platform/clock.ts';
import { dropOld } from '../src/privacy/retention.ts';
import { countRecords, readCounts } from './counts.ts';
import { engines } from './engines.ts';
import { queryStored, type StoredRow } from './stored.ts';
import { waitFor } from './webhook-scene.ts';
import { DESKTOP, IPHONE, type TestApp, useWorld, type World } from './world.ts';

const KEPT_DAYS = 10;
const ENV = {
  CLICK_RETENTION_DAYS: String(KEPT_DAYS),
  WEBHOOK_RETENTION_DAYS: '3',
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

    it('drops clicks of days that ended so long ago, and keeps the later ones', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      await tapsOf(world, shortCode, 3);
      world.clock.advance(KEPT_DAYS * DAY_MS);
      await tapsOf(world, shortCode, 2);

      await dropOld(world.service.ctx);
      assert.equal((await clicksOf(app)).length, 5);
      world.clock.advance(DAY_MS);
      await dropOld(world.service.ctx);
      assert.equal((await clicksOf(app)).length, 2);
    });

    it('counts by link, campaign, day, platform and visitor are the same before and after, for each app', async () => {
      const apps = [await world.newApp(STORES), await world.newApp(STORES)];
      await makeRoomForClicks(world.service.ctx);
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
      await world.service.ctx.clickLog.applied();
      const before = await countRecords(world.place);
      for (const { id } of apps)
        assert.ok(before.filter((count) => count.app_id === id && count.kind === 'click').length >= 12);

      world.clock.advance((KEPT_DAYS + 1) * DAY_MS);
      await dropOld(world.service.ctx);
      for (const app of apps) assert.deepEqual(await clicksOf(app), []);
      const after = await readCounts(world.place);
      for (const { id } of apps)
        assert.deepEqual(
          after.filter((count) => count.app_id === id),
          before.filter((count) => count.app_id === id),
        );
    });

    it('runs at once in several places drop what one drops, and leave the counts', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      await makeRoomForClicks(world.service.ctx);
      await tapsOf(world, shortCode, 20);
      await world.service.ctx.clickLog.applied();
      const before = await readCounts(world.place);

      world.clock.advance((KEPT_DAYS + 1) * DAY_MS);
      const { ctx } = world.service;
      await Promise.allSettled([dropOld(ctx), dropOld(ctx), dropOld(ctx)]);
      assert.deepEqual(await clicksOf(app), []);
      assert.deepEqual(await readCounts(world.place), before);
    });

    it('drops what webhooks were told, sent or not, and keeps the later', async () => {
      const app = await world.newApp(STORES);
      const webhook = {
        url: 'http://127.0.0.1:9/',
        secret: 'a secret of the receiver',
        events: ['install.organic'],
      };
      const made = await world.call('POST', '/v1/webhooks', { key: app.keys.live, body: webhook });
      assert.equal(made.status, 201, made.text);
      await world.install(app);
      world.clock.advance(3 * DAY_MS - 60_000);
      await dropOld(world.service.ctx);
      const [old, ...none] = await toldOf(app);
      assert.notEqual(old, undefined);
      assert.deepEqual(none, []);
      world.clock.advance(120_000);
      await world.install(app);
      await dropOld(world.service.ctx);
      const [later, ...others] = await toldOf(app);
      assert.notEqual(later?.id, old?.id);
      assert.deepEqual(others, []);
    });

    it('leaves no answer to a message that is dropped, however late it was sent again', async () => {
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
      await dropOld(world.service.ctx);

      const [kept, ...others] = await attempts(app, 1);
      assert.deepEqual(others, []);
      assert.deepEqual([kept?.request_body, kept?.response_body], ['', '']);
    });

    async function attempts({ keys }: TestApp, count: number): Promise<Record<string, string>[]> {
      return await waitFor(`${count} attempts`, async () => {
        const { body } = await world.call('GET', '/v1/webhooks/deliveries', { key: keys.live });
        return body.length === count ? body : undefined;
      });
    }

    async function clicksOf({ id }: TestApp): Promise<StoredRow[]> {
      await world.service.ctx.clickLog.applied();
      return await stored(`select id from clicks where app_id = '${id}'`);
    }

    const toldOf = ({ id }: TestApp) => stored(`select id from webhook_messages where app_id = '${id}'`);
  });

describe('partitions of clicks', { skip: !engines.includes('postgres') }, () => {
  const world = useWorld('postgres', ENV);
  const stored = (sql: string) => queryStored(world.place, sql);

  it('each day has its own, made ahead, and it goes as a whole', async () => {
    const today = partitionOf(world.clock.nowMs());
    const ahead = Array.from({ length: 7 }, (_, day) => partitionOf(world.clock.nowMs() + day * DAY_MS));
    assert.deepEqual(await partitions(), ahead);
    const { shortCode } = await world.newLink(await world.newApp(STORES));
    await tapsOf(world, shortCode, 3);
    await world.service.ctx.clickLog.applied();
    assert.equal((await stored(`select id from ${today}`)).length, 3);

    world.clock.advance((KEPT_DAYS + 1) * DAY_MS);
    await dropOld(world.service.ctx);
    assert.ok(!(await partitions()).includes(today));
  });

  it('a click of a day without one is kept, found and dropped as any other', async () => {
    const app = await world.newApp(STORES);
    const { shortCode } = await world.newLink(app);
    world.clock.advance(400 * DAY_MS);
    const clickId = await world.clickId(shortCode);
    const { method } = (await world.install(app, { clickId })).body;
    assert.equal(method, 'CLICK_ID');
    assert.equal((await stored('select id from clicks_other_days')).length, 1);

    world.clock.advance((KEPT_DAYS + 1) * DAY_MS);
    await dropOld(world.service.ctx);
    assert.deepEqual(await stored('select id from clicks_other_days'), []);
    assert.equal(await clicksCountedOf(app), 1);
  });

  it('while somebody holds the table, nobody waits behind the drop, and it comes later', async () => {
    const app = await world.newApp(STORES);
    const { shortCode } = await world.newLink(app);
    const today = await startAfresh();
    await tapsOf(world, shortCode, 3);
    const { ctx } = world.service;
    await ctx.clickLog.applied();
    world.clock.advance((KEPT_DAYS + 1) * DAY_MS);

    await ctx.db.transaction().execute(async (dump) => {
      await dump.selectFrom('clicks').select('id').limit(1).execute();
      const dropping = dropOld(ctx);
      assert.equal((await world.tap(shortCode)).status, 302);
      await dropping;
      assert.ok((await partitions()).includes(today));
    });
    await dropOld(ctx);
    assert.ok(!(await partitions()).includes(today));
    await ctx.clickLog.applied();
    assert.equal(await clicksCountedOf(app), 4);
  });

  /** On a day of which no click is there yet. */
  async function startAfresh(): Promise<string> {
    await world.close();
    world.clock.advance(DAY_MS);
    await world.open();
    return partitionOf(world.clock.nowMs());
  }

  async function clicksCountedOf({ id }: TestApp): Promise<number> {
    const counts = await readCounts(world.place);
    return counts.reduce(
      (sum, { app_id, kind, n }) => sum + (app_id === id && kind === 'click' ? Number(n) : 0),
      0,
    );
  }

  async function partitions(): Promise<unknown[]> {
    const rows = await stored(
      `select relname from pg_class where relkind = 'r' and relname ~ '^clicks_[0-9]+$' order by 1`,
    );
    return rows.map(({ relname }) => relname);
  }
});

function partitionOf(timeMs: number): string {
  return `clicks_${isoTime(timeMs).slice(0, 10).replaceAll('-', '')}`;
}

async function tapsOf(world: World, shortCode: string, count: number): Promise<void> {
  for (let tap = 0; tap < count; tap++)
    assert.equal((await world.tap(shortCode, { userAgent: IPHONE })).status, 302);
}
