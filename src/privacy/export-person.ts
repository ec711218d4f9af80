import { recordChange } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import { type Db, toFlag } from '../db/index.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { Person } from '../personal-data.ts';
import { findPerson, withoutNeighbours } from './find-person.ts';
import { type AnyPersonalData, EXPORTED } from './manifest.ts';
import { withoutOtherUsers } from './other-users.ts';
import { type ExportInput, identifiersOf, namesOf } from './schemas.ts';

/** All data of a person of before its beginning as chunks of one JSON object, read from the database on demand, so that its size is unbounded. */
export async function exportPerson(
  { db, clock, ids, secrets }: { db: Db; clock: Clock; ids: Ids; secrets: Secrets },
  { actor, input }: { actor: Actor; input: ExportInput },
): Promise<AsyncGenerator<string>> {
  const begunAt = isoTime(clock.nowMs());
  const { ipAddress, userId } = identifiersOf(input);
  const person = await findPerson(db, {
    appId: actor.appId,
    sandboxOnly: actor.mode === 'test',
    userId,
    ipHash: ipAddress === null ? null : secrets.hashAddress(actor.appId, ipAddress),
  });
  const about = { identifiers: namesOf({ ipAddress, userId }) };
  const change = { appId: actor.appId, by: authorOf(actor), sandbox: toFlag(actor.mode === 'test'), about };
  await db
    .transaction()
    .execute((tx) => recordChange(tx, { clock, ids }, { ...change, action: 'privacy.exported' }));
  return write(db, person, begunAt);
}

async function* write(db: Db, person: Person, begunAt: string): AsyncGenerator<string> {
  // Installs of unknown users may be another person's: their events and opens are not exported.
  const certain = await withoutNeighbours(db, person);
  let before = '{';
  for (const data of EXPORTED) {
    yield `${before}${JSON.stringify(data.exportedAs)}:[`;
    yield* writeRecords(db, data.table === 'installs' ? person : certain, { data, begunAt });
    before = '],';
  }
  yield ']}';
}

async function* writeRecords(
  db: Db,
  person: Person,
  { data, begunAt }: { data: AnyPersonalData; begunAt: string },
): AsyncGenerator<string> {
  const written = new Set<string>();
  let before = '';
  for await (const found of data.find(db, person)) {
    const rows = (await withoutOtherUsers(db, person, data, found)).filter(
      (row) => !written.has(row.id) && data.recordedAt(row) <= begunAt,
    );
    for (const { id } of rows) written.add(id);
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(data.present(row))).join(',');
    before = ',';
  }
}
