/** The installs to which an id belongs. */
import { type Db, isAmong } from '../db/index.ts';
import { findMarkedEvent } from '../events/index.ts';
import type { Foundation } from '../foundation.ts';
import { type IdRange, idRange, isUuid } from '../lib/ids.ts';

export type FindDeps = Pick<Foundation, 'db' | 'secrets'>;

/** Of each kind: the first eight characters of a UUIDv7 are those of a minute. */
const MAX_FOUND = 1_000;

/**
 * @param text an id of an install, open, click or event or its first characters, the id that the app gave an event, or
 *   that of a user.
 */
export async function findInstallIds(
  { db, secrets }: FindDeps,
  appId: string,
  text: string,
): Promise<string[]> {
  const q = text.trim();
  const found = await listInstallsOfUser(db, appId, q);
  if (isUuid(q)) {
    const eventId = await findMarkedEvent(db, appId, secrets.markId(appId, q.toLowerCase()));
    if (eventId !== undefined)
      found.push(...(await listInstallsOfEvents(db, appId, { from: eventId, to: eventId })));
  }
  const range = idRange(q);
  if (range !== null) found.push(...(await listInstallsInRange(db, appId, range)));
  return [...new Set(found.filter((id) => id !== null))];
}

async function listInstallsOfUser(db: Db, appId: string, userId: string): Promise<(string | null)[]> {
  const installs = await db
    .selectFrom('installs')
    .select('id')
    .where('app_id', '=', appId)
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(MAX_FOUND)
    .execute();
  const ids: (string | null)[] = installs.map(({ id }) => id);
  for (const table of ['opens', 'events'] as const) {
    const rows = await db
      .selectFrom(table as 'opens')
      .select('install_id')
      .where('app_id', '=', appId)
      .where('user_id', '=', userId)
      .orderBy('id', 'desc')
      .limit(MAX_FOUND)
      .execute();
    ids.push(...rows.map(({ install_id }) => install_id));
  }
  return ids;
}

async function listInstallsInRange(db: Db, appId: string, range: IdRange): Promise<(string | null)[]> {
  const newest = (table: 'clicks' | 'installs' | 'opens') =>
    db
      .selectFrom(table as 'clicks')
      .where('app_id', '=', appId)
      .where('id', '>=', range.from)
      .where('id', '<=', range.to)
      .orderBy('id', 'desc')
      .limit(MAX_FOUND);
  const clicks = await newest('clicks').select(['claimed_by_install', 'claimed_by_open']).execute();
  const installs = await newest('installs').select('id').execute();
  const opens = await newest('opens').select('id').execute();
  const openIds = [...opens.map(({ id }) => id), ...clicks.flatMap((click) => click.claimed_by_open ?? [])];
  const ofOpens = await db
    .selectFrom('opens')
    .select('install_id')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', openIds))
    .execute();
  return [
    ...installs.map(({ id }) => id),
    ...clicks.map((click) => click.claimed_by_install),
    ...ofOpens.map(({ install_id }) => install_id),
    ...(await listInstallsOfEvents(db, appId, range)),
  ];
}

async function listInstallsOfEvents(db: Db, appId: string, { from, to }: IdRange): Promise<string[]> {
  const events = await db
    .selectFrom('events')
    .select('install_id')
    .where('app_id', '=', appId)
    .where('id', '>=', from)
    .where('id', '<=', to)
    .orderBy('id', 'desc')
    .limit(MAX_FOUND)
    .execute();
  return events.map(({ install_id }) => install_id);
}
