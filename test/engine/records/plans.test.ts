/** A page of records costs as much as its rows, in both orders. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listRecords, listRecordsByIds } from '../../../src/records/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { planOf } from '../../helpers/statements.ts';
import { useWorld } from '../../helpers/world.ts';

const ID = '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e';

// PostgreSQL reads an index in both directions, too; its plans depend on the sizes of tables.
describe('the statements that list records', { skip: !engines.includes('sqlite') }, () => {
  const world = useWorld('sqlite');

  for (const table of ['clicks', 'installs', 'opens', 'events'] as const) {
    it(`use an index of ${table} for the place of the page and for the order`, async () => {
      const { db } = world.service;
      const filter = {
        appId: ID,
        sandbox: 0 as const,
        fromMs: null,
        toMs: null,
        inOrder: [],
        conditions: [],
        isSmall: true,
      };
      const at = { id: ID, at: '2026-01-31T12:00:00.000Z' };
      for (const order of ['asc', 'desc'] as const)
        for (const place of [{ after: at }, { before: at }, { after: at, before: at }]) {
          const plan = await planOf(db, (spied) =>
            listRecords(spied, table, filter, { order, ...place, limit: 1 }),
          );
          assert.match(plan, /SEARCH \w+ USING .*INDEX .*\(app_id=\? AND \(?(id|\w+_at)/, plan);
          // Installs of one millisecond are sorted by id.
          assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY/, plan);
        }
    });

    it(`find one of the ${table} by its key`, async () => {
      const plan = await planOf(world.service.db, (spied) => listRecordsByIds(spied, table, ID, [ID]));
      assert.match(plan, /SEARCH \w+ USING .*\(app_id=\? AND id=\?\)/, plan);
    });
  }
});
