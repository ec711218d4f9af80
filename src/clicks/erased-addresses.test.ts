import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../test/engines.ts';
import { freshAddress, useWorld } from '../../test/world.ts';
import { HOUR_MS, isoTime, MINUTE_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { parseRows } from '../platform/db/index.ts';
import { NEW_CLICK_COLUMNS, type NewClick, toJournalRow } from './click.ts';
import { setTombstones, withoutErased } from './erased-addresses.ts';

const USER_AGENT = NEW_CLICK_COLUMNS.indexOf('user_agent');

for (const engine of engines)
  describe(`tombstones of erased addresses on ${engine}`, () => {
    const world = useWorld(engine);

    /** Somebody's clicks, a batch for each time, and their erasure by a process whose clock says so. */
    async function scene() {
      const { ctx } = world.service;
      const app = await world.newApp();
      const ipHash = ctx.secrets.hashAddress(app.id, freshAddress()) ?? '';
      const erase = async (nowMs: number) => {
        const elsewhere: Ctx = { ...ctx, clock: { ...ctx.clock, nowMs: () => nowMs } };
        await setTombstones(elsewhere, { appId: app.id, sandboxOnly: false, ipHashes: [ipHash] });
      };
      const keptOf = async (times: readonly number[]) => {
        const batches = times.map((ms) => {
          const click = { app_id: app.id, id: ctx.ids.next(), link_id: ctx.ids.next(), sandbox: 0 };
          const rest = { visitor: 'human', platform: 'ANDROID', clicked_at: isoTime(ms) };
          const person = { ip_hash: ipHash, user_agent: 'somebody’s' };
          return Buffer.from(`${toJournalRow({ ...click, ...rest, ...person } as NewClick)}\n`);
        });
        const stored = await withoutErased(ctx, batches);
        return stored.map((batch) => parseRows(batch.toString())[0]?.[USER_AGENT] !== null);
      };
      return { nowMs: ctx.clock.nowMs(), erase, keptOf };
    }

    it('cover what was clicked before, and nothing that was clicked after', async () => {
      const { nowMs, erase, keptOf } = await scene();
      await erase(nowMs);
      assert.deepEqual(await keptOf([nowMs - HOUR_MS, nowMs + 1]), [false, true]);
    });

    it('cover a click behind later ones, as a clock that was set back leaves it in the journal', async () => {
      const { nowMs, erase, keptOf } = await scene();
      await erase(nowMs - HOUR_MS);
      assert.deepEqual(await keptOf([nowMs, nowMs - 2 * HOUR_MS]), [true, false]);
    });

    it('cover no less after a second erasure by a process whose clock is behind', async () => {
      const { nowMs, erase, keptOf } = await scene();
      await erase(nowMs);
      await erase(nowMs - HOUR_MS);
      assert.deepEqual(await keptOf([nowMs - MINUTE_MS]), [false]);
    });
  });
