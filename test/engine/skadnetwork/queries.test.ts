import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompiledQuery, type RootOperationNode } from 'kysely';
import { type Db, toRowText } from '../../../src/db/index.ts';
import {
  findUnprovenAt,
  listOldestUnproven,
  listPostbacks,
  type PostbackFilter,
} from '../../../src/skadnetwork/queries.ts';
import { citusUrl } from '../../helpers/citus.ts';
import { engines } from '../../helpers/engines.ts';
import { newPostback } from '../../helpers/local-keys.ts';
import { newStoreApp, send, useLocalKeys } from '../../helpers/postback-scene.ts';
import { explain, noting, planOf } from '../../helpers/statements.ts';

const COLUMNS = [
  'app_id',
  'id',
  'sandbox',
  'kind',
  'sent_by',
  'verdict',
  'body',
  'received_at',
  'day',
  'times_received',
  'sequence_index',
] as const;
const FORGERIES = 20_000;
for (const engine of engines)
  describe(`queries of postbacks on ${engine}`, () => {
    const world = useLocalKeys(engine);

    it('forgeries do not slow down lists of verified postbacks', async () => {
      const { db, store, ids } = world.service;
      const app = await newStoreApp(world);
      await send(world, { ...newPostback({ 'app-id': app.storeId }), redownload: true });
      const query = db.selectFrom('postbacks').select(COLUMNS).where('app_id', '=', app.id);
      const forgery = await query.executeTakeFirstOrThrow();
      const rows = Array.from(
        { length: FORGERIES },
        () => `${toRowText(COLUMNS.map((column) => (column === 'id' ? ids.next() : forgery[column])))}\n`,
      );
      await store.insertRowTexts({ table: 'postbacks', columns: COLUMNS }, [Buffer.from(rows.join(''))]);
      if (engine === 'postgres') await db.executeQuery(CompiledQuery.raw('analyze postbacks'));

      for (const verdict of ['verified', 'unverifiable'] as const) {
        const page = { filter: { sandboxOnly: false, verdict }, before: null, limit: 50 };
        const asked: RootOperationNode[] = [];
        await listPostbacks(noting(db, asked), app.id, page);
        assert.ok(asked.length >= 2);
        // With few verified postbacks the planner may use the index by day.
        for (const node of asked)
          assert.match(JSON.stringify((await explain(db, node)).steps), /postbacks_by_(verdict|day)/);
      }

      const ofAllApps = [
        (asked: Db) => findUnprovenAt(asked, 4_000),
        (asked: Db) => listOldestUnproven(asked, { lastId: ids.next(), limit: 1_000 }),
      ];
      // Citus shows the plan of one shard, which may be empty.
      for (const call of citusUrl === undefined ? ofAllApps : [])
        assert.match(await planOf(db, call), /postbacks_unproven/);

      const wanted: PostbackFilter = { kind: 'skadnetwork', verdict: 'verified', sandboxOnly: false };
      const rare = await query.where('verdict', '=', 'verified').execute();
      const found = await listPostbacks(db, app.id, { filter: wanted, before: null, limit: 50 });
      assert.deepEqual(
        found.map(({ id }) => id),
        rare.map(({ id }) => id).toReversed(),
      );
    });
  });
