import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listLinkCounts } from '../../../src/stats/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { planOf } from '../../helpers/statements.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`statements on link days on ${engine}`, () => {
    const world = useWorld(engine);

    it('read the requested link and days only', async () => {
      const { db, ids } = world.service;
      const days = { fromDay: '2026-01-01', toDay: '2026-01-31' };
      const plan = await planOf(db, (spied) =>
        listLinkCounts(spied, ids.next(), { linkId: ids.next(), sandbox: 0, ...days }),
      );
      assert.match(plan, /USING INDEX sqlite_autoindex_link_days|link_days_pkey/);
      assert.match(plan, /link_id\s?=.*day\s?>.*day\s?</);
      assert.doesNotMatch(plan, /Seq Scan|SCAN|Filter: [^"]*(link_id|day)/);
    });
  });
