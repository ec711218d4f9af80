import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Service } from '../../../src/app.ts';
import { NEW_CLICK_COLUMNS, type NewClick, toJournalRow } from '../../../src/click-log/click.ts';
import { setTombstones, withoutErased } from '../../../src/click-log/erased-addresses.ts';
import { parseRows } from '../../../src/db/index.ts';
import { HOUR_MS, isoTime, MINUTE_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

const USER_AGENT = NEW_CLICK_COLUMNS.indexOf('user_agent');
const ERASED = NEW_CLICK_COLUMNS.indexOf('erased');

for (const engine of engines)
  describe(`tombstones of erased addresses on ${engine}`, () => {
    const world = useWorld(engine);

    /** Clicks of one address, one batch for each time, and an erasure at a given time. */
    async function scene() {
      const { service } = world;
      const app = await world.newApp();
      const ipHash = service.secrets.hashAddress(app.id, freshAddress()) ?? '';
      const erase = async (nowMs: number) => {
        const at: Service = { ...service, clock: { ...service.clock, nowMs: () => nowMs } };
        await service.db
          .transaction()
          .execute((tx) => setTombstones(tx, at, { appId: app.id, sandboxOnly: false, ipHashes: [ipHash] }));
      };
      const keptOf = async (times: readonly number[]) => {
        const batches = times.map((ms) => {
          const click = { app_id: app.id, id: service.ids.next(), link_id: service.ids.next(), sandbox: 0 };
          const rest = { visitor: 'human', platform: 'ANDROID', clicked_at: isoTime(ms) };
          const person = { ip_hash: ipHash, user_agent: 'Pixel' };
          return Buffer.from(`${toJournalRow({ ...click, ...rest, ...person } as NewClick)}\n`);
        });
        const stored = await withoutErased(service, batches);
        return stored.map((batch) => {
          const [row] = parseRows(batch.toString());
          // Lists leave out clicks with this mark.
          assert.equal(row?.[ERASED] ?? null, row?.[USER_AGENT] === null ? '1' : null);
          return row?.[USER_AGENT] !== null;
        });
      };
      return { nowMs: service.clock.nowMs(), erase, keptOf };
    }

    it('cover clicks made before the erasure, and none made after it', async () => {
      const { nowMs, erase, keptOf } = await scene();
      await erase(nowMs);
      assert.deepEqual(await keptOf([nowMs - HOUR_MS, nowMs + 1]), [false, true]);
    });

    it('cover an earlier click in a later batch, after the clock was set back', async () => {
      const { nowMs, erase, keptOf } = await scene();
      await erase(nowMs - HOUR_MS);
      assert.deepEqual(await keptOf([nowMs, nowMs - 2 * HOUR_MS]), [true, false]);
    });

    it('are not shortened by a second erasure from a process whose clock is behind', async () => {
      const { nowMs, erase, keptOf } = await scene();
      await erase(nowMs);
      await erase(nowMs - HOUR_MS);
      assert.deepEqual(await keptOf([nowMs - MINUTE_MS]), [false]);
    });
  });
