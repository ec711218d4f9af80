/** The data of released versions in `test/fixtures/releases`, as `npm run release-fixture` has written it. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { citusUrl, distributeAll } from './citus.ts';
import { type Engine, makePlace, type Place } from './engines.ts';
import type { Release } from './release-data.ts';
import { runStatement } from './templates.ts';

const FOLDER = 'test/fixtures/releases';

/** The oldest first. */
export const RELEASES: readonly string[] = readdirSync(FOLDER).sort((one, other) =>
  one.localeCompare(other, 'en', { numeric: true }),
);

export function readRelease(version: string, engine: Engine): Release {
  const text = gunzipSync(readFileSync(join(FOLDER, version, 'answers.json.gz'))).toString();
  return (JSON.parse(text) as Record<Engine, Release>)[engine];
}

/** The data of a release in a place of its own; on a Citus cluster it is distributed. */
export async function restoreRelease(version: string, engine: Engine): Promise<Place> {
  const file = (name: string) => join(FOLDER, version, name);
  const place = await makePlace(engine, { isEmpty: true });
  if (engine === 'sqlite') {
    writeFileSync(join(place.dataDir, 'throughline.db'), gunzipSync(readFileSync(file('throughline.db.gz'))));
    for (const name of ['secret-key', 'journal'])
      cpSync(file(name), join(place.dataDir, name), { recursive: true });
  } else {
    const url = place.databaseUrl ?? '';
    await runStatement(url, gunzipSync(readFileSync(file('postgres.sql.gz'))).toString());
    if (citusUrl !== undefined) await distributeAll(url);
  }
  return place;
}
