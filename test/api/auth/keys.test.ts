/** Keys and access: apps and their keys, created by the operator with the admin token. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bootstrap } from '../../../src/apps/index.ts';
import { NO_ID } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError, assertField, assertUuidV7 } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

const KINDS = ['live', 'test', 'live_publishable', 'test_publishable'] as const;
const BOOTSTRAP_LIVE_KEY = 'svc_live_0123456789abcdef';
const BOOTSTRAP_TEST_KEY = 'svc_test_0123456789abcdef';

for (const engine of engines)
  describe(`admin, keys, on ${engine}`, () => {
    const world = useWorld(engine, { BOOTSTRAP_LIVE_KEY, BOOTSTRAP_TEST_KEY });
    const opens = async (key: string) => (await world.call('GET', '/v1/links', { key })).status === 200;

    for (const kind of KINDS)
      it(`POST /v1/admin/apps/{id}/keys with kind ${kind} returns 201 with id, kind and, only here, key`, async () => {
        const { id: appId } = await world.newApp();
        const made = await world.admin('POST', `/apps/${appId}/keys`, { kind });
        assert.equal(made.status, 201);
        assertUuidV7(made.body.id);
        assert.equal(made.body.kind, kind);
        const prefix = `svc_${kind.replace('_publishable', '_pub')}_us_`;
        assert.ok(made.body.key.startsWith(prefix), made.body.key);
        assert.match(made.body.key.slice(prefix.length), /^[A-Za-z0-9]{22,}$/);

        const path = `/apps/${appId}/keys`;
        const read = await world.admin('GET', `${path}/${made.body.id}`);
        const listed = await world.admin('GET', path);
        assert.deepEqual([read.status, listed.status], [200, 200]);
        assert.equal(listed.body[0].id, made.body.id);
        const isPublic = kind.endsWith('publishable');
        for (const { text } of [read, listed]) assert.equal(text.includes(made.body.key), isPublic);
      });

    it('an unknown kind gets 400', async () => {
      const { id } = await world.newApp();
      for (const kind of [undefined, null, 'admin', 7])
        assertError(await world.admin('POST', `/apps/${id}/keys`, { kind }), 400, 'request.invalid', 'kind');
    });

    it('two keys may overlap during rotation; a revoked key stops working', async () => {
      const { id, keys } = await world.newApp();
      const second = (await world.admin('POST', `/apps/${id}/keys`, { kind: 'live' })).body;
      assert.deepEqual([await opens(keys.live), await opens(second.key)], [true, true]);
      const revoked = await world.admin('DELETE', `/apps/${id}/keys/${second.id}`);
      assert.deepEqual([revoked.status, revoked.text], [204, '']);
      assertError(await world.call('GET', '/v1/links', { key: second.key }), 401, 'key.invalid');
      assert.equal(await opens(keys.live), true);
      assertField((await world.admin('GET', `/apps/${id}/keys/${second.id}`)).body, [
        'revokedAt',
        'timestamp',
      ]);
    });

    it('a mistyped key is recognised by its checksum', async () => {
      const { keys } = await world.newApp();
      const wrong = keys.live.slice(0, -1) + (keys.live.endsWith('x') ? 'y' : 'x');
      assertError(await world.call('GET', '/v1/links', { key: wrong }), 401, 'key.mistyped');
    });

    it('secret keys are stored as a hash alone; publishable ones can be read again', async () => {
      const { id, keys } = await world.newApp();
      const { db } = world.service;
      const rows = await db.selectFrom('api_keys').selectAll().where('app_id', '=', id).execute();
      const hashes = await db.selectFrom('api_key_hashes').selectAll().where('app_id', '=', id).execute();
      assert.equal(rows.length, 4);
      for (const [kind, key] of Object.entries(keys))
        assert.equal(JSON.stringify([rows, hashes]).includes(key), kind.endsWith('publishable'), kind);
    });

    it('another app’s key gets 404 under this app', async () => {
      const [one, other] = [await world.newApp(), await world.newApp()];
      const { id } = (await world.admin('GET', `/apps/${other.id}/keys`)).body[0];
      for (const method of ['GET', 'DELETE'] as const)
        assertError(await world.admin(method, `/apps/${one.id}/keys/${id}`), 404, 'key.not_found');
      assert.equal(await opens(other.keys.live), true);
    });

    it('an unknown app or key gets 404', async () => {
      const { id } = await world.newApp();
      assertError(await world.admin('POST', `/apps/${NO_ID}/keys`, { kind: 'live' }), 404, 'app.not_found');
      assertError(await world.admin('GET', `/apps/${NO_ID}/keys`), 404, 'app.not_found');
      for (const keyId of [NO_ID, 'no-uuid'])
        assertError(await world.admin('GET', `/apps/${id}/keys/${keyId}`), 404, 'key.not_found');
    });

    it('lastUsedAt is null before the first use, and survives a restart', async () => {
      const { id, keys } = await world.newApp();
      const lastUsed = async () =>
        Object.fromEntries(
          (await world.admin('GET', `/apps/${id}/keys`)).body.map(
            (key: { kind: string; lastUsedAt: unknown }) => [key.kind, key.lastUsedAt],
          ),
        );
      assert.deepEqual(Object.values(await lastUsed()), [null, null, null, null]);
      const usedMs = world.clock.nowMs();
      await opens(keys.live);
      await world.close();
      await world.open();
      const { live, test } = await lastUsed();
      assert.equal(test, null);
      assert.ok(Date.parse(live) >= usedMs && Date.parse(live) <= world.clock.nowMs());
    });

    it('a key without a region part belongs to the region that created it', async () => {
      await bootstrap(world.service);
      assert.deepEqual([await opens(BOOTSTRAP_LIVE_KEY), await opens(BOOTSTRAP_TEST_KEY)], [true, true]);
    });
  });
