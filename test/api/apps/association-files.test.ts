/** `/.well-known/apple-app-site-association` and `/.well-known/assetlinks.json`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { ask } from '../../helpers/ask.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

const APPLE = '/.well-known/apple-app-site-association';
const ANDROID = '/.well-known/assetlinks.json';

const FINGERPRINT = Array.from({ length: 32 }, () => 'ab').join(':');
const APP = {
  iosTeamId: 'A1B2C3D4E5',
  iosBundleId: 'com.example.shop',
  androidPackage: 'com.example.shop',
  androidCertFingerprints: [FINGERPRINT],
};

for (const engine of engines)
  describe(`association files on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://links.test/go/' });
    const read = async (path: string) => (await ask(world, path)).body;

    it('have no entry while no app has the settings', async () => {
      assert.deepEqual(await read(APPLE), { applinks: { details: [] } });
      assert.deepEqual(await read(ANDROID), []);
    });

    it('name the apps and their short links; a change applies at once, in other processes within a second', async () => {
      const details = (...appIDs: string[]) => [
        { appIDs, components: [{ '/': '/go/l/*', comment: 'Short links' }] },
      ];
      const { id } = await world.newApp(APP);
      const target = {
        namespace: 'android_app',
        package_name: APP.androidPackage,
        sha256_cert_fingerprints: [FINGERPRINT.toUpperCase()],
      };
      const relation = ['delegate_permission/common.handle_all_urls'];
      assert.deepEqual(await read(ANDROID), [{ relation, target }]);
      assert.deepEqual((await read(APPLE)).applinks.details, details('A1B2C3D4E5.com.example.shop'));
      await world.admin('PATCH', `/apps/${id}`, { iosBundleId: 'com.example.new' });
      assert.deepEqual((await read(APPLE)).applinks.details, details('A1B2C3D4E5.com.example.new'));
      const { db } = world.service;
      await db.updateTable('apps').set({ ios_bundle_id: 'com.example.other' }).execute();
      world.clock.advance(SECOND_MS);
      assert.deepEqual((await read(APPLE)).applinks.details, details('A1B2C3D4E5.com.example.other'));
    });

    it('get 200 with exactly application/json for GET and HEAD, without a key or a redirect', async () => {
      for (const path of [APPLE, ANDROID]) {
        const got = await ask(world, path);
        const head = await ask(world, path, { method: 'HEAD' });
        for (const { status, headers } of [got, head]) {
          assert.equal(status, 200);
          assert.equal(headers['content-type'], 'application/json');
          assert.equal(headers['content-length'], String(Buffer.byteLength(got.text)));
          assert.equal(headers.location, undefined);
        }
        assert.equal(head.text, '');
      }
    });

    it('get 404 without a redirect at a path that ends with a slash', async () => {
      for (const path of [APPLE, ANDROID]) {
        const { status, headers } = await ask(world, `${path}/`);
        assert.deepEqual([status, headers.location], [404, undefined]);
      }
    });
  });
