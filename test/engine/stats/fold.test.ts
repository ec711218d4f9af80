import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFolder } from '../../../src/stats/fold-pending.ts';
import { eventCounts, insertCounts } from '../../../src/stats/index.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

const BATCHES = 40;
const EVENTS = 500;

for (const engine of engines)
  describe(`folding on ${engine}`, () => {
    const world = useWorld(engine);

    it('folds the counts of many batches in several transactions, so that others write in between', async () => {
      const { db } = world.service;
      const app = await world.newApp();
      for (let batch = 0; batch < BATCHES; batch++) {
        const facts = eventCounts(
          Array.from({ length: EVENTS }, (_, n) => ({
            ...{ app_id: app.id, sandbox: 0 as const, recordedAt: '2026-11-20T17:29:33.158Z' },
            ...{ link_id: null, campaign_id: null, platform: 'IOS', attribution_method: 'organic' },
            ...{ country: null, referrer: null, utm: null, lastLinkId: null, lastCampaignId: null },
            ...{
              installed_at: '2026-11-19T17:29:33.158Z',
              existing_user: null,
              os_version: null,
              fingerprint: null,
            },
            ...{ network: null, network_name: null, network_campaign: null },
            ...{ eventName: `event ${n}`, revenue: null },
          })),
        );
        await insertCounts(db, facts).execute();
      }
      const left = async () => {
        const rows = db.selectFrom('pending_counts').select(({ fn }) => fn.countAll().as('n'));
        return Number((await rows.where('app_id', '=', app.id).executeTakeFirstOrThrow()).n);
      };
      const folded = createFolder(db)(app.id);
      const seen = new Set<number>();
      let isDone = false;
      void folded.finally(() => (isDone = true));
      while (!isDone) seen.add(await left());
      await folded;
      assert.equal(await left(), 0);
      assert.ok(seen.size > 3, `committed states that others saw: ${[...seen]}`);
      const counted = await db
        .selectFrom('count_days')
        .select('events')
        .where('app_id', '=', app.id)
        .where('scope', '=', '')
        .where('dimension', '=', '')
        .execute();
      assert.deepEqual(
        counted.map(({ events }) => Number(events)),
        [BATCHES * EVENTS],
      );
    });
  });
