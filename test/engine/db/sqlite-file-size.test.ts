/** The SQLite file shrinks after a large deletion. */

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { insertMany } from '../../../src/db/index.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { queryStored } from '../../helpers/stored.ts';
import { useWorld, type World } from '../../helpers/world.ts';

const ROWS = 16_000;
const ROWS_AT_ONCE = 2_000;
const KEPT_EVERY = 20;
const MB = 2 ** 20;

describe('the file of SQLite after a large deletion', () => {
  const world = useWorld('sqlite');

  it('shrinks to the size of its rows', async () => {
    await fillAndDelete(world);
    assert.ok(sizeOf(world) > 20 * MB, `${sizeOf(world)} bytes`);
    const kept = await storedEvents(world);
    await vacuumIfDue(world);
    assert.ok(sizeOf(world) < 8 * MB, `${sizeOf(world)} bytes`);
    assert.deepEqual(await storedEvents(world), kept);
    assert.deepEqual(await faults(world), ['ok']);
  });

  it('does not shrink while few pages are free, to avoid daily rewrites', async () => {
    const bytes = sizeOf(world);
    const { db } = world.service;
    await db.deleteFrom('events').where('event_name', '=', 'kept').execute();
    await vacuumIfDue(world);
    assert.equal(sizeOf(world), bytes);
  });
});

describe('a SQLite file of an earlier version, with incremental vacuum', () => {
  const world = useWorld('sqlite');

  it('shrinks in the same way', async () => {
    await world.close();
    const db = new DatabaseSync(pathOf(world));
    db.exec('pragma auto_vacuum = incremental; vacuum');
    db.close();
    await world.open();
    await fillAndDelete(world);
    const kept = await storedEvents(world);
    const bytes = sizeOf(world);
    await vacuumIfDue(world);
    assert.ok(sizeOf(world) < bytes / 3, `${sizeOf(world)} of ${bytes} bytes`);
    const [setting] = await queryStored(world.place, 'pragma auto_vacuum');
    assert.equal(setting?.auto_vacuum, 0);
    assert.deepEqual(await storedEvents(world), kept);
    assert.deepEqual(await faults(world), ['ok']);
  });
});

async function vacuumIfDue({ service }: World): Promise<void> {
  await service.store.vacuumIfDue(async () => undefined);
}

/** About 25 MB of events, of which few remain. */
async function fillAndDelete(world: World): Promise<void> {
  const { db, clock, ids } = world.service;
  const { id: app_id } = await world.newApp();
  const now = isoTime(clock.nowMs());
  const event = (n: number) => ({
    ...{ app_id, id: ids.next(), client_event_id: null, install_id: app_id, user_id: null },
    ...{ event_name: n % KEPT_EVERY === 0 ? 'kept' : 'gone', properties: `{"a":"${'x'.repeat(1_000)}"}` },
    ...{ sandbox: 0 as const, occurred_at: now, created_at: now },
  });
  for (let first = 0; first < ROWS; first += ROWS_AT_ONCE)
    await insertMany(
      db,
      'events',
      Array.from({ length: ROWS_AT_ONCE }, (_, n) => event(first + n)),
    );
  await db.deleteFrom('events').where('event_name', '=', 'gone').execute();
}

function pathOf({ place }: World): string {
  return join(place.dataDir, 'throughline.db');
}

function sizeOf(world: World): number {
  return statSync(pathOf(world)).size;
}

async function storedEvents({ place }: World) {
  return await queryStored(place, 'select id, event_name from events order by id');
}

async function faults({ place }: World) {
  const rows = await queryStored(place, 'pragma integrity_check');
  return rows.map(({ integrity_check: text }) => text);
}
