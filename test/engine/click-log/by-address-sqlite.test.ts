import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SqlBool, sql } from 'kysely';
import type { StoredClick } from '../../../src/click-log/by-address/by-address.ts';
import { listClicksPage, listRecentClicks } from '../../../src/click-log/by-address/sqlite.ts';
import { isoTime, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

const RUN = 16_384;
const START_MS = Date.parse('2026-09-01T00:00:00Z');

describe('the clicks of an address on sqlite', { skip: !engines.includes('sqlite') }, () => {
  const world = useWorld('sqlite');
  const address = (appId: string) => ({
    appId,
    ipHash: `an address of ${appId}`,
    visitors: sql<SqlBool>`visitor in ('human', 'tool')`,
  });

  /** Stores clicks by number, one second apart. */
  async function arrive(appId: string, arrivals: readonly number[], timeOf = (arrival: number) => arrival) {
    const { db, ids } = world.service;
    await sql`delete from clicks`.execute(db);
    for (const arrival of arrivals) {
      const atMs = START_MS + timeOf(arrival) * SECOND_MS;
      const id = `${atMs
        .toString(16)
        .padStart(12, '0')
        .replace(/^(.{8})/, '$1-')}-${ids.next().slice(14)}`;
      await sql`insert into clicks (arrival, app_id, id, link_id, sandbox, visitor, ip_hash, clicked_at)
        values (${arrival}, ${appId}, ${id}, 'link', 0, 'human', ${address(appId).ipHash}, ${isoTime(atMs)})`.execute(
        db,
      );
    }
  }

  const arrivalsOf = (clicks: readonly StoredClick[]) => clicks.map(({ arrival }) => arrival);
  const recent = (appId: string, fromArrival: number, limit = 100) =>
    listRecentClicks(world.service.db, address(appId), {
      since: isoTime(START_MS + fromArrival * SECOND_MS),
      limit,
    });

  async function allPages(appId: string, limit: number, betweenPages = async () => undefined) {
    const { db } = world.service;
    const found: StoredClick[] = [];
    for (;;) {
      const page = await listClicksPage(db, address(appId), { after: found.at(-1) ?? null, limit });
      found.push(...page);
      if (page.length < limit) return arrivalsOf(found);
      await betweenPages();
    }
  }

  for (const newest of [1, RUN - 2, RUN - 1, RUN, 3 * RUN - 1, 3 * RUN, 200 * RUN - 1])
    it(`are all found, newest first, if the newest click has number ${newest}`, async () => {
      const arrivals = [newest, newest - 1, newest - RUN, newest - RUN - 1, newest - 150 * RUN]
        .filter((arrival) => arrival > 0)
        .sort((a, b) => b - a);
      await arrive('app', arrivals);
      for (const limit of [1, 2, 100]) assert.deepEqual(await allPages('app', limit), arrivals);
      for (const from of arrivals) {
        const since = arrivals.filter((arrival) => arrival >= from);
        assert.deepEqual(arrivalsOf(await recent('app', from)), since);
        assert.deepEqual(arrivalsOf(await recent('app', from, 2)), since.slice(0, 2));
      }
    });

  it('are none without clicks, or without recent ones', async () => {
    await arrive('app', []);
    assert.deepEqual(await allPages('app', 5), []);
    assert.deepEqual(await recent('app', 0), []);
    await arrive('app', [5]);
    assert.deepEqual(await recent('app', 6 + MINUTE_MS / SECOND_MS), []);
  });

  it('are paged correctly when the last click of a page is deleted between pages', async () => {
    const { db } = world.service;
    const arrivals = [3 * RUN, 2 * RUN + 1, 2 * RUN, RUN, 7];
    await arrive('app', arrivals);
    const gone = [...arrivals];
    const deleteNewest = async () => {
      await sql`delete from clicks where arrival = ${gone.shift()}`.execute(db);
      return undefined;
    };
    assert.deepEqual(await allPages('app', 1, deleteNewest), arrivals);
  });

  it('are found behind a late click with an older time at the start of its run', async () => {
    const arrivals = [2 * RUN + 5, 2 * RUN, RUN + 5, RUN + 4];
    await arrive('app', arrivals, (arrival) => (arrival === 2 * RUN ? 1 : arrival));
    assert.deepEqual(arrivalsOf(await recent('app', RUN + 4)), [2 * RUN + 5, RUN + 5, RUN + 4]);
  });
});
