/** Records by their id, and lists in both directions. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { erase } from '../../helpers/privacy-scene.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, IPHONE, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const TABLES = ['clicks', 'installs', 'opens', 'events'] as const;
/** An install is read with its opens and trace by another endpoint. */
const READ = ['clicks', 'opens', 'events'] as const;

interface Item {
  readonly id: string;
}

for (const engine of engines)
  describe(`records by id, and both orders, on ${engine}`, () => {
    const world = useWorld(engine);

    const get = (app: TestApp, path: string, key = app.keys.live) =>
      world.call('GET', `/v1/${path}`, { key });
    const list = async (app: TestApp, path: string): Promise<Item[]> => {
      const { status, body, text } = await get(app, path);
      assert.equal(status, 200, text);
      return body;
    };
    const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);

    /** An app with records of each kind, whose times differ. */
    async function scene(count: number, { debugBuild = false } = {}) {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, {}, debugBuild ? app.keys.test : app.keys.live);
      const from = freshAddress();
      for (let index = 0; index < count; index++) {
        await world.tap(shortCode, { from, userAgent: IPHONE });
        const { body } = await world.install(app, { debugBuild }, { from });
        const { installId } = body;
        const key = app.keys.live;
        const open = { installId, openId: randomUUID(), fingerprint: IPHONE_FINGERPRINT, debugBuild };
        await world.call('POST', '/v1/sdk/open', { key, body: open });
        await world.call('POST', '/v1/sdk/event', { key, body: { installId, eventName: 'level' } });
        world.clock.advance(1_000);
      }
      return { app, from };
    }

    it('a click, an open and an event are read by id, in any case, as in their list', async () => {
      const { app } = await scene(1);
      for (const table of READ) {
        const [item] = await list(app, table);
        assert.ok(item);
        for (const id of [item.id, item.id.toUpperCase()])
          assert.deepEqual((await get(app, `${table}/${id}`)).body, item);
      }
    });

    it('an event is read by the id that the app sent with it, by no other app, and tells when it was erased', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const { installId } = (await world.install(app)).body;
      const event = { installId, eventName: 'level', eventId: randomUUID(), userId: 'ada' };
      await world.call('POST', '/v1/sdk/event', { key, body: event });
      const [item] = await list(app, 'events');
      assert.ok(item);
      assert.notEqual(item.id, event.eventId);
      for (const id of [event.eventId, event.eventId.toUpperCase(), item.id])
        assert.deepEqual((await get(app, `events/${id}`)).body, item);
      assertError(await get(await world.newApp(), `events/${event.eventId}`), 404, 'record.not_found');
      await erase(world, app, { userId: 'ada' });
      const erased = (await get(app, `events/${event.eventId}`)).body;
      assert.deepEqual([erased.id, erased.userId, erased.properties], [item.id, null, {}]);
      assert.ok(Date.parse(erased.erasedAt) <= world.clock.nowMs());
    });

    it('a click is read at once, although its journal is not yet applied', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, {
        androidDestination: 'https://play.google.com/store/apps/details?id=a',
      });
      const id = await world.clickId(link.shortCode);
      assert.equal((await get(app, `clicks/${id}`)).body.id, id);
    });

    it('another app’s record, an unknown id and one that is no UUID get 404', async () => {
      const { app } = await scene(1);
      const other = await world.newApp();
      for (const table of READ) {
        const [item] = await list(app, table);
        assertError(await get(other, `${table}/${item?.id}`), 404, 'record.not_found');
        for (const id of [randomUUID(), 'no-id', '1'.repeat(90)])
          assertError(await get(app, `${table}/${id}`), 404, 'record.not_found');
      }
    });

    it('a test key reads sandbox records only, a live key all, a publishable one none', async () => {
      const [{ app: live }, { app: sandbox }] = [await scene(1), await scene(1, { debugBuild: true })];
      for (const table of READ) {
        const [item] = await list(live, table);
        assertError(await get(live, `${table}/${item?.id}`, live.keys.test), 404, 'record.not_found');
        const [tried] = await list(sandbox, `${table}?sandbox=true`);
        for (const key of [sandbox.keys.test, sandbox.keys.live])
          assert.deepEqual((await get(sandbox, `${table}/${tried?.id}`, key)).body, tried);
        const refused = await get(live, `${table}/${item?.id}`, live.keys.live_publishable);
        assertError(refused, 401, 'key.wrong_kind');
      }
    });

    it('an erased record stays in its list and export, without the person and with the time of the erasure', async () => {
      const { app, from } = await scene(1);
      const before = new Map<string, Item[]>();
      for (const table of TABLES) before.set(table, await list(app, table));
      world.clock.advance(60_000);
      await erase(world, app, { ipAddress: from });
      for (const table of TABLES) {
        const [item, ...others] = await list(app, table);
        const [former] = before.get(table) ?? [];
        assert.deepEqual([item?.id, others.length, before.get(table)?.length], [former?.id, 0, 1]);
        const { erasedAt, userId, deviceModel, shortCode } = item as unknown as Record<string, string | null>;
        assert.ok(Math.abs(Date.parse(erasedAt ?? '') - world.clock.nowMs()) < 60_000, `${erasedAt}`);
        assert.deepEqual([userId ?? null, deviceModel ?? null], [null, null]);
        assert.equal(shortCode, (former as unknown as { shortCode: string }).shortCode);
        const { body } = await get(app, `${table}/${former?.id}`);
        assert.equal(body.erasedAt, erasedAt);
        const headers = { accept: 'application/x-ndjson' };
        const { text } = await world.call('GET', `/v1/${table}`, { key: app.keys.live, headers });
        assert.deepEqual(JSON.parse(text), item);
      }
    });

    it('a deleted link’s records keep its code, by which they are listed', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, {});
      await world.tap(shortCode, { userAgent: IPHONE });
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      const [click] = await list(app, `clicks?shortCode=${shortCode}`);
      assert.equal((click as unknown as { shortCode: string }).shortCode, shortCode);
    });

    it('order=asc lists oldest first; before and after bound a list in either order', async () => {
      const { app } = await scene(4);
      for (const table of TABLES) {
        const [d, c, b, a] = idsOf(await list(app, table));
        for (const [query, expected] of [
          ['order=desc', [d, c, b, a]],
          ['order=asc', [a, b, c, d]],
          ['order=asc&limit=2', [a, b]],
          [`order=asc&after=${b}`, [c, d]],
          [`order=asc&after=${b}&limit=1`, [c]],
          [`after=${b}`, [d, c]],
          [`before=${c}`, [b, a]],
          [`order=asc&before=${c}`, [a, b]],
          [`order=asc&after=${a}&before=${d}`, [b, c]],
          [`after=${d}`, []],
          [`after=${a?.toUpperCase()}&limit=1`, [d]],
        ] as const)
          assert.deepEqual(idsOf(await list(app, `${table}?${query}`)), expected, `${table}?${query}`);
      }
    });

    it('records of one millisecond are each on one page, in both orders', async () => {
      const app = await world.newApp();
      const { service } = world;
      for (let index = 0; index < 5; index++) await world.install(app);
      const at = '2026-01-31T12:00:00.000Z';
      await service.db
        .updateTable('installs')
        .set({ installed_at: at })
        .where('app_id', '=', app.id)
        .execute();
      for (const [order, next] of [
        ['desc', 'before'],
        ['asc', 'after'],
      ] as const) {
        const seen: string[] = [];
        for (;;) {
          const last = seen.at(-1);
          const page = await list(app, `installs?order=${order}&limit=2${last ? `&${next}=${last}` : ''}`);
          seen.push(...idsOf(page));
          if (page.length < 2) break;
        }
        assert.equal(new Set(seen).size, 5);
        assert.equal(seen.length, 5);
      }
    });

    it('after must be the id of an item of the list; order is asc or desc', async () => {
      const { app } = await scene(1);
      const [event] = await list(app, 'events');
      for (const table of TABLES) {
        const foreign = table === 'events' ? randomUUID() : event?.id;
        for (const name of ['after', 'before']) {
          const answer = await get(app, `${table}?${name}=${foreign}`);
          assertError(answer, 400, 'request.invalid');
          assert.match(answer.body.error, new RegExp(`^${name} must be the id of an item of this list`));
        }
        for (const query of ['order=newest', 'order=ASC', 'after=1', 'order=', 'after='])
          assertError(await get(app, `${table}?${query}`), 400, 'request.invalid');
      }
    });
  });
