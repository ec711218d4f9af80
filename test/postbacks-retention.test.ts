/** Postbacks that are not verified or of no app are kept for 30 days, an app's verified ones for good. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../src/platform/clock.ts';
import { dropOld } from '../src/privacy/retention.ts';
import { engines } from './engines.ts';
import { newPostback } from './local-keys.ts';
import { list, listStray, newStoreApp, newStoreId, send, useLocalKeys } from './postback-scene.ts';

for (const engine of engines)
  describe(`retention of postbacks on ${engine}`, () => {
    const world = useLocalKeys(engine);

    it('after 30 days the unverified and those of no app are gone, and an app’s verified ones are not', async () => {
      const app = await newStoreApp(world);
      for (const storeId of [app.storeId, newStoreId()]) {
        const genuine = newPostback({ 'app-id': storeId });
        for (const body of [{ ...genuine, version: '5.0' }, { ...genuine, redownload: true }, genuine])
          await send(world, body);
      }
      const left = async () => [
        (await list(world, app.keys.live)).map(({ verdict }) => verdict),
        (await listStray(world)).map(({ verdict }) => verdict),
      ];
      const all = ['verified', 'invalid', 'unverifiable'];
      world.clock.advance(30 * DAY_MS - MINUTE_MS);
      await dropOld(world.service.ctx);
      assert.deepEqual(await left(), [all, all]);
      world.clock.advance(2 * MINUTE_MS);
      await dropOld(world.service.ctx);
      assert.deepEqual(await left(), [['verified'], []]);
    });
  });
