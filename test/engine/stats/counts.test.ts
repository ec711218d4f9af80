/** Every record is counted exactly once, in its transaction. */
import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { NEW_CLICK_COLUMNS } from '../../../src/click-log/click.ts';
import { toRowText } from '../../../src/db/index.ts';
import { DAY_MS, isoTime, startOf } from '../../../src/lib/clock.ts';
import { clickCounts } from '../../../src/stats/index.ts';
import { assertCounted, countRecords, readCounts } from '../../helpers/counts.ts';
import { engines } from '../../helpers/engines.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { DESKTOP, freshAddress, IPHONE, PIXEL, type TestApp, useWorld } from '../../helpers/world.ts';

const STORES = {
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
  iosDestination: 'https://apps.apple.com/app/id1',
  fallbackUrl: 'https://example.com/',
};
const AGENTS = [IPHONE, PIXEL, DESKTOP, 'curl/8.5.0', 'Googlebot/2.1', 'Slackbot-LinkExpanding 1.0'];
const OPERATIONS = 400;

for (const engine of engines)
  describe(`counts on ${engine}`, () => {
    const world = useWorld(engine);
    const applied = () => world.service.clickLog.applied();
    const post = async (app: TestApp, path: string, body: unknown, key = app.keys.live) =>
      await world.call('POST', `/v1/sdk/${path}`, { key, body, from: freshAddress() });
    const countOf = async (kind: string, { id }: TestApp) =>
      (await readCounts(world.place))
        .filter((count) => count.kind === kind && count.app_id === id)
        .reduce((sum, { n }) => sum + Number(n), 0);

    it('match the records after concurrent clicks, installs, opens and events', async () => {
      const apps = [await world.newApp(STORES), await world.newApp(STORES)];
      const scenes = await Promise.all(apps.map(async (app) => ({ app, links: await newLinks(app) })));
      await Promise.all(Array.from({ length: OPERATIONS }, () => something(pick(scenes))));
      await applied();
      await assertCounted(world.place);
      const kinds = new Set((await readCounts(world.place)).map(({ kind }) => kind));
      assert.deepEqual([...kinds].sort(), ['click', 'event', 'install', 'open']);
    });

    it('count repeated requests once, sequential or concurrent', async () => {
      const app = await world.newApp(STORES);
      const install = { installId: randomUUID(), fingerprint: { platform: 'ANDROID' } };
      const open = { openId: randomUUID(), fingerprint: { platform: 'IOS' } };
      const event = { installId: install.installId, eventName: 'bought', eventId: randomUUID() };
      for (let again = 0; again < 3; again++) {
        await Promise.all([post(app, 'install', install), post(app, 'install', install)]);
        await Promise.all([post(app, 'open', open), post(app, 'open', open)]);
        await Promise.all([post(app, 'event', event), post(app, 'event', event)]);
        await post(app, 'events', { events: [event, event, { ...event, eventId: randomUUID() }] });
      }
      assert.deepEqual(
        [await countOf('install', app), await countOf('open', app), await countOf('event', app)],
        [1, 1, 4],
      );
      await assertCounted(world.place);
    });

    it('count clicks once when a journal is applied twice', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      for (let tap = 0; tap < 5; tap++) await world.tap(shortCode);
      await applied();
      const { store, db } = world.service;
      const rows = await db
        .selectFrom('clicks')
        .select(NEW_CLICK_COLUMNS)
        .where('app_id', '=', app.id)
        .execute();
      const values = rows.map((row) => NEW_CLICK_COLUMNS.map((column) => row[column]));
      const fresh = values.map((row) => row.with(1, world.service.ids.next()));
      const into = {
        table: 'clicks',
        columns: NEW_CLICK_COLUMNS,
        counts: clickCounts(),
      } as const;
      await store.insertRowTexts(into, [textOf(values), textOf([...fresh, ...values])]);
      assert.equal(await countOf('click', app), 10);
      await assertCounted(world.place);
    });

    it('are written with the record or not at all, and on a retry', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      await world.tap(shortCode);
      await applied();
      const { db, ids, store } = world.service;
      const { installId } = (await world.install(app)).body;
      const click = await db
        .selectFrom('clicks')
        .select(NEW_CLICK_COLUMNS)
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      const row = NEW_CLICK_COLUMNS.map((column) => (column === 'id' ? ids.next() : click[column]));
      const into = {
        table: 'clicks',
        columns: NEW_CLICK_COLUMNS,
        counts: clickCounts(),
      } as const;
      const install = { installId: randomUUID(), fingerprint: { platform: 'IOS' } };
      const event = { installId, eventName: 'bought', eventId: randomUUID() };
      const send = () => Promise.all([post(app, 'install', install), post(app, 'event', event)]);
      const before = await countRecords(world.place);

      await sql`alter table pending_counts rename to pending_counts_away`.execute(db);
      await assert.rejects(store.insertRowTexts(into, [textOf([row])]));
      for (const { status } of await send()) assert.equal(status, 500);
      assert.deepEqual(await countRecords(world.place), before);

      await sql`alter table pending_counts_away rename to pending_counts`.execute(db);
      await store.insertRowTexts(into, [textOf([row])]);
      for (const { status } of await send()) assert.ok(status < 300);
      assert.deepEqual(
        [await countOf('click', app), await countOf('install', app), await countOf('event', app)],
        [2, 2, 1],
      );
      await assertCounted(world.place);
    });

    it('include all clicks of a rejected batch but the invalid one', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      const { clickLog, db, ids } = world.service;
      await world.tap(shortCode);
      await applied();
      const good = await db
        .selectFrom('clicks')
        .select(NEW_CLICK_COLUMNS)
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      // A click without a visitor is invalid.
      const bad = { ...good, visitor: null as unknown as string };
      await Promise.all(
        [good, bad, good, good].map((click) => clickLog.record({ ...click, id: ids.next() })),
      );
      await applied();
      assert.equal(await countOf('click', app), 4);
      await assertCounted(world.place);
    });

    it('assign a record to its UTC day, to the last millisecond before midnight', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      const { clickLog, db, ids, clock } = world.service;
      await world.tap(shortCode);
      await applied();
      const click = await db
        .selectFrom('clicks')
        .select(NEW_CLICK_COLUMNS)
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      const midnightMs = startOf('day', clock.nowMs()) + DAY_MS;
      for (const [ms, taps] of [
        [midnightMs - 1, 2],
        [midnightMs, 3],
      ] as const)
        for (let tap = 0; tap < taps; tap++)
          await clickLog.record({ ...click, id: ids.next(), clicked_at: isoTime(ms) });
      await applied();
      const counts = (await readCounts(world.place)).filter(({ app_id }) => app_id === app.id);
      assert.deepEqual(
        counts.map(({ day, n }) => [day, n]),
        [
          [isoTime(midnightMs - 1).slice(0, 10), 3],
          [isoTime(midnightMs).slice(0, 10), 3],
        ],
      );
    });

    it('assign an old event to the day on which it was received', async () => {
      const app = await world.newApp(STORES);
      const { installId } = (await world.install(app)).body;
      await post(app, 'event', { installId, eventName: 'old', occurredAt: '2020-01-01T00:00:00Z' });
      const days = (await readCounts(world.place)).filter(({ app_id }) => app_id === app.id);
      assert.deepEqual(
        new Set(days.map(({ day }) => day)),
        new Set([isoTime(world.clock.nowMs()).slice(0, 10)]),
      );
    });

    it('keep 200 values of a visitor’s choosing a day, and count the others together', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const { shortCode } = await world.newLink(app, { campaignId: 'spring' });
      const taps = Array.from({ length: 230 }, (_, n) =>
        world.tap(`${shortCode}?utm_source=source${n}`, {
          userAgent: DESKTOP,
          from: freshAddress(),
          headers: { referer: `https://host${n}.example/` },
        }),
      );
      await Promise.all(taps);
      const read = async (query: string) => {
        const { body } = await world.call('GET', `/v1/stats?limit=100&${query}`, { key: app.keys.live });
        return body;
      };
      for (const filter of ['', '&campaignId=spring', `&shortCode=${shortCode}`])
        for (const groupBy of ['referrer', 'utmSource']) {
          const { groups, other, totals } = await read(`groupBy=${groupBy}${filter}`);
          assert.deepEqual([groups.length, other.clicks, totals.clicks], [100, 130, 230]);
        }
      const { db } = world.service;
      for (const dimension of ['referrer', 'utmSource']) {
        const rows = await db
          .selectFrom('count_days')
          .select('value')
          .where('app_id', '=', app.id)
          .where('scope', '=', '')
          .where('dimension', '=', dimension)
          .execute();
        assert.equal(rows.length, 201);
      }
    });

    describe('with thousands of values that a visitor made up', () => {
      const sourcesOf = async (app: TestApp, filter = '') => {
        const query = `limit=100&groupBy=utmSource${filter}`;
        const { body } = await world.call('GET', `/v1/stats?${query}`, { key: app.keys.live });
        const clicks = (key: string) =>
          body.groups.find((group: { key: string }) => group.key === key)?.clicks ?? 0;
        const sum = body.groups.reduce((total: number, group: { clicks: number }) => total + group.clicks, 0);
        assert.equal(sum + body.other.clicks, body.totals.clicks);
        return { clicks, total: body.totals.clicks as number };
      };
      /** Clicks of sources, recorded as those of taps. */
      async function record(app: TestApp, sources: readonly string[]): Promise<void> {
        const { db, ids, clock, clickLog } = world.service;
        const [link] = await db.selectFrom('links').selectAll().where('app_id', '=', app.id).execute();
        assert.ok(link);
        const recorded = sources.map((source) =>
          clickLog.record({
            ...{ app_id: app.id, id: ids.next(), link_id: link.id, campaign_id: link.campaign_id },
            ...{ sandbox: 0, visitor: 'human', visitor_reason: null, platform: null, ip_hash: null },
            ...{ user_agent: null, accept_language: null, device_model: null, fingerprint: null },
            ...{ country: null, referrer: null, query: null, erased: null, erased_at: null },
            ...{ rule_id: null, path_rest: null },
            utm: JSON.stringify({ source, medium: null, campaign: null, term: null, content: null }),
            clicked_at: isoTime(clock.nowMs()),
          }),
        );
        assert.ok((await Promise.all(recorded)).every((isOnDisk) => isOnDisk));
      }
      let made = 0;
      const madeUp = (count: number) => Array.from({ length: count }, () => `made-up-${made++}`);
      const scene = async () => {
        const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
        const { shortCode } = await world.newLink(app, { campaignId: 'spring' });
        return { app, shortCode };
      };

      it('sources with more clicks take their places, whenever they begin', async () => {
        const { app, shortCode } = await scene();
        await record(app, madeUp(5_000));
        assert.equal((await sourcesOf(app)).total, 5_000);
        let total = 5_000;
        for (let round = 0; round < 8; round++) {
          const taps = ['newsletter', 'newsletter', 'banner', ...madeUp(150)];
          await record(app, taps);
          total += taps.length;
          for (const filter of ['', '&campaignId=spring', `&shortCode=${shortCode}`])
            assert.equal((await sourcesOf(app, filter)).total, total);
        }
        for (const filter of ['', '&campaignId=spring', `&shortCode=${shortCode}`]) {
          const { clicks } = await sourcesOf(app, filter);
          assert.equal(clicks('newsletter'), 16, filter);
          // Its first click was counted among the others.
          assert.ok(clicks('banner') >= 7, `${filter} ${clicks('banner')}`);
        }
        const rows = await world.service.db
          .selectFrom('count_days')
          .select(['scope', 'value'])
          .where('app_id', '=', app.id)
          .where('dimension', '=', 'utmSource')
          .execute();
        for (const scope of ['', 'campaign=spring'])
          assert.ok(rows.filter((row) => row.scope === scope).length <= 201);
        const [day] = await queryStored(
          world.place,
          `select cells from link_days where app_id = '${app.id}'`,
        );
        const cells = JSON.parse(String(day?.cells)) as string[][];
        assert.ok(cells.filter(([dimension]) => dimension === 'utmSource').length <= 201);
      });

      it('made-up sources of an earlier day hide no new source with more clicks', async () => {
        const { app } = await scene();
        const fakes = madeUp(200);
        for (let time = 0; time < 4; time++) await record(app, fakes);
        assert.equal((await sourcesOf(app)).total, 800);
        world.clock.advance(DAY_MS);
        await record(app, [...fakes, ...Array.from({ length: 5 }, () => 'launch')]);
        const { total, clicks } = await sourcesOf(app, `&from=${isoTime(world.clock.nowMs()).slice(0, 10)}`);
        assert.deepEqual([total, clicks('launch')], [205, 5]);
      });

      it('sources of earlier days have places at once', async () => {
        const { app } = await scene();
        await record(app, ['newsletter']);
        assert.equal((await sourcesOf(app)).clicks('newsletter'), 1);
        world.clock.advance(DAY_MS);
        await record(
          app,
          madeUp(5_000).flatMap((source) => [source, source]),
        );
        assert.equal((await sourcesOf(app)).total, 10_001);
        await record(app, ['newsletter', ...madeUp(100)]);
        const today = `&from=${isoTime(world.clock.nowMs()).slice(0, 10)}&sort=clicks`;
        const { total } = await sourcesOf(app, today);
        assert.equal(total, 10_101);
        const value = await world.service.db
          .selectFrom('count_days')
          .select('clicks')
          .where('app_id', '=', app.id)
          .where('scope', '=', '')
          .where('dimension', '=', 'utmSource')
          .where('value', '=', '=newsletter')
          .where('day', '=', isoTime(world.clock.nowMs()).slice(0, 10))
          .executeTakeFirst();
        assert.equal(value?.clicks, 1);
      });
    });

    it('are not changed by an erasure', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app, { campaignId: 'spring' });
      const from = freshAddress();
      const clickId = await world.clickId(shortCode, { from });
      const { installId } = (await world.install(app, { clickId }, { from })).body;
      await world.call('POST', '/v1/sdk/identify', {
        key: app.keys.live,
        body: { installId, userId: 'ada' },
      });
      await post(app, 'event', { installId, eventName: 'bought' });
      await post(app, 'open', { installId, userId: 'ada', fingerprint: { platform: 'ANDROID' } });
      const before = await readCounts(world.place);
      const body = { userId: 'ada', ipAddress: from };
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', { key: app.keys.live, body }))
        .body;
      for (const id of requestIds)
        await waitFor('the erasure', async () => {
          const answer = await world.call('GET', `/v1/privacy/erase/${id}`, { key: app.keys.live });
          return answer.body.status === 'completed' ? true : undefined;
        });
      const [install] = await queryStored(
        world.place,
        `select user_id from installs where id = '${installId}'`,
      );
      assert.equal(install?.user_id, null);
      assert.deepEqual(await readCounts(world.place), before);
      assert.deepEqual(await countRecords(world.place), before);
    });

    async function newLinks(app: TestApp): Promise<string[]> {
      const links = [
        await world.newLink(app, { campaignId: 'spring' }),
        await world.newLink(app, { campaignId: 'it’s "1"' }),
        await world.newLink(app),
        await world.newLink(app, { campaignId: 'spring' }, app.keys.test),
      ];
      return links.map(({ shortCode }) => shortCode);
    }

    /** A visitor, or a device that installs, opens and sends events, some of them twice. */
    async function something({ app, links }: { app: TestApp; links: readonly string[] }): Promise<void> {
      const shortCode = pick(links);
      if (randomInt(2) === 0) {
        const method = randomInt(8) === 0 ? 'HEAD' : 'GET';
        await world.tap(shortCode, { userAgent: pick(AGENTS), from: freshAddress(), method });
        return;
      }
      const key = pick([app.keys.live, app.keys.live_publishable, app.keys.test]);
      const clickId = randomInt(4) === 0 ? null : await world.clickId(shortCode, { from: freshAddress() });
      const phone = { clickId, fingerprint: { platform: pick(['ANDROID', 'IOS']) } };
      const installId = randomUUID();
      const times = Array.from({ length: 1 + randomInt(2) });
      const installed = times.map(() => post(app, 'install', { ...phone, installId }, key));
      for (const { status, text } of await Promise.all(installed)) assert.equal(status, 200, text);
      const events = Array.from({ length: randomInt(6) }, () => ({
        installId,
        eventName: 'level',
        eventId: randomUUID(),
      }));
      const answers = [post(app, 'open', { ...phone, installId, openId: randomUUID() }, key)];
      if (events.length > 0) answers.push(...times.map(() => post(app, 'events', { events }, key)));
      for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text);
    }
  });

function pick<T>(values: readonly T[]): T {
  return values[randomInt(values.length)] as T;
}

function textOf(rows: readonly (string | number | null)[][]): Buffer {
  return Buffer.from(rows.map((row) => `${toRowText(row)}\n`).join(''));
}
