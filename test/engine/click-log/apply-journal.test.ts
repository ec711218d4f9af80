import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { NEW_CLICK_COLUMNS, toJournalRow } from '../../../src/click-log/click.ts';
import type { Store } from '../../../src/db/index.ts';
import { engines } from '../../helpers/engines.ts';
import {
  countClicks as countClicksOf,
  newClick as newClickOf,
  openSecondClickLog,
} from '../../helpers/second-click-log.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`applying the journal on ${engine}`, () => {
    const world = useWorld(engine);

    const openAnother = (t: TestContext, options: Parameters<typeof openSecondClickLog>[2] = {}) =>
      openSecondClickLog(t, world, options);
    const newClick = (appId: string) => newClickOf(world, appId);
    const countClicks = (appId: string) => countClicksOf(world, appId);

    it('removes applied clicks from the journal without further traffic', async (t) => {
      const { id: appId } = await world.newApp();
      const { clickLog, journal } = await openAnother(t, { endSegmentEveryMs: 20 });
      const click = newClick(appId);
      await clickLog.record(click);
      await waitFor('a journal without the click', async () =>
        readdirSync(journal).some((name) => readIfPresent(join(journal, name)).includes(click.id))
          ? undefined
          : true,
      );
      assert.equal(await countClicks(appId), 1);
    });

    it('uses smaller batches if the database cancels large ones', async (t) => {
      const { id: appId } = await world.newApp();
      const { store } = world.service;
      const insertRowTexts: Store['insertRowTexts'] = async (into, texts) => {
        if (texts.reduce((sum, text) => sum + text.length, 0) > 20_000) throw new Error('statement timeout');
        await store.insertRowTexts(into, texts);
      };
      const { clickLog } = await openAnother(t, { store: { ...store, insertRowTexts } });
      for (let batch = 0; batch < 30; batch++)
        await Promise.all(Array.from({ length: 10 }, () => clickLog.record(newClick(appId))));
      await clickLog.applied();
      assert.equal(await countClicks(appId), 300);
    });

    it('skips clicks that exist, also in statements larger than a socket buffer', async () => {
      const { id: appId } = await world.newApp();
      const [known, fresh] = [newClick(appId), newClick(appId)];
      const { store } = world.service;
      const into = { table: 'clicks', columns: NEW_CLICK_COLUMNS } as const;
      await store.insertRowTexts(into, [Buffer.from(`${toJournalRow(known)}\n`)]);
      const again = Buffer.from(`${toJournalRow(known)}\n`.repeat(2_000));
      const texts = [...Array(40).fill(again), Buffer.from(`${toJournalRow(fresh)}\n`)];
      await store.insertRowTexts(into, texts);
      assert.equal(await countClicks(appId), 2);
    });

    it('is unhealthy with the cause while inserts fail, and healthy after a success', async (t) => {
      const { id: appId } = await world.newApp();
      const { store } = world.service;
      let fault: Error | null = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      const insertRowTexts: Store['insertRowTexts'] = async (into, texts) => {
        if (fault !== null) throw fault;
        await store.insertRowTexts(into, texts);
      };
      const { clickLog } = await openAnother(t, { store: { ...store, insertRowTexts } });
      await clickLog.record(newClick(appId));
      const { reason } = await waitFor('unhealthy', async () => {
        const health = await clickLog.health();
        return health.ok ? undefined : health;
      });
      assert.match(reason ?? '', /cannot be stored in the database. No file descriptors left/);
      fault = null;
      await clickLog.applied();
      const { ok, lost } = await clickLog.health();
      assert.deepEqual([ok, lost], [true, 0]);
    });

    it('stops a flush that is aborted while the database is unavailable', async (t) => {
      const { id: appId } = await world.newApp();
      const fault = Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      const insertRowTexts = () => Promise.reject(fault);
      const { clickLog } = await openAnother(t, { store: { ...world.service.store, insertRowTexts } });
      await clickLog.record(newClick(appId));
      const goOn = () => Promise.reject(new Error('the service stops'));
      await assert.rejects(clickLog.flush(goOn), /the service stops/);
    });
  });

/** @returns '' if the segment was removed in the meantime. */
function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
