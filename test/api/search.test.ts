/** The search leads from any id that people have to what it belongs to. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { engines } from '../helpers/engines.ts';
import { erase } from '../helpers/privacy-scene.ts';
import { assertError } from '../helpers/shapes.ts';
import { freshAddress, type TestApp, useWorld } from '../helpers/world.ts';

const STORES = { androidDestination: 'https://play.google.com/store/apps/details?id=a' };

for (const engine of engines)
  describe(`search on ${engine}`, () => {
    const world = useWorld(engine);

    interface Found {
      readonly type: string;
      readonly id: string;
      readonly label: string;
      readonly at: string | null;
      readonly installId?: string;
      readonly erasedAt?: string;
      readonly deletedAt?: string;
    }

    async function search(of: TestApp, q: string, key = of.keys.live): Promise<Found[]> {
      const answer = await world.call('GET', `/v1/search?${new URLSearchParams({ q })}`, { key });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.results;
    }
    const first = async (of: TestApp, q: string, key = of.keys.live) => {
      const [{ type, id, installId = null } = { type: 'nothing', id: '' }] = await search(of, q, key);
      return [type, id, installId];
    };
    const installsOf = async (of: TestApp, q: string, key = of.keys.live) => {
      const { status, body, text } = await world.call('GET', `/v1/installs?${new URLSearchParams({ q })}`, {
        key,
      });
      assert.equal(status, 200, text);
      return body.map(({ id }: { id: string }) => id);
    };

    /** A person's records of each kind, with ids that the app chose. */
    async function newScene({ debugBuild = false, userId = 'ada@example.com' } = {}) {
      const app = await world.newApp();
      const key = app.keys.live;
      const { shortCode } = await world.newLink(app, { ...STORES, campaignId: 'Spring-Sale' });
      const from = freshAddress();
      const clickId = await world.clickId(shortCode, { from });
      const call = async (path: string, body: object) => {
        const answer = await world.call('POST', `/v1/sdk/${path}`, { key, body });
        assert.ok(answer.status < 300, answer.text);
        return answer.body;
      };
      const fingerprint = { platform: 'ANDROID', deviceModel: 'SM-A546B' };
      const { installId } = await call('install', {
        installId: randomUUID(),
        clickId,
        fingerprint,
        debugBuild,
      });
      await call('identify', { installId, userId });
      const openClickId = await world.clickId(shortCode, { from });
      const open = { openId: randomUUID(), installId, clickId: openClickId, fingerprint, debugBuild };
      const { openId } = await call('open', open);
      const eventId = randomUUID();
      await call('event', { installId, eventName: 'purchase', eventId });
      const sandbox = debugBuild ? '?sandbox=true' : '';
      const [event] = (await world.call('GET', `/v1/events${sandbox}`, { key })).body;
      return {
        app,
        shortCode,
        from,
        clickId,
        installId,
        openId,
        openClickId,
        eventId,
        rowId: event.id,
        userId,
      };
    }
    let scene: Awaited<ReturnType<typeof newScene>>;
    before(async () => {
      scene = await newScene();
    });

    it('finds a record of each kind by its id, in any case, by its first characters, and with spaces around', async () => {
      const { app, installId, clickId, openId, rowId } = scene;
      for (const [type, id, ofInstall] of [
        ['install', installId, installId],
        ['open', openId, installId],
        ['event', rowId, installId],
        ['click', clickId, null],
      ] as const)
        for (const q of [id, id.toUpperCase(), ` ${id} `, id.replaceAll('-', '')])
          assert.deepEqual(await first(app, q), [type, id, ofInstall], q);
      for (const id of [installId, openId, clickId])
        for (const length of [8, 13, 14, 23])
          assert.ok(
            (await search(app, id.slice(0, length))).some((found) => found.id === id),
            `${length}`,
          );
      assert.deepEqual(await search(app, installId.slice(0, 7)), []);
    });

    it('finds an event by the id that the app sent, a user by the exact id, and says what they are', async () => {
      const { app, eventId, rowId, installId, userId } = scene;
      assert.deepEqual(await first(app, eventId), ['event', rowId, installId]);
      assert.deepEqual(await first(app, userId), ['user', userId, null]);
      assert.deepEqual(await search(app, 'Ada@example.com'), []);
      const [install] = await search(app, installId);
      assert.equal(install?.label, `Galaxy A54, /${scene.shortCode}, Spring-Sale`);
      assert.ok(Math.abs(Date.parse(install?.at ?? '') - world.clock.nowMs()) < 60_000);
      assert.match((await search(app, eventId))[0]?.label ?? '', /^purchase, /);
    });

    it('finds a link by its code, its address and its beginning, and a deleted one, which says so', async () => {
      const { app, shortCode } = scene;
      for (const q of [shortCode, `https://go.example/l/${shortCode}?utm_source=x`, shortCode.slice(0, 3)])
        assert.deepEqual(await first(app, q), ['link', shortCode, null], q);
      const deleted = (await world.newLink(app)).shortCode;
      assert.equal((await search(app, deleted))[0]?.deletedAt, undefined);
      await world.call('DELETE', `/v1/links/${deleted}`, { key: app.keys.live });
      const [found] = await search(app, deleted);
      assert.deepEqual([found?.type, found?.id], ['link', deleted]);
      assert.ok(Math.abs(Date.parse(found?.deletedAt ?? '') - world.clock.nowMs()) < 60_000);
    });

    it('finds links by part of a title and by their path, and tags by their beginning, each once, in any capitals', async () => {
      const app = await world.newApp({ shortLinkHost: `${engine}-search.example.com` });
      const link = { tags: ['Spring', 'spring '], title: 'Über 100 % Sale', path: 'poster/hall' };
      const { shortCode, shortUrl } = await world.newLink(app, { ...link, deepLinkPath: '/über' });
      await world.newLink(app, { tags: ['SPRING', 'Spring sale'], ogTitle: 'No', sandbox: true });
      const below = await world.newLink(app, { path: 'summer/all', passPath: true, deepLinkPath: '/summer' });
      const of = async (q: string, key = app.keys.live) =>
        (await search(app, q, key)).map(({ type, id }) => `${type} ${id}`);
      for (const q of ['über 100 %', 'sale', 'Poster/Hall', '/poster/hall', shortUrl])
        assert.deepEqual(await of(q), [`link ${shortCode}`], q);
      assert.deepEqual(await of(`${below.shortUrl}/shoes?x=1`), [`link ${below.shortCode}`]);
      assert.equal((await search(app, 'ÜBER'))[0]?.label, '/poster/hall, Über 100 % Sale');
      assert.deepEqual(await of('100 _'), []);
      assert.deepEqual(await of('spring'), ['tag SPRING', 'tag Spring sale']);
      assert.deepEqual(await of('spring s', app.keys.test), ['tag Spring sale']);
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      assert.deepEqual(await of('über'), []);
      assert.deepEqual(await of('poster/hall'), [`link ${shortCode}`]);
    });

    it('finds campaigns by their beginning in any case, each once, the whole one first', async () => {
      const app = await world.newApp();
      for (const campaignId of ['Spring', 'spring-sale', 'SPRING 2', 'Spring', 'sommer', 'a%b', 'a_b'])
        await world.newLink(app, { campaignId });
      const campaigns = async (q: string) => (await search(app, q)).map(({ type, id }) => `${type} ${id}`);
      assert.deepEqual(await campaigns('spring'), [
        'campaign Spring',
        'campaign SPRING 2',
        'campaign spring-sale',
      ]);
      assert.deepEqual(await campaigns('spring-'), ['campaign spring-sale']);
      assert.deepEqual(await campaigns('a%'), ['campaign a%b']);
    });

    it('finds the deliveries of a message by its id and by theirs', async () => {
      const app = await world.newApp();
      const { ids, db, clock } = world.service;
      const [messageId, attemptId] = [ids.next(), ids.next()];
      const common = { app_id: app.id, event_type: 'install.organic', sandbox: 0 as const };
      await db
        .insertInto('webhook_messages')
        .values({ ...common, id: messageId, record_id: ids.next(), body: '{}' })
        .execute();
      const attempt = {
        ...{
          ...common,
          id: attemptId,
          webhook_id: ids.next(),
          message_id: messageId,
          webhook_url: 'https://a.example/',
        },
        ...{
          http_status: 200,
          response_body: '',
          error_message: null,
          attempt_number: 1,
          success: 1 as const,
        },
        ...{ duration_ms: 1, started_at: new Date(clock.nowMs()).toISOString() },
      };
      await db.insertInto('webhook_attempts').values(attempt).execute();
      for (const q of [messageId, attemptId, messageId.slice(0, 13)]) {
        assert.deepEqual(
          (await search(app, q)).map(({ type, id }) => [type, id]),
          [['message', attemptId]],
          q,
        );
      }
      assert.deepEqual(await search(app, messageId, app.keys.test), []);
    });

    it('finds nothing of another app, and with a test key sandbox records only', async () => {
      const other = await world.newApp();
      const sandbox = await newScene({ debugBuild: true });
      const ofScene = ({ installId, clickId, openId, eventId, userId, shortCode }: typeof scene) => [
        ...[installId, clickId, openId, eventId, userId, shortCode, 'Spring'],
      ];
      for (const q of ofScene(scene)) {
        assert.deepEqual(await search(other, q), [], q);
        assert.deepEqual(await installsOf(other, q), [], q);
        assert.deepEqual(await search(scene.app, q, scene.app.keys.test), [], q);
        assert.deepEqual(await installsOf(scene.app, q, scene.app.keys.test), [], q);
      }
      const { app, installId, userId } = sandbox;
      for (const key of [app.keys.test, app.keys.live]) {
        assert.deepEqual(await first(app, installId, key), ['install', installId, installId]);
        assert.deepEqual(await first(app, userId, key), ['user', userId, null]);
      }
      assert.deepEqual(await installsOf(app, installId, app.keys.test), [installId]);
      assert.deepEqual(await installsOf(app, installId), []);
    });

    it('finds erased records with the time of the erasure, and the person no more', async () => {
      const { app, installId, openId, eventId, clickId, userId } = await newScene({ userId: 'grace' });
      await erase(world, app, { userId });
      for (const id of [installId, openId, eventId, clickId]) {
        const [found] = await search(app, id);
        assert.ok(Date.parse(found?.erasedAt ?? '') > 0, id);
        assert.doesNotMatch(found?.label ?? '', /Galaxy/);
      }
      assert.deepEqual(await search(app, userId), []);
    });

    it('the list of installs has with q those to which an id belongs', async () => {
      const { app, installId, clickId, openId, openClickId, eventId, rowId, userId } = scene;
      for (const q of [
        installId,
        clickId,
        openId,
        openClickId,
        eventId,
        rowId,
        userId,
        openId.slice(0, 8),
        ` ${rowId} `,
      ])
        assert.deepEqual(await installsOf(app, q), [installId], q);
      for (const q of ['nobody', randomUUID(), installId.slice(0, 7), 'ADA@EXAMPLE.COM'])
        assert.deepEqual(await installsOf(app, q), [], q);
      const query = new URLSearchParams({ q: userId, method: 'ORGANIC', include: 'total' });
      const narrowed = await world.call('GET', `/v1/installs?${query}`, { key: app.keys.live });
      assert.deepEqual([narrowed.body, narrowed.headers['x-total-count']], [[], '0']);
    });

    it('a publishable key finds nothing; q must not be missing, empty or too long', async () => {
      const { app } = scene;
      const key = app.keys.live_publishable;
      assertError(await world.call('GET', '/v1/search?q=spring', { key }), 401, 'key.wrong_kind');
      for (const query of ['', '?q=', `?q=${'x'.repeat(2_049)}`, '?q=a&limit=5'])
        assertError(
          await world.call('GET', `/v1/search${query}`, { key: app.keys.live }),
          400,
          'request.invalid',
        );
      for (const q of ['%', "'", '\u{10FFFF}', '💜'.repeat(100), '-'.repeat(40), '0'.repeat(33), ' '])
        assert.deepEqual(await search(app, q), [], q);
    });
  });
