/** Unverified postbacks and those without an app are dropped after 30 days; verified ones of an app are kept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { dropOld } from '../../../src/privacy/retention.ts';
import { engines } from '../../helpers/engines.ts';
import { newPostback } from '../../helpers/local-keys.ts';
import {
  list,
  listStray,
  newStoreApp,
  newStoreId,
  send,
  useLocalKeys,
} from '../../helpers/postback-scene.ts';

for (const engine of engines)
  describe(`retention of postbacks on ${engine}`, () => {
    const world = useLocalKeys(engine);

    it('drops unverified postbacks and those without an app after 30 days, and keeps verified ones of an app', async () => {
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
      await dropOld(world.service);
      assert.deepEqual(await left(), [all, all]);
      world.clock.advance(2 * MINUTE_MS);
      await dropOld(world.service);
      assert.deepEqual(await left(), [['verified'], []]);
    });
  });
