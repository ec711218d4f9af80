/** Names, makers and the rotation of keys. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, isoTime } from '../../../src/lib/clock.ts';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type Answer, type TestApp, useWorld } from '../../helpers/world.ts';

const DEFAULT_NAMES = {
  live: 'Secret live key',
  test: 'Secret test key',
  live_publishable: 'Publishable live key',
  test_publishable: 'Publishable test key',
};

for (const engine of engines)
  describe(`names and rotations of keys on ${engine}`, () => {
    const world = useWorld(engine);
    const call = (app: TestApp, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', body?: object) =>
      world.admin(method, `/apps/${app.id}/keys${path}`, body);
    const make = async (app: TestApp, body: object = { kind: 'live' }) =>
      (await call(app, 'POST', '', body)).body;
    const use = (key: string) => world.call('GET', '/v1/links', { key });
    const inDays = (days: number) => isoTime(world.clock.nowMs() + days * DAY_MS);

    it('a key has its own name, or one that says its kind; it is renamed, and null gives the latter back', async () => {
      const app = await world.newApp();
      const names = (await call(app, 'GET')).body.map((key: { kind: string; name: string }) => [
        key.kind,
        key.name,
      ]);
      assert.deepEqual(Object.fromEntries(names), DEFAULT_NAMES);
      const { id, name } = await make(app, { kind: 'test', name: 'CI ✓' });
      assert.equal(name, 'CI ✓');
      const renamed = async (next: unknown) => (await call(app, 'PATCH', `/${id}`, { name: next })).body.name;
      assert.equal(await renamed('é'.repeat(64)), 'é'.repeat(64));
      assert.equal(await renamed(null), DEFAULT_NAMES.test);
      for (const bad of ['', ' ', 'x'.repeat(65), 7])
        assertError(await call(app, 'PATCH', `/${id}`, { name: bad }), 400, 'request.invalid', 'name');
    });

    it('a key says who made it: a user with the email of now, also after the user is deleted, or the admin token, or the command line', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const leaving = await newUser(world, { appId: app.id });
      const made = await callAs(world, leaving, 'POST', '/v1/keys', {
        appId: app.id,
        body: { kind: 'live' },
      });
      const maker = async () => (await call(app, 'GET', `/${made.body.id}`)).body.createdBy;
      const of = { type: 'user', userId: leaving.id };
      assert.deepEqual(await maker(), { ...of, email: leaving.email });
      const email = `renamed-${leaving.email}`;
      await world.service.db.updateTable('users').set({ email }).where('id', '=', leaving.id).execute();
      assert.deepEqual(await maker(), { ...of, email });
      await callAs(world, owner, 'DELETE', `/v1/users/${leaving.id}`, { appId: app.id });
      assert.deepEqual(await maker(), { ...of, email: null });
      const none = { userId: null, email: null };
      assert.deepEqual((await make(app)).createdBy, { type: 'admin', ...none });
      const headers = {
        authorization: `Bearer ${world.service.dataDir.adminToken}`,
        'user-agent': 'throughline-command-line',
      };
      const body = { kind: 'live' };
      const byCommand = await world.call('POST', `/v1/admin/apps/${app.id}/keys`, { headers, body });
      assert.deepEqual(byCommand.body.createdBy, { type: 'command_line', ...none });
    });

    it('a rotation makes a key of the same kind and name; the old one works until its day, and from then on gets 401 that says so', async () => {
      const app = await world.newApp();
      const old = await make(app, { kind: 'live', name: 'Billing' });
      const { status, body } = await call(app, 'POST', `/${old.id}/rotation`);
      assert.equal(status, 201);
      assert.deepEqual([body.kind, body.name, body.replaces, body.endsAt], ['live', 'Billing', old.id, null]);
      const { replaced } = body;
      assert.deepEqual([replaced.id, replaced.replacedBy, replaced.key], [old.id, body.id, null]);
      const leftMs = Date.parse(replaced.endsAt) - world.clock.nowMs();
      assert.ok(leftMs > 7 * DAY_MS - HOUR_MS && leftMs <= 7 * DAY_MS, replaced.endsAt);
      world.clock.advance(leftMs - 1_500);
      assert.deepEqual([(await use(old.key)).status, (await use(body.key)).status], [200, 200]);
      // Within the time that the key is cached.
      world.clock.advance(1_500);
      const refused = await use(old.key);
      assertError(refused, 401, 'key.ended', 'ended at');
      assert.equal((await use(body.key)).status, 200);
      assertError(await call(app, 'POST', `/${old.id}/rotation`), 409, 'key.not_active');
    });

    it('endsAt is from now to 90 days ahead; it may be set earlier or later, of a rotated key', async () => {
      const app = await world.newApp();
      const rotate = async (body: object): Promise<Answer> =>
        await call(app, 'POST', `/${(await make(app)).id}/rotation`, body);
      for (const body of [
        ...[{ endsInDays: -1 }, { endsInDays: 91 }, { endsInDays: 0.5 }, { endsAt: inDays(91) }],
        ...[{ endsAt: inDays(-1) }, { endsAt: 'soon' }, { endsAt: '2026-02-30T00:00:00Z' }],
        { endsAt: inDays(1), endsInDays: 1 },
      ])
        assertError(await rotate(body), 400, 'request.invalid', 'ends');
      const { replaced, id } = (await rotate({ endsAt: inDays(90) })).body;
      const sooner = inDays(1);
      assert.equal((await call(app, 'PATCH', `/${replaced.id}`, { endsAt: sooner })).body.endsAt, sooner);
      assertError(await call(app, 'PATCH', `/${id}`, { endsAt: sooner }), 400, 'request.invalid', 'endsAt');
      const gone = await make(app);
      await call(app, 'POST', `/${gone.id}/rotation`, { endsInDays: 0 });
      assertError(await use(gone.key), 401, 'key.ended');
      assertError(await call(app, 'PATCH', `/${gone.id}`, { name: 'x' }), 409, 'key.not_active');
    });

    it('a rotated key is rotated again only after the key in its place was revoked, and of two rotations at once one is made', async () => {
      const app = await world.newApp();
      const { id } = await make(app);
      const both = await Promise.all([1, 2].map(() => call(app, 'POST', `/${id}/rotation`)));
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
      assertError(await call(app, 'POST', `/${id}/rotation`), 409, 'key.rotated');
      const successor = both.find(({ status }) => status === 201)?.body;
      await call(app, 'DELETE', `/${successor.id}`);
      const again = await call(app, 'POST', `/${id}/rotation`);
      assert.equal(again.status, 201);
      assert.equal((await call(app, 'GET')).body.length, 4 + 3);
      await call(app, 'DELETE', `/${id}`);
      assertError(await call(app, 'POST', `/${id}/rotation`), 409, 'key.not_active');
    });

    it('a publishable key is shown whenever asked for; one of before that is shown once it was used', async () => {
      const app = await world.newApp();
      const shown = async () =>
        (await call(app, 'GET')).body.find((one: { kind: string }) => one.kind === 'live_publishable').key;
      assert.equal(await shown(), app.keys.live_publishable);
      const { db } = world.service;
      await db.updateTable('api_keys').set({ public_key: null }).where('app_id', '=', app.id).execute();
      assert.equal(await shown(), null);
      await world.install(app, {}, { key: app.keys.live_publishable });
      await world.close();
      await world.open();
      assert.equal(await shown(), app.keys.live_publishable);
    });

    it('the last use of a key is written at most once an hour', async () => {
      const app = await world.newApp();
      const lastUsed = async () => {
        await world.close();
        await world.open();
        return (await call(app, 'GET')).body.find((one: { kind: string }) => one.kind === 'live').lastUsedAt;
      };
      await use(app.keys.live);
      const first = await lastUsed();
      world.clock.advance(HOUR_MS - 60_000);
      await use(app.keys.live);
      assert.equal(await lastUsed(), first);
      world.clock.advance(60_000);
      await use(app.keys.live);
      assert.ok((await lastUsed()) > first);
    });

    it('rotations, names and ends are in the audit log, without a key', async () => {
      const app = await world.newApp();
      const old = await make(app, { kind: 'live', name: 'Old' });
      await call(app, 'PATCH', `/${old.id}`, { name: 'New' });
      await call(app, 'PATCH', `/${old.id}`, { name: 'New' });
      const { body: next } = await call(app, 'POST', `/${old.id}/rotation`);
      const log = await world.call('GET', '/v1/audit-log?limit=4', { key: app.keys.live });
      const by = { changedBy: 'admin' };
      assert.deepEqual(
        log.body.map(({ action, details }: { action: string; details: object }) => [action, details]),
        [
          [
            'key.rotated',
            {
              ...{ recordId: old.id, kind: 'live', name: 'New', replacedBy: next.id },
              changes: { endsAt: { from: null, to: next.replaced.endsAt } },
              ...by,
            },
          ],
          ['key.created', { recordId: next.id, kind: 'live', name: 'New', replaces: old.id, ...by }],
          [
            'key.updated',
            {
              recordId: old.id,
              kind: 'live',
              name: 'New',
              changes: { name: { from: 'Old', to: 'New' } },
              ...by,
            },
          ],
          ['key.created', { recordId: old.id, kind: 'live', name: 'Old', ...by }],
        ],
      );
      for (const { key } of [old, next]) assert.ok(!log.text.includes(key));
    });
  });
