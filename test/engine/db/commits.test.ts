import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { expectRows, insertRows, toRowText } from '../../../src/db/index.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`commits of many rows on ${engine}`, () => {
    const world = useWorld(engine);

    const newRows = (count: number, app_id: string) =>
      Array.from({ length: count }, () => ({
        ...{ app_id, mark: randomUUID(), event_id: randomUUID(), install_id: randomUUID() },
      }));
    const stored = async (appId: string) =>
      (await world.service.db.selectFrom('event_ids').select('mark').where('app_id', '=', appId).execute())
        .length;

    for (const count of [1, 2, 3, 600])
      it(`change nothing if one of ${count} rows is stored already`, async () => {
        const { db, store } = world.service;
        const app = await world.newApp();
        const [rows, others] = [newRows(count, app.id), newRows(count, app.id)];
        const insert = async (some: typeof rows) =>
          await insertRows(db, 'event_ids', some, { unlessStored: true });
        assert.equal(await store.commit([...(await insert(rows))], app.id), null);
        assert.equal(await stored(app.id), count);
        const last = rows.slice(-1);
        const again = [...(await insert(others)), ...(await insert([...newRows(count, app.id), ...last]))];
        assert.notEqual(await store.commit(again, app.id), null);
        assert.equal(await stored(app.id), count);
        assert.equal(await store.commit(await insert(others), app.id), null);
        assert.equal(await stored(app.id), 2 * count);
      });

    it('rows that may be stored are counted by what an insert returns: Citus reports all that it was given', async () => {
      const { db } = world.service;
      for (const count of [1, 2, 3, 600])
        for (const insert of await insertRows(db, 'event_ids', newRows(count, randomUUID()), {
          unlessStored: true,
        }))
          assert.match(insert.compile().sql, / on conflict do nothing returning /);
    });

    it('rows as text change nothing, and name their place, if one is stored already; the next commit works', async () => {
      const { store } = world.service;
      const app = await world.newApp();
      const columns = ['app_id', 'mark', 'event_id', 'install_id'];
      const asText = (some: ReturnType<typeof newRows>) => ({
        ...{ table: 'event_ids' as const, columns, rows: some.length },
        text: some.map((row) => `${toRowText(Object.values(row))}\n`).join(''),
      });
      const [rows, others] = [newRows(600, app.id), newRows(600, app.id)];
      assert.equal(await store.commit([asText(rows)], app.id), null);
      assert.equal(await store.commit([asText(others), asText(rows.slice(-1))], app.id), 1);
      assert.equal(await stored(app.id), 600);
      assert.equal(await store.commit([asText(others)], app.id), null);
      assert.equal(await stored(app.id), 1_200);
    });

    it('change nothing if a row has another value than expected, or is gone; null equals null', async () => {
      const { db, store } = world.service;
      const app = await world.newApp();
      const ids = await Promise.all(
        [1, 2, 3].map(async () => (await world.install(app, {})).body.installId as string),
      );
      const commit = async (userId: string | null, some: readonly string[]) => {
        const expected = some.map((id) => ({ id, user_id: userId }));
        const insert = await insertRows(db, 'event_ids', newRows(1, app.id));
        return await store.commit(
          [...(await expectRows(db, 'installs', app.id, expected)), ...insert],
          app.id,
        );
      };
      assert.equal(await commit(null, ids), null);
      assert.equal(await commit(null, ids.slice(1)), null);
      assert.equal(await stored(app.id), 2);
      assert.equal(await commit('u-1', ids), 0);
      assert.equal(await commit('u-1', ids.slice(2)), 0);
      assert.equal(await commit(null, [...ids, randomUUID()]), 0);
      assert.equal(await commit(null, [randomUUID()]), 0);
      await db
        .updateTable('installs')
        .set({ user_id: 'u-1' })
        .where('id', '=', ids[0] ?? '')
        .execute();
      assert.equal(await commit(null, ids), 0);
      assert.equal(await commit('u-1', ids.slice(0, 1)), null);
      assert.equal(await stored(app.id), 3);
    });
  });
