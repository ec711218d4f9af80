/** Any client can send postbacks that are not verified or match no app, so their storage is bounded. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertMany } from '../../../src/db/index.ts';
import type { PostbackRow } from '../../../src/skadnetwork/postback.ts';
import { engines } from '../../helpers/engines.ts';
import { newPostback } from '../../helpers/local-keys.ts';
import {
  list,
  listStray,
  newStoreApp,
  newStoreId,
  SKADNETWORK_PATH,
  type StoreApp,
  send,
  useLocalKeys,
} from '../../helpers/postback-scene.ts';
import { freshAddress } from '../../helpers/world.ts';

const BOUND = 4_000;
const TRIM_AFTER = 100;
const MAX_ROW_BYTES = 1_800;

for (const engine of engines) {
  describe(`unproven postbacks on ${engine}`, () => {
    const world = useLocalKeys(engine);
    const forgedOf = (storeId: number) => ({ ...newPostback({ 'app-id': storeId }), redownload: true });
    const rowsOf = async (storeId: number) =>
      await world.service.db
        .selectFrom('postbacks')
        .selectAll()
        .where('app_store_id', '=', storeId)
        .orderBy('id')
        .execute();

    it('are cut from 16 KB to 1 KB of whole fields, with the number of omitted ones', async () => {
      const app = await newStoreApp(world);
      const forged = forgedOf(app.storeId);
      await send(world, { pad: 'x'.repeat(15_000), ...forged, 'price-é': 'é'.repeat(300), last: 1 });
      const [stored] = await list(world, app.keys.live);
      assert.deepEqual([stored?.postback, stored?.fieldsLeftOut], [{ ...forged, last: 1 }, 2]);
    });

    it('take less than 2 KB a row, whatever the fields are', async () => {
      const storeId = newStoreId();
      const long = '\u{1F4A9}'.repeat(127);
      const claims = { 'ad-network-id': long, 'transaction-id': long, 'source-identifier': long };
      for (const version of ['4.0', '9'.repeat(16), long])
        await send(world, { ...newPostback({ 'app-id': storeId }), ...claims, version, pad: long });
      const rows = await rowsOf(storeId);
      assert.equal(rows.length, 3);
      for (const row of rows) assert.ok(bytesOf(row) < MAX_ROW_BYTES, `${bytesOf(row)} bytes`);
    });

    it('include verified postbacks without an app, which are cut too', async () => {
      const app = await newStoreApp(world);
      const storeId = newStoreId();
      const pad = 'x'.repeat(5_000);
      for (const id of [app.storeId, storeId]) {
        const { body } = await send(world, { ...newPostback({ 'app-id': id }), pad });
        assert.equal(body.verdict, 'verified');
      }
      const [stray] = await listStray(world);
      assert.deepEqual([stray?.appStoreId, stray?.fieldsLeftOut], [storeId, 1]);
      const [own] = (await list(world, app.keys.live)) as {
        postback: { pad: string };
        fieldsLeftOut: number;
      }[];
      assert.deepEqual([own?.postback.pad, own?.fieldsLeftOut], [pad, 0]);
    });

    it(`are trimmed to the newest ${BOUND} of all apps; verified ones of an app are never deleted`, async () => {
      const { db, ids } = world.service;
      const apps: StoreApp[] = [await newStoreApp(world), await newStoreApp(world)];
      for (const { storeId } of apps) {
        await send(world, newPostback({ 'app-id': storeId }));
        await send(world, forgedOf(storeId));
      }
      const [first, second] = await Promise.all(apps.map(({ storeId }) => rowsOf(storeId)));
      const forged = [first, second].map((rows) => rows?.find(({ verdict }) => verdict === 'invalid'));
      const copies = Array.from({ length: BOUND + 200 }, (_, n) => ({
        ...(forged[n % 2] as PostbackRow),
        id: ids.next(),
      }));
      for (let from = 0; from < copies.length; from += 1_000)
        await insertMany(db, 'postbacks', copies.slice(from, from + 1_000));

      const [app] = apps;
      const last = forgedOf(app?.storeId ?? 0);
      await Promise.all(Array.from({ length: TRIM_AFTER }, () => send(world, last)));
      const left = await db
        .selectFrom('postbacks')
        .select(['id', 'verdict', 'app_id'])
        .where(
          'app_id',
          'in',
          apps.map(({ id }) => id),
        )
        .orderBy('id')
        .execute();
      const unproven = left.filter(({ verdict }) => verdict !== 'verified');
      assert.ok(Math.abs(unproven.length - BOUND) <= TRIM_AFTER, `${unproven.length} left`);
      assert.ok(new Set(unproven.map((row) => row.app_id)).size === 2);
      assert.ok(
        unproven.every(({ id }) => id > (copies[0]?.id ?? '')),
        'the oldest are deleted first',
      );
      assert.equal(left.length - unproven.length, 2);
    });

    it('are limited to 1 MB a minute for each address, without limiting genuine ones', async () => {
      const app = await newStoreApp(world);
      const from = freshAddress();
      const post = (body: object) => world.call('POST', SKADNETWORK_PATH, { body, from });
      const forged = { ...forgedOf(app.storeId), pad: 'x'.repeat(15_000) };
      const answers = await Promise.all(Array.from({ length: 80 }, () => post(forged)));
      const refused = answers.filter(({ status }) => status === 429);
      assert.ok(refused.length >= 10 && refused.length < 20, `${refused.length} refused`);
      assert.match(refused[0]?.body.error, /at most 1 MiB a minute\. Try again in \d+ s/);
      assert.ok(Number(refused[0]?.headers['retry-after']) > 0);
      assert.equal((await list(world, app.keys.live, '?limit=100')).length, 80 - refused.length);
      const { status, body } = await post(newPostback({ 'app-id': app.storeId }));
      assert.deepEqual([status, body.verdict], [200, 'verified']);
    });
  });

  describe(`postbacks while no app has an App Store id on ${engine}`, () => {
    const world = useLocalKeys(engine);

    it('get 200 and are not stored', async () => {
      await world.newApp();
      const storeId = newStoreId();
      const genuine = newPostback({ 'app-id': storeId });
      for (const body of [genuine, { ...genuine, redownload: true }])
        assert.equal((await send(world, body)).status, 200);
      assert.deepEqual(await listStray(world), []);
      await newStoreApp(world);
      assert.deepEqual((await send(world, genuine)).body.isCopy, false);
      assert.equal((await listStray(world)).length, 1);
    });
  });
}

function bytesOf(row: object): number {
  return Buffer.byteLength(Object.values(row).join(''));
}
