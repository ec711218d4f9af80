import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import { type ClickRow, toBatch } from '../../../src/click-log/click.ts';
import { listClicksByAddress, listClicksOfAddress } from '../../../src/click-log/queries.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { citusUrl } from '../../helpers/citus.ts';
import { engines } from '../../helpers/engines.ts';
import { planOf } from '../../helpers/statements.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

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
const HEAD_CLICKS = 20_000;
/** More than two of SQLite's index scans return. */
const OTHERS = 40_000;
const EVERY = 400;

const idsOf = (clicks: readonly ClickRow[]) => clicks.map(({ id }) => id);

for (const engine of engines)
  describe(`click queries on ${engine}`, () => {
    const world = useWorld(engine);

    it('clicks that cannot be claimed are not read when an address is looked up', async () => {
      const { db, store, ids, clickLog } = world.service;
      const app = await world.newApp();
      await world.tap((await world.newLink(app)).shortCode, { from: freshAddress(), method: 'HEAD' });
      await clickLog.applied();
      const query = db.selectFrom('clicks').select(COLUMNS).where('app_id', '=', app.id);
      const click = await query.executeTakeFirstOrThrow();
      const rows = Array.from({ length: HEAD_CLICKS }, () =>
        COLUMNS.map((column) => (column === 'id' ? ids.next() : click[column])),
      );
      await store.insertRowTexts({ table: 'clicks', columns: COLUMNS }, [toBatch(rows)]);
      await db.executeQuery(CompiledQuery.raw('analyze clicks'));

      const where = { ipHashes: [click.ip_hash ?? ''], since: isoTime(0), limit: 300 };
      const plan = await planOf(db, (spied) => listClicksByAddress(spied, app.id, where));
      // PostgreSQL names a partition's index by its columns.
      assert.match(plan, /clicks_by_address|ip_hash_clicked_at_idx/);
      // Citus nodes plan for the given values, and scan empty partitions.
      if (citusUrl !== undefined) return;
      assert.doesNotMatch(plan, /Seq Scan/);
      // PostgreSQL lists conditions that the index does not cover.
      assert.doesNotMatch(plan, /Filter: [^"]*visitor/);
    });

    it('all clicks of an address are listed, newest first, once each', async () => {
      const { service } = world;
      const app = await world.newApp();
      await world.tap((await world.newLink(app)).shortCode);
      await service.clickLog.applied();
      const query = service.db.selectFrom('clicks').select(COLUMNS).where('app_id', '=', app.id);
      const click = await query.executeTakeFirstOrThrow();
      const startMs = service.clock.nowMs() - OTHERS;
      const made = Array.from({ length: OTHERS }, (_, n) => ({
        ...click,
        id: service.ids.next(),
        ip_hash: n % EVERY === 0 ? 'theirs' : `another ${n}`,
        clicked_at: isoTime(startMs + n),
      }));
      const texts = [toBatch(made.map((each) => COLUMNS.map((column) => each[column])))];
      await service.store.insertRowTexts({ table: 'clicks', columns: COLUMNS }, texts);
      const theirs = made.flatMap(({ ip_hash, id }) => (ip_hash === 'theirs' ? [id] : [])).reverse();

      const since = isoTime(startMs + 10 * EVERY);
      const recent = (limit: number) =>
        listClicksByAddress(service.db, app.id, { ipHashes: ['theirs'], since, limit });
      assert.deepEqual(idsOf(await recent(OTHERS)), theirs.slice(0, -10));
      assert.deepEqual(idsOf(await recent(7)), theirs.slice(0, 7));

      const page = (after: ClickRow | null) =>
        listClicksOfAddress(service.db, app.id, { ipHash: 'theirs', claimable: true, after, limit: 9 });
      const found: ClickRow[] = [];
      for (let rows = await page(null); rows.length > 0; rows = await page(found.at(-1) ?? null))
        found.push(...rows);
      assert.deepEqual(idsOf(found), theirs);
    });
  });
