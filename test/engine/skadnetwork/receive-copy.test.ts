import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { newJws, newPostback } from '../../helpers/local-keys.ts';
import {
  list,
  newStoreApp,
  SKADNETWORK_PATH,
  send,
  toldOf,
  useLocalKeys,
} from '../../helpers/postback-scene.ts';

for (const engine of engines)
  describe(`copies of postbacks on ${engine}`, () => {
    const world = useLocalKeys(engine);
    const forward = (key: string, body: unknown) => world.call('POST', '/v1/skan/postbacks', { key, body });

    it('of either framework are accepted, and merged with the phone’s postback', async () => {
      const app = await newStoreApp(world);
      for (const body of [
        newPostback({ 'app-id': app.storeId }),
        { 'jws-string': newJws({ 'advertised-item-identifier': app.storeId }) },
      ]) {
        const { status, body: first } = await forward(app.keys.live, { ...body, network: 'extra' });
        assert.deepEqual([status, first.verdict, first.isCopy], [200, 'verified', false]);
        assert.ok(first.unsignedFields.includes('network'));
        assert.equal((await send(world, body)).body.isCopy, true);
      }
      const stored = await list(world, app.keys.live);
      assert.deepEqual(
        stored.map(({ sentBy, timesReceived }) => [sentBy, timesReceived]),
        [
          ['network', 2],
          ['network', 2],
        ],
      );
      assert.equal((await toldOf(world, app)).length, 2);
    });

    it('sent with a test key are sandbox, and do not replace the live postback', async () => {
      const app = await newStoreApp(world);
      const body = newPostback({ 'app-id': app.storeId });
      assert.equal((await forward(app.keys.test, body)).body.isCopy, false);
      assert.equal((await forward(app.keys.test, body)).body.isCopy, true);
      assert.equal((await send(world, body)).body.isCopy, false);
      assert.deepEqual(
        (await toldOf(world, app)).map(({ sandbox }) => sandbox),
        [1, 0],
      );
      const shown = async (key: string) => (await list(world, key)).map(({ sandbox }) => sandbox);
      assert.deepEqual(await shown(app.keys.test), [true]);
      assert.deepEqual(await shown(app.keys.live), [false, true]);
    });

    it('are counted on their postback and on no other', async () => {
      const app = await newStoreApp(world);
      const twin = await newStoreApp(world, app.storeId);
      const signed = { 'app-id': app.storeId, 'transaction-id': 'one', 'ad-network-id': 'com.example' };
      const postback = newPostback(signed);
      const payload = { 'advertised-item-identifier': app.storeId, 'postback-identifier': 'one' };
      for (const other of [
        newPostback({ ...signed, 'postback-sequence-index': 1 }),
        newPostback({ ...signed, 'ad-network-id': 'com.example.other' }),
        newPostback({ ...signed, 'transaction-id': 'two' }),
        { ...postback, redownload: true },
        { 'jws-string': newJws(payload) },
      ])
        await send(world, other);
      await forward(app.keys.test, postback);
      await forward(twin.keys.live, postback);
      await send(world, postback);
      await send(world, postback);
      const times = async (key: string) => (await list(world, key)).map(({ timesReceived }) => timesReceived);
      assert.deepEqual(await times(app.keys.live), [2, 1, 1, 1, 1, 1, 1]);
      assert.deepEqual(await times(twin.keys.live), [1]);
    });

    it('may have at most 16 KiB, as may postbacks from phones', async () => {
      const app = await newStoreApp(world);
      const text = JSON.stringify(newPostback({ 'app-id': app.storeId }));
      for (const path of ['/v1/skan/postbacks', SKADNETWORK_PATH])
        for (const [bytes, status] of [
          [16 * 1024, 200],
          [16 * 1024 + 1, 413],
        ] as const) {
          const call = { key: app.keys.live, rawBody: text.padEnd(bytes) };
          assert.equal((await world.call('POST', path, call)).status, status, `${path}: ${bytes}`);
        }
    });

    it('of another app are rejected, and not stored', async () => {
      const app = await newStoreApp(world);
      const other = await newStoreApp(world);
      const without = await world.newApp();
      const body = newPostback({ 'app-id': other.storeId });
      for (const [key, copy] of [
        [app.keys.live, body],
        [without.keys.live, body],
        [app.keys.live, { ...body, 'app-id': String(app.storeId) }],
        [app.keys.live, { 'jws-string': 'a.b.c' }],
      ] as const) {
        const { status, headers } = await forward(key, copy);
        assert.deepEqual([status, headers['x-service-error']], [409, 'postback.other_app']);
      }
      assert.deepEqual(await list(world, app.keys.live), []);
      assert.deepEqual(await list(world, other.keys.live), []);
    });

    it('reach the app of the key if several apps share an App Store id', async () => {
      const oldest = await newStoreApp(world);
      const newest = await newStoreApp(world, oldest.storeId);
      const body = newPostback({ 'app-id': oldest.storeId });
      assert.equal((await forward(newest.keys.live, body)).body.isCopy, false);
      assert.equal((await list(world, newest.keys.live)).length, 1);
    });

    it('with a forged signature are stored as invalid and publish nothing', async () => {
      const app = await newStoreApp(world);
      const { body } = await forward(app.keys.live, {
        ...newPostback({ 'app-id': app.storeId }),
        redownload: true,
      });
      assert.equal(body.verdict, 'invalid');
      assert.match(body.reason, /signature/);
      assert.deepEqual(await toldOf(world, app), []);
    });

    it('without a signature are rejected, with an error that names the expected fields', async () => {
      const app = await newStoreApp(world);
      for (const body of [{}, { version: '4.0' }, { 'conversion-value': 1 }]) {
        const answer = await forward(app.keys.live, body);
        assert.equal(answer.status, 400);
        assert.match(answer.body.error, /attribution-signature.*jws-string/);
      }
    });
  });
