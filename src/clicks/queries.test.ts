import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import { citusUrl } from '../../test/citus.ts';
import { engines } from '../../test/engines.ts';
import { planOf } from '../../test/plan.ts';
import { freshAddress, useWorld } from '../../test/world.ts';
import { isoTime } from '../platform/clock.ts';
import { toBatch } from './erased-addresses.ts';
import { listClicksByAddress } from './queries.ts';

/** In the order of the journal's. */
const COLUMNS = [
  'app_id',
  'id',
  'link_id',
  'campaign_id',
  'sandbox',
  'visitor',
  'platform',
  'ip_hash',
  'user_agent',
  'accept_language',
  'clicked_at',
] as const;
const HEAD_HITS = 20_000;

for (const engine of engines)
  describe(`statements on clicks on ${engine}`, () => {
    const world = useWorld(engine);

    it('what can never be claimed is no work for whoever asks about its address', async () => {
      const { db, store, ids, clickLog } = world.service.ctx;
      const app = await world.newApp();
      await world.tap((await world.newLink(app)).shortCode, { from: freshAddress(), method: 'HEAD' });
      await clickLog.applied();
      const query = db.selectFrom('clicks').select(COLUMNS).where('app_id', '=', app.id);
      const hit = await query.executeTakeFirstOrThrow();
      const rows = Array.from({ length: HEAD_HITS }, () =>
        COLUMNS.map((column) => (column === 'id' ? ids.next() : hit[column])),
      );
      await store.insertRowTexts({ table: 'clicks', columns: COLUMNS }, [toBatch(rows)]);
      await db.executeQuery(CompiledQuery.raw('analyze clicks'));

      const where = { ipHash: hit.ip_hash ?? '', since: isoTime(0), limit: 300 };
      const plan = await planOf(db, (spied) => listClicksByAddress(spied, app.id, where));
      // PostgreSQL names a partition's index by its columns.
      assert.match(plan, /clicks_by_address|ip_hash_clicked_at_idx/);
      // The nodes of a Citus cluster plan for the values, and read a partition that is empty whole.
      if (citusUrl !== undefined) return;
      assert.doesNotMatch(plan, /Seq Scan/);
      // PostgreSQL tells what it still has to look at in each row that the index leads to.
      assert.doesNotMatch(plan, /Filter: [^"]*visitor/);
    });
  });
