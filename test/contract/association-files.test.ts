/** `/.well-known/apple-app-site-association` and `/.well-known/assetlinks.json`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SECOND_MS } from '../../src/platform/clock.ts';
import { ask } from '../ask.ts';
import { type Engine, engines } from '../engines.ts';
import { type Answer, World } from '../world.ts';

const APPLE = '/.well-known/apple-app-site-association';
const ANDROID = '/.well-known/assetlinks.json';

const print = (pair: string) => Array.from({ length: 32 }, () => pair).join(':');
const IOS = { iosTeamId: 'A1B2C3D4E5', iosBundleId: 'com.example.shop' };
const PLAY = { androidPackage: 'com.example.shop', androidCertFingerprints: [print('AB')] };

const details = (...appIDs: string[]) => ({
  applinks: { details: [{ appIDs, components: [{ '/': '/l/*', comment: 'Short links' }] }] },
});
const statement = (name: string, ...fingerprints: string[]) => ({
  relation: ['delegate_permission/common.handle_all_urls'],
  target: { namespace: 'android_app', package_name: name, sha256_cert_fingerprints: fingerprints },
});

/** The files name all apps of a service, so each test has one to itself. */
async function alone(
  engine: Engine,
  story: (world: World, read: (path: string) => Promise<Answer['body']>) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const world = new World(engine, env);
  await world.open();
  try {
    await story(world, async (path) => (await ask(world, path)).body);
  } finally {
    await world.remove();
  }
}

for (const engine of engines)
  describe(`association files on ${engine}`, () => {
    it('a service without apps answers both, well-formed, and names nobody', () =>
      alone(engine, async (_world, read) => {
        assert.deepEqual(await read(APPLE), { applinks: { details: [] } });
        assert.deepEqual(await read(ANDROID), []);
      }));

    it('GET and HEAD are 200 with exactly application/json, without a key and without a redirect', () =>
      alone(engine, async (world) => {
        for (const fields of [{}, { ...IOS, ...PLAY }]) {
          await world.newApp(fields);
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
        }
      }));

    it('with a slash at the end there is no such file, and no redirect to it', () =>
      alone(engine, async (world) => {
        for (const path of [APPLE, ANDROID]) {
          const { status, headers } = await ask(world, `${path}/`);
          assert.deepEqual([status, headers.location], [404, undefined]);
        }
      }));

    it('an app whose settings do not suffice is in neither', () =>
      alone(engine, async (world, read) => {
        for (const fields of [
          {},
          { iosTeamId: IOS.iosTeamId },
          { iosBundleId: IOS.iosBundleId },
          { androidPackage: PLAY.androidPackage },
          { androidCertFingerprints: PLAY.androidCertFingerprints },
        ])
          await world.newApp(fields);
        assert.deepEqual(await read(APPLE), { applinks: { details: [] } });
        assert.deepEqual(await read(ANDROID), []);
      }));

    it('every app is named once, in an order that does not hang on when it was made', () =>
      alone(engine, async (world, read) => {
        await world.newApp({ iosTeamId: 'MMMMM', iosBundleId: 'a', ...PLAY, androidPackage: 'm' });
        await world.newApp({ iosTeamId: 'ZZZZZ', iosBundleId: 'b', ...PLAY, androidPackage: 'z' });
        await world.newApp({ ...IOS, ...PLAY });
        await world.newApp({ ...IOS, ...PLAY });
        assert.deepEqual(await read(APPLE), details('A1B2C3D4E5.com.example.shop', 'MMMMM.a', 'ZZZZZ.b'));
        assert.deepEqual(await read(ANDROID), [
          statement('com.example.shop', print('AB')),
          statement('m', print('AB')),
          statement('z', print('AB')),
        ]);
      }));

    it('a package has one entry with the fingerprints of all its apps, in upper case with colons', () =>
      alone(engine, async (world, read) => {
        await world.newApp({ ...PLAY, androidCertFingerprints: [print('ef'), print('aB')] });
        await world.newApp({ ...PLAY, androidCertFingerprints: [print('AB'), print('0c')] });
        assert.deepEqual(await read(ANDROID), [
          statement('com.example.shop', print('0C'), print('AB'), print('EF')),
        ]);
      }));

    it('short links alone are claimed, below the path of SHORT_LINK_URL where it has one', () =>
      alone(
        engine,
        async (world, read) => {
          await world.newApp(IOS);
          const [{ components }] = (await read(APPLE)).applinks.details;
          assert.deepEqual(
            components.map((one: Record<string, string>) => one['/']),
            ['/go/l/*'],
          );
        },
        { SHORT_LINK_URL: 'https://example.com/go/' },
      ));

    it('a change is seen at once, and one of another process within a second', () =>
      alone(engine, async (world, read) => {
        const { id } = await world.newApp(IOS);
        assert.deepEqual(await read(APPLE), details('A1B2C3D4E5.com.example.shop'));
        await world.admin('PATCH', `/apps/${id}`, { iosBundleId: 'com.example.new' });
        assert.deepEqual(await read(APPLE), details('A1B2C3D4E5.com.example.new'));
        const { db } = world.service.ctx;
        await db.updateTable('apps').set({ ios_bundle_id: 'com.example.other' }).execute();
        world.clock.advance(SECOND_MS);
        assert.deepEqual(await read(APPLE), details('A1B2C3D4E5.com.example.other'));
      }));
  });
