import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../test/engines.ts';
import { connectionRefused, failing } from '../../test/statements.ts';
import { waitFor } from '../../test/wait-for.ts';
import { useWorld } from '../../test/world.ts';
import { SECOND_MS } from '../platform/clock.ts';
import type { GoOn } from '../platform/loop.ts';
import { UnderWay } from '../platform/under-way.ts';
import { createJournalFlushes } from './journal-flushes.ts';

describe('flushing the journals of all processes', { skip: !engines.includes('postgres') }, () => {
  const world = useWorld('postgres');

  it('a process that has much to flush is not taken for one that is gone', async (t) => {
    const { ctx } = world.service;
    const flushes = await createJournalFlushes(ctx);
    t.after(() => flushes.stop());
    const lastSeen = async () => {
      const journals = await ctx.db.selectFrom('journals').select('seen_at').orderBy('seen_at').execute();
      return Date.parse(journals.at(-1)?.seen_at ?? '');
    };
    let seenMs: number[] = [];
    const clickLog = {
      async flush(goOn: GoOn) {
        const before = await lastSeen();
        world.clock.advance(40 * SECOND_MS);
        await goOn();
        seenMs = [before, await lastSeen()];
      },
    };
    flushes.serve({ recordings: new UnderWay(), clickLog });
    await flushes.flushAll(async () => undefined);
    assert.ok((seenMs[1] ?? 0) - (seenMs[0] ?? 0) >= 40 * SECOND_MS, String(seenMs));
  });

  it('a process knows when the database was away, also one that had nothing to store meanwhile', async (t) => {
    const { ctx } = world.service;
    let isAway = false;
    const db = failing(ctx.db, () => (isAway ? connectionRefused() : null));
    const flushes = await createJournalFlushes({ ...ctx, db });
    t.after(() => flushes.stop());
    assert.equal(flushes.lastOutage(), null);
    const beganMs = ctx.clock.nowMs();
    isAway = true;
    await waitFor('it is away', async () => flushes.lastOutage() ?? undefined);
    world.clock.advance(60 * SECOND_MS);
    const lasting = flushes.lastOutage();
    assert.equal(lasting?.overForMs, 0);
    assert.ok(lasting.fromMs <= beganMs && lasting.untilMs >= beganMs + 60 * SECOND_MS);
    isAway = false;
    const { fromMs, untilMs } = await waitFor('it is over', async () => {
      const outage = flushes.lastOutage();
      return outage !== null && outage.overForMs > 0 ? outage : undefined;
    });
    assert.equal(fromMs, lasting.fromMs);
    assert.ok(untilMs >= lasting.untilMs);
  });
});
