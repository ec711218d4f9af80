import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RootOperationNode } from 'kysely';
import type { Actor } from '../../../src/auth/index.ts';
import { readCells } from '../../../src/stats/read-cells.ts';
import { type Part, readStats } from '../../../src/stats/read-stats.ts';
import { engines } from '../../helpers/engines.ts';
import { noting, planOf } from '../../helpers/statements.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`statements of statistics on ${engine}`, () => {
    const world = useWorld(engine);

    it('read the requested link and days only', async () => {
      const { db, ids } = world.service;
      const filter = { appId: ids.next(), sandbox: 0 as const, campaignId: null, platform: null, only: null };
      const days = { fromMs: Date.parse('2026-01-01'), toMs: Date.parse('2026-02-01') };
      const plan = await planOf(db, (spied) =>
        readCells(spied, { ...filter, linkId: ids.next() }, { dimensions: ['method'], ...days }),
      );
      assert.match(plan, /USING INDEX sqlite_autoindex_link_days|link_days_pkey/);
      assert.match(plan, /link_id\s?=.*day\s?>.*day\s?</);
      assert.doesNotMatch(plan, /Seq Scan|SCAN|Filter: [^"]*(link_id|day)/);
    });

    it('read what is included only, and several dimensions at once', async () => {
      const { db, ids, clock } = world.service;
      const actor = { appId: ids.next(), mode: 'live' } as Actor;
      const statements = async (
        include: readonly Part[],
        ...groupBy: ('country' | 'visitor' | 'platform' | 'campaign')[]
      ) => {
        const asked: RootOperationNode[] = [];
        const deps = { db: noting(db, asked), clock, counted: async () => {} };
        await readStats(deps, { actor, input: { include: new Set(include), groupBy } });
        return asked.length;
      };
      // The sums of whole UTC days, and the costs.
      assert.equal(await statements(['totals']), 2);
      // And the quarter hours of the last day, which ends at the time of now.
      assert.equal(await statements(['previous']), 3);
      // Quarter hours, which add up to the totals too.
      assert.equal(await statements(['series', 'totals']), 2);
      assert.equal(await statements(['totals'], 'country'), 2);
      assert.equal(await statements(['groups'], 'country'), 3);
      assert.equal(await statements(['groups', 'totals'], 'country', 'visitor', 'platform'), 3);
      assert.equal(await statements(['groups', 'previous'], 'country', 'visitor', 'platform'), 8);
      // Costs by campaign.
      assert.equal(await statements(['groups'], 'campaign'), 4);
    });
  });
