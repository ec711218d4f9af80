import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createJournalFlushes } from '../../../src/click-log/journal-flushes.ts';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { InFlight } from '../../../src/lib/in-flight.ts';
import type { Heartbeat } from '../../../src/lib/loop.ts';
import { engines } from '../../helpers/engines.ts';
import { connectionRefused, failing } from '../../helpers/statements.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { useWorld } from '../../helpers/world.ts';

describe('journal flushes of all processes', { skip: !engines.includes('postgres') }, () => {
  const world = useWorld('postgres');

  it('a process sends heartbeats during a long flush, and names the apps whose clicks it cannot store', async (t) => {
    const { service } = world;
    const flushes = await createJournalFlushes(service);
    t.after(() => flushes.stop());
    const lastSeen = async () => {
      const journals = await service.db.selectFrom('journals').select('seen_at').orderBy('seen_at').execute();
      return Date.parse(journals.at(-1)?.seen_at ?? '');
    };
    let seenMs: number[] = [];
    const clickLog = {
      async flush(goOn: Heartbeat) {
        const before = await lastSeen();
        world.clock.advance(40 * SECOND_MS);
        await goOn();
        seenMs = [before, await lastSeen()];
        return ['one', 'another'];
      },
    };
    flushes.serve({ recordings: new InFlight(), clickLog });
    const behind = await flushes.flushAll(async () => undefined);
    assert.deepEqual([...behind], ['one', 'another']);
    assert.ok((seenMs[1] ?? 0) - (seenMs[0] ?? 0) >= 40 * SECOND_MS, String(seenMs));
  });

  it('an idle process detects an outage of the database', async (t) => {
    const { service } = world;
    let isDown = false;
    const db = failing(service.db, () => (isDown ? connectionRefused() : null));
    const flushes = await createJournalFlushes({ ...service, db });
    t.after(() => flushes.stop());
    assert.equal(flushes.lastOutage(), null);
    const beganMs = service.clock.nowMs();
    isDown = true;
    await waitFor('an outage', async () => flushes.lastOutage() ?? undefined);
    world.clock.advance(60 * SECOND_MS);
    const lasting = flushes.lastOutage();
    assert.equal(lasting?.overForMs, 0);
    assert.ok(lasting.fromMs <= beganMs && lasting.untilMs >= beganMs + 60 * SECOND_MS);
    isDown = false;
    const { fromMs, untilMs } = await waitFor('the end of the outage', async () => {
      const outage = flushes.lastOutage();
      return outage !== null && outage.overForMs > 0 ? outage : undefined;
    });
    assert.equal(fromMs, lasting.fromMs);
    assert.ok(untilMs >= lasting.untilMs);
  });
});
