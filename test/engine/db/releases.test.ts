/** Data of each released version, opened by this one. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { VERSION } from '../../../src/lib/version.ts';
import { engines, makePlace, type Place } from '../../helpers/engines.ts';
import { callCommand } from '../../helpers/process.ts';
import { answersOfRelease } from '../../helpers/release-data.ts';
import { RELEASES, readRelease, restoreRelease } from '../../helpers/release-fixture.ts';
import { queryStored } from '../../helpers/stored.ts';
import { World } from '../../helpers/world.ts';

for (const engine of engines)
  for (const version of RELEASES)
    describe(`the data of ${version} on ${engine}`, () => {
      it('is migrated, and every answer about it has what it had', async (t) => {
        const release = readRelease(version, engine);
        const place = await restoreRelease(version, engine);
        const world = new World(engine, place.env);
        t.after(async () => {
          await world.remove();
          await place.remove();
        });
        // As if the upgrade came at once: nothing has expired since.
        world.clock.advance(release.atMs - Date.now());
        await world.open();
        const answers = await answersOfRelease(world, release);
        assert.ok(Object.keys(release.answers).length > 30);
        for (const [path, { status, body }] of Object.entries(release.answers))
          assert.deepEqual(
            partOf({ status: answers[path]?.status, body: answers[path]?.body }, { status, body }),
            { status, body },
            path,
          );
        assert.deepEqual(await versionsIn(place), [VERSION]);
      });
    });

describe('data of a newer version', { skip: !engines.includes('sqlite') }, () => {
  it('is refused with the version to run, and stays as it is', async (t) => {
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    await callCommand(['migrate'], place.env);
    const db = new DatabaseSync(join(place.dataDir, 'throughline.db'));
    db.exec(`insert into schema_migrations values ('9999_newer', '2027-01-01T00:00:00.000Z');
      update schema_migrations_version set version = '7.1.0'`);
    db.close();
    const { code, stderr } = await callCommand(['migrate'], place.env);
    assert.equal(code, 78);
    assert.match(
      stderr,
      /^The database has migrations that version [\d.]+ does not know \(9999_newer\): version 7\.1\.0 applied them\. Run version 7\.1\.0 or newer, or [^\n]+\n$/,
    );
    assert.deepEqual(await versionsIn(place), ['7.1.0']);
  });
});

async function versionsIn(place: Place): Promise<unknown[]> {
  const rows = await queryStored(place, 'select version from schema_migrations_version');
  return rows.map(({ version }) => version);
}

/** What the earlier answer had: a later version may add fields. Times of the last use of a key are of now. */
function partOf(now: unknown, then: unknown): unknown {
  if (Array.isArray(then) && Array.isArray(now))
    return now.length === then.length ? then.map((each, index) => partOf(now[index], each)) : now;
  if (!isObject(then) || !isObject(now)) return now;
  return Object.fromEntries(
    Object.entries(then).map(([name, value]) => [
      name,
      name === 'lastUsedAt' ? value : partOf(now[name], value),
    ]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
