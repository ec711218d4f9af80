import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { awaitFreshClick } from '../../../src/click-log/await-click.ts';
import { ClickWaits } from '../../../src/click-log/click-waits.ts';
import type { Outage } from '../../../src/click-log/outages.ts';
import { monotonicMs, SECOND_MS } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

describe('waiting for a missing click', { skip: !engines.includes('postgres') }, () => {
  const world = useWorld('postgres');

  /** @param madeMs, outage: times before now. */
  async function waitFor(madeMs: number, outage: { fromMs: number; untilMs: number } | null): Promise<void> {
    const { service } = world;
    const nowMs = service.clock.nowMs();
    const { id } = await world.newApp();
    const clickId = createIds({ nowMs: () => nowMs - madeMs }).next();
    const lastOutage = (): Outage | null =>
      outage && {
        fromMs: nowMs - outage.fromMs,
        untilMs: nowMs - outage.untilMs,
        overForMs: outage.untilMs,
      };
    const clickWaits = new ClickWaits(new Registry());
    const waiter = { appId: id, ipHash: null };
    await awaitFreshClick({ ...service, journalFlushes: { lastOutage }, clickWaits }, waiter, clickId);
  }

  it('made during an outage fails with `clicks.behind` while other processes catch up', async () => {
    const outage = { fromMs: 60 * SECOND_MS, untilMs: 5 * SECOND_MS };
    for (const madeMs of [10, 40, 60, 80])
      await assert.rejects(waitFor(madeMs * SECOND_MS, outage), { code: 'clicks.behind' }, `${madeMs} s`);
  });

  it('ends without an error if the click is older, or no outage is recent', async () => {
    await waitFor(100 * SECOND_MS, { fromMs: 60 * SECOND_MS, untilMs: 5 * SECOND_MS });
    await waitFor(60 * SECOND_MS, { fromMs: 70 * SECOND_MS, untilMs: 35 * SECOND_MS });
    await waitFor(10 * SECOND_MS, null);
  });

  it('in a batch that has waited for its time looks once more, and waits no further', async () => {
    const { service } = world;
    let looks = 0;
    const db = service.db.withPlugin({
      transformQuery({ node }) {
        looks += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const deps = { ...service, db, clickWaits: new ClickWaits(new Registry()) };
    const { id: appId } = await world.newApp();
    const sinceMs = monotonicMs() - 2 * SECOND_MS;
    await awaitFreshClick(deps, { appId, ipHash: null, sinceMs }, service.ids.next());
    assert.equal(looks, 1);
  });
});
