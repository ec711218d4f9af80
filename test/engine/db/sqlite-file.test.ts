/** The SQLite file contains no bytes of deleted rows. */

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { insertMany } from '../../../src/db/index.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { queryStored } from '../../helpers/stored.ts';
import { useWorld } from '../../helpers/world.ts';

/** SQLite leaves a copy for about one in 4,000 unordered rows; the rows are the same in every run. */
const ROWS = 60_000;
const ROWS_AT_ONCE = 2_000;
/** No word of the schema. */
const GONE = 'vanished';
const KEPT = 'kept';

describe('the file of SQLite', () => {
  const world = useWorld('sqlite');
  let rows: unknown[];

  before(async () => {
    const { db, clock } = world.service;
    const { id: app_id } = await world.newApp();
    const now = isoTime(clock.nowMs());
    const event = (n: number) => ({
      ...{ app_id, id: uuidOf(`event ${n}`), client_event_id: null, install_id: uuidOf(`install ${n}`) },
      ...{ event_name: 'level', properties: '{}', sandbox: 0 as const, occurred_at: now, created_at: now },
      user_id: `${uuidOf(`user ${n}`)} ${n % 3 === 0 ? GONE : KEPT}`,
    });
    for (let first = 0; first < ROWS; first += ROWS_AT_ONCE)
      await insertMany(
        db,
        'events',
        Array.from({ length: ROWS_AT_ONCE }, (_, n) => event(first + n)),
      );
    await db
      .updateTable('events')
      .set({ user_id: null })
      .where('app_id', '=', app_id)
      .where('user_id', 'like', `%${GONE}`)
      .execute();
    rows = await storedEvents();
  });

  it('has copies of overwritten values on split pages, until it is scrubbed', async () => {
    await emptyLog();
    assert.notEqual(timesInFile(GONE), 0);
    await world.service.store.scrubFiles(async () => undefined);
    assert.equal(timesInFile(GONE), 0);
  });

  it('keeps every row and intact indexes', async () => {
    assert.deepEqual(await storedEvents(), rows);
    assert.deepEqual(await faults(), ['ok']);
  });

  it('does not get the copies back with later writes', async () => {
    const { db } = world.service;
    await db
      .updateTable('events')
      .set({ user_id: sql`user_id || '!'` })
      .where('user_id', 'is not', null)
      .execute();
    await emptyLog();
    assert.equal(timesInFile(GONE), 0);
    assert.deepEqual(await faults(), ['ok']);
  });

  const path = () => join(world.place.dataDir, 'throughline.db');
  const storedEvents = () => queryStored(world.place, 'select id, user_id from events order by id');

  const faults = async () =>
    (await queryStored(world.place, 'pragma integrity_check')).map(({ integrity_check: text }) => text);

  /** Uses the writing connection, since a write by another one would invalidate its page cache. */
  async function emptyLog(): Promise<void> {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(world.service.db);
    assert.equal(rows[0]?.busy, 0);
  }

  function timesInFile(text: string): number {
    const bytes = readFileSync(path());
    let times = 0;
    for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) times += 1;
    return times;
  }
});

/** Evenly distributed text, always the same for the same name. */
function uuidOf(name: string): string {
  const digits = hash('sha256', name, 'hex');
  return [8, 12, 16, 20, 32].map((end, place) => digits.slice([0, 8, 12, 16, 20][place], end)).join('-');
}
