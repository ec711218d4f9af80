/** SQLite's file after a large deletion: what rows no longer take is the file system's again. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { isoTime } from '../src/platform/clock.ts';
import { backUpSqlite } from '../src/platform/db/sqlite/back-up.ts';
import { dropOld } from '../src/privacy/retention.ts';
import { queryStored } from './stored.ts';
import { useWorld, type World } from './world.ts';

const ROWS = 16_000;
const ROWS_AT_ONCE = 2_000;
const KEPT_EVERY = 20;
const MB = 2 ** 20;

describe('the file of SQLite after a large deletion', () => {
  const world = useWorld('sqlite');

  it('shrinks to what its rows take, in steps between which others write', async () => {
    await fillAndDelete(world);
    assert.ok(sizeOf(world) > 20 * MB, `${sizeOf(world)} bytes`);
    const kept = await storedEvents(world);
    let steps = 0;
    await world.service.ctx.store.returnFreeSpace(async () => {
      steps += 1;
      await world.newApp();
    });
    assert.ok(sizeOf(world) < 8 * MB, `${sizeOf(world)} bytes`);
    assert.ok(steps > 10, `${steps} steps`);
    assert.deepEqual(await storedEvents(world), kept);
    assert.deepEqual(await faults(world), ['ok']);
  });

  it('stays as it is while little is free, so that rows which come and go do not move it every day', async () => {
    const bytes = sizeOf(world);
    const { db } = world.service.ctx;
    await db.deleteFrom('events').where('event_name', '=', 'kept').execute();
    await dropOld(world.service.ctx);
    assert.equal(sizeOf(world), bytes);
  });
});

describe('a file of SQLite that an earlier version made', () => {
  const world = useWorld('sqlite');

  it('is rewritten at the start, and shrinks with the retention from then on', async () => {
    await asEarlierVersion(world);
    assert.deepEqual(autoVacuumOf(pathOf(world)), 0);
    await world.open();
    assert.deepEqual(autoVacuumOf(pathOf(world)), 2);
    await fillAndDelete(world);
    const kept = await storedEvents(world);
    const bytes = sizeOf(world);
    await dropOld(world.service.ctx);
    assert.ok(sizeOf(world) < bytes / 3, `${sizeOf(world)} of ${bytes} bytes`);
    assert.deepEqual(await storedEvents(world), kept);
    assert.deepEqual(await faults(world), ['ok']);
  });

  it('gives its free space back at the start', async () => {
    await fillAndDelete(world);
    await asEarlierVersion(world, { isLarge: true });
    const bytes = sizeOf(world);
    await world.open();
    assert.ok(sizeOf(world) < bytes / 3, `${sizeOf(world)} of ${bytes} bytes`);
  });

  it('has a backup that can shrink', async () => {
    await asEarlierVersion(world);
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-file-size-'));
    after(() => rmSync(folder, { recursive: true }));
    for (const name of ['first.db', 'of-a-copy.db']) {
      backUpSqlite(name === 'first.db' ? pathOf(world) : join(folder, 'first.db'), join(folder, name));
      assert.equal(autoVacuumOf(join(folder, name)), 2);
    }
  });
});

/** Stops the service, and has its file be one that cannot be cut; with `isLarge`, full of free pages. */
async function asEarlierVersion(world: World, { isLarge = false } = {}): Promise<void> {
  await world.close();
  const db = new DatabaseSync(pathOf(world));
  db.exec('pragma journal_mode = delete; pragma auto_vacuum = none; vacuum');
  if (isLarge)
    db.exec(`create table filler (text text);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
      insert into filler select hex(randomblob(500)) from n; drop table filler`);
  db.close();
}

/** As many events as take some 25 MB, of which few are left. */
async function fillAndDelete(world: World): Promise<void> {
  const { store, db, clock, ids } = world.service.ctx;
  const { id: app_id } = await world.newApp();
  const now = isoTime(clock.nowMs());
  const event = (n: number) => ({
    ...{ app_id, id: ids.next(), client_event_id: null, install_id: app_id, user_id: null },
    ...{ event_name: n % KEPT_EVERY === 0 ? 'kept' : 'gone', properties: `{"a":"${'x'.repeat(1_000)}"}` },
    ...{ sandbox: 0 as const, occurred_at: now, created_at: now },
  });
  for (let first = 0; first < ROWS; first += ROWS_AT_ONCE)
    await store.insertMany(
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

function autoVacuumOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const setting = db.prepare('pragma auto_vacuum').get()?.auto_vacuum;
  db.close();
  return setting;
}

async function storedEvents({ place }: World) {
  return await queryStored(place, 'select id, event_name from events order by id');
}

async function faults({ place }: World) {
  const rows = await queryStored(place, 'pragma integrity_check');
  return rows.map(({ integrity_check: text }) => text);
}
