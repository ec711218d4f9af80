/** `GET /v1/installs/{installId}/invitations`. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { followLink, newInstall, newInvitingApp, newShareLink } from '../../helpers/share-links.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`invitations on ${engine}`, () => {
    const world = useWorld(engine);

    const list = (app: TestApp, installId: string, query = '', key = app.keys.live) =>
      world.call('GET', `/v1/installs/${installId}/invitations${query}`, { key });
    const idsIn = ({ body }: { body: { installs: { id: string }[] } }) => body.installs.map(({ id }) => id);

    it('are the installs by links of an install, newest first and by page, with its links and clicks', async () => {
      const app = await newInvitingApp(world);
      const [inviter, other] = [await newInstall(world, app), await newInstall(world, app)];
      const codes = [
        await newShareLink(world, app, inviter),
        await newShareLink(world, app, inviter, { deepLinkPath: '/b' }),
      ];
      const invited: string[] = [];
      for (const code of [...codes, codes[0] ?? '']) {
        // IDs of the app's own need not be in order.
        const installId = randomUUID();
        await followLink(world, app, code, { installId });
        invited.unshift(installId);
        world.clock.advance(1_000);
      }
      await followLink(world, app, await newShareLink(world, app, other));
      await world.call('DELETE', `/v1/links/${codes[1]}`, { key: app.keys.live });

      const all = await list(app, inviter.toUpperCase());
      assert.equal(all.status, 200, all.text);
      assert.deepEqual([all.body.links, all.body.clicks, idsIn(all)], [1, 3, invited]);
      const before = idsIn(await list(app, other))[0];
      const path = `/v1/installs?limit=1&before=${before}`;
      const [listed] = (await world.call('GET', path, { key: app.keys.live })).body;
      assert.deepEqual(all.body.installs[0], listed, 'as in their list');
      const first = await list(app, inviter, '?limit=2');
      const second = await list(app, inviter, `?limit=2&before=${idsIn(first)[1]}`);
      assert.deepEqual([...idsIn(first), ...idsIn(second)], invited);
      const filtered = await world.call('GET', `/v1/installs?invitedBy=${inviter}&include=total`, {
        key: app.keys.live,
      });
      assert.deepEqual(filtered.body, all.body.installs);
      assert.equal(filtered.headers['x-total-count'], '3');
    });

    it('of the sandbox are apart from live ones', async () => {
      const app = await newInvitingApp(world);
      const inviter = await newInstall(world, app);
      const code = await newShareLink(world, app, inviter);
      const live = (await followLink(world, app, code)).installId;
      await followLink(world, app, code, { debugBuild: true });
      assert.deepEqual(idsIn(await list(app, inviter)), [live]);
      assertError(await list(app, inviter, '', app.keys.test), 404, 'install.not_found');
      const tester = await newInstall(world, app, { key: app.keys.test_publishable });
      assert.deepEqual((await list(app, tester, '', app.keys.test)).body, {
        links: 0,
        clicks: 0,
        installs: [],
      });
    });

    it('of an unknown install, and of another app’s, are 404', async () => {
      const app = await newInvitingApp(world);
      const theirs = await newInstall(world, await newInvitingApp(world));
      for (const id of [theirs, randomUUID(), 'no-uuid'])
        assertError(await list(app, id), 404, 'install.not_found');
      const own = await newInstall(world, app);
      assertError(await list(app, own, `?before=${randomUUID()}`), 400, 'request.invalid', 'before');
      assertError(await list(app, own, '?limit=101'), 400, 'request.invalid', 'limit');
      assertError(await list(app, own, '', app.keys.live_publishable), 401, 'key.wrong_kind');
    });

    it('by many inviters are counted for at most 200 a day, and add up with the others', async () => {
      const app = await newInvitingApp(world);
      const { db, ids, clock } = world.service;
      const inviter = await newInstall(world, app);
      const code = await newShareLink(world, app, inviter);
      const { metadata: _, ...row } = await db
        .selectFrom('links')
        .selectAll()
        .where('app_id', '=', app.id)
        .where('short_code', '=', code)
        .executeTakeFirstOrThrow();
      const links = Array.from({ length: 250 }, () => ({
        ...row,
        metadata: '{}',
        id: ids.next(),
        invited_by: ids.next(),
      }));
      await db.insertInto('links').values(links.slice(0, 125)).execute();
      await db.insertInto('links').values(links.slice(125)).execute();
      const minute = new Date(clock.nowMs()).toISOString().slice(0, 16);
      const facts = links.map(({ id }) => [
        0,
        minute,
        'click',
        id,
        '',
        'IOS',
        '',
        'human',
        '',
        '',
        '',
        '',
        '',
        '',
        '',
        1,
      ]);
      await db
        .insertInto('pending_counts')
        .values({ app_id: app.id, facts: JSON.stringify(facts) })
        .execute();
      const { body } = await world.call('GET', '/v1/stats?groupBy=inviter&limit=100', { key: app.keys.live });
      assert.equal(body.totals.clicks, 250);
      assert.equal(body.groups.length, 100);
      const cells = await db
        .selectFrom('count_days')
        .select('value')
        .where('app_id', '=', app.id)
        .where('dimension', '=', 'inviter')
        .execute();
      assert.equal(cells.length, 201, '200 inviters and the others');
      assert.equal(body.other.clicks, 150);
    });
  });
