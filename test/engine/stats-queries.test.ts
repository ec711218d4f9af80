import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCells } from '../../src/stats/read-cells.ts';
import { engines } from '../helpers/engines.ts';
import { planOf } from '../helpers/statements.ts';
import { useWorld } from '../helpers/world.ts';

for (const engine of engines)
  describe(`statements on link days on ${engine}`, () => {
    const world = useWorld(engine);

    it('read the requested link and days only', async () => {
      const { db, ids } = world.service;
      const filter = { appId: ids.next(), sandbox: 0 as const, campaignId: null, platform: null };
      const days = { fromMs: Date.parse('2026-01-01'), toMs: Date.parse('2026-02-01') };
      const plan = await planOf(db, (spied) =>
        readCells(spied, { ...filter, linkId: ids.next() }, { dimensions: ['method'], ...days }),
      );
      assert.match(plan, /USING INDEX sqlite_autoindex_link_days|link_days_pkey/);
      assert.match(plan, /link_id\s?=.*day\s?>.*day\s?</);
      assert.doesNotMatch(plan, /Seq Scan|SCAN|Filter: [^"]*(link_id|day)/);
    });
  });
