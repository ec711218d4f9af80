import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { engines } from '../../test/engines.ts';
import { useWorld } from '../../test/world.ts';
import { SECOND_MS } from '../platform/clock.ts';
import { createIds } from '../platform/ids.ts';
import { awaitFreshClick } from './await-click.ts';
import { ClickWaits } from './click-waits.ts';
import type { Outage } from './outages.ts';

describe('a click that is not there', { skip: !engines.includes('postgres') }, () => {
  const world = useWorld('postgres');

  /** Looks for one that was made so long ago, after this outage, all times before now. */
  async function lookFor(madeMs: number, outage: { fromMs: number; untilMs: number } | null): Promise<void> {
    const { ctx } = world.service;
    const nowMs = ctx.clock.nowMs();
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
    await awaitFreshClick({ ...ctx, journalFlushes: { lastOutage }, clickWaits }, waiter, clickId);
  }

  it('and was made while the database was away is asked for again, for as long as others catch up', async () => {
    const outage = { fromMs: 60 * SECOND_MS, untilMs: 5 * SECOND_MS };
    for (const madeMs of [10, 40, 60, 80])
      await assert.rejects(lookFor(madeMs * SECOND_MS, outage), { code: 'clicks.behind' }, `${madeMs} s`);
  });

  it('is nobody’s where it is older, or the outage is long over, or there was none', async () => {
    await lookFor(100 * SECOND_MS, { fromMs: 60 * SECOND_MS, untilMs: 5 * SECOND_MS });
    await lookFor(60 * SECOND_MS, { fromMs: 70 * SECOND_MS, untilMs: 35 * SECOND_MS });
    await lookFor(10 * SECOND_MS, null);
  });
});
