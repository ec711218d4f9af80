import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import { citusUrl } from '../../test/citus.ts';
import { engines } from '../../test/engines.ts';
import { planOf } from '../../test/statements.ts';
import { freshAddress, useWorld } from '../../test/world.ts';
import { isoTime } from '../platform/clock.ts';
import type { ClickRow } from './click.ts';
import { toBatch } from './erased-addresses.ts';
import { listClicksByAddress, listClicksOfAddress } from './queries.ts';

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
/** More than SQLite has in two runs of its index. */
const OTHERS = 40_000;
const EVERY = 400;

const idsOf = (clicks: readonly ClickRow[]) => clicks.map(({ id }) => id);

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
      const plan = await planOf(db, (spied) =>
        listClicksByAddress({ ...world.service.ctx, db: spied }, app.id, where),
      );
      // PostgreSQL names a partition's index by its columns.
      assert.match(plan, /clicks_by_address|ip_hash_clicked_at_idx/);
      // The nodes of a Citus cluster plan for the values, and read a partition that is empty whole.
      if (citusUrl !== undefined) return;
      assert.doesNotMatch(plan, /Seq Scan/);
      // PostgreSQL tells what it still has to look at in each row that the index leads to.
      assert.doesNotMatch(plan, /Filter: [^"]*visitor/);
    });

    it('the clicks of an address are found among any number of others’, the newest first, each once', async () => {
      const { ctx } = world.service;
      const app = await world.newApp();
      await world.tap((await world.newLink(app)).shortCode);
      await ctx.clickLog.applied();
      const query = ctx.db.selectFrom('clicks').select(COLUMNS).where('app_id', '=', app.id);
      const tap = await query.executeTakeFirstOrThrow();
      const startMs = ctx.clock.nowMs() - OTHERS;
      const made = Array.from({ length: OTHERS }, (_, n) => ({
        ...tap,
        id: ctx.ids.next(),
        ip_hash: n % EVERY === 0 ? 'theirs' : `another ${n}`,
        clicked_at: isoTime(startMs + n),
      }));
      const texts = [toBatch(made.map((click) => COLUMNS.map((column) => click[column])))];
      await ctx.store.insertRowTexts({ table: 'clicks', columns: COLUMNS }, texts);
      const theirs = made.flatMap(({ ip_hash, id }) => (ip_hash === 'theirs' ? [id] : [])).reverse();

      const since = isoTime(startMs + 10 * EVERY);
      const recent = (limit: number) => listClicksByAddress(ctx, app.id, { ipHash: 'theirs', since, limit });
      assert.deepEqual(idsOf(await recent(OTHERS)), theirs.slice(0, -10));
      assert.deepEqual(idsOf(await recent(7)), theirs.slice(0, 7));

      const page = (after: ClickRow | null) =>
        listClicksOfAddress(ctx, app.id, { ipHash: 'theirs', claimable: true, after, limit: 9 });
      const found: ClickRow[] = [];
      for (let rows = await page(null); rows.length > 0; rows = await page(found.at(-1) ?? null))
        found.push(...rows);
      assert.deepEqual(idsOf(found), theirs);
    });
  });
