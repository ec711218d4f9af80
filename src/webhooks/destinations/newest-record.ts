/** The newest record that a destination would send, for a preview or test that names none. */
import { type Actor, canSee } from '../../auth/index.ts';
import type { Db } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { chunks } from '../../lib/chunks.ts';
import type { RecordRef } from './batch.ts';
import type { Config, Destination } from './destination.ts';
import { takes } from './feed.ts';
import { judge } from './judge.ts';
import { type ReadRecord, readRecords } from './read-records.ts';

/** Of each kind: their names are looked at. */
const MAX_LISTED = 5_000;
/** Of each kind: they are read. */
const MAX_READ = 1_000;
const READ_AT_ONCE = 100;

type NewestDeps = Pick<Foundation, 'db' | 'clock'> & Parameters<typeof readRecords>[0];

/** @returns null for none. One that is refused before it is sent, or waits, only if there is no other. */
export async function findNewest(
  deps: NewestDeps,
  { actor, destination, config }: { actor: Actor; destination: Destination; config: Config },
): Promise<ReadRecord | null> {
  const appId = destination.row.app_id;
  if (!canSee(actor, { sandbox: destination.row.sandbox_only })) return null;
  let refused: ReadRecord | null = null;
  for (const list of [listEvents, listInstalls, listOpens])
    for (const refs of chunks((await list(deps.db, destination)).slice(0, MAX_READ), READ_AT_ONCE))
      for (const read of await readRecords(deps, appId, refs)) {
        if (read === null) continue;
        const judged = judge(destination, config, { ref: read.ref, read, nowMs: deps.clock.nowMs() });
        if (!('fate' in judged)) return read;
        if (judged.fate !== 'left_out') refused ??= read;
      }
  return refused;
}

/** Newest first. They come more often than others. No index has their names. */
async function listEvents(db: Db, destination: Destination): Promise<RecordRef[]> {
  const { row, isSandboxOnly: isSandbox } = destination;
  if (!takesKind(destination, 'event')) return [];
  const rows = await db
    .selectFrom('events')
    .select(['id', 'event_name as name'])
    .where('app_id', '=', row.app_id)
    .where('sandbox', '=', row.sandbox_only)
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute();
  return rows
    .filter(({ name }) => takes(destination, { kind: 'event', name, isSandbox }))
    .map(({ id }) => ({ kind: 'event', id }));
}

/** Without those of people who had the app before, which no destination gets. */
async function listInstalls(db: Db, destination: Destination): Promise<RecordRef[]> {
  const { row } = destination;
  if (!takesKind(destination, 'install')) return [];
  const rows = await db
    .selectFrom('installs')
    .select(['id', 'existing_user'])
    .where('app_id', '=', row.app_id)
    .where('sandbox', '=', row.sandbox_only)
    .orderBy('installed_at', 'desc')
    .limit(MAX_READ)
    .execute();
  return rows.filter((each) => each.existing_user !== 1).map(({ id }) => ({ kind: 'install', id }));
}

/** Those by a link. */
async function listOpens(db: Db, destination: Destination): Promise<RecordRef[]> {
  const { row } = destination;
  if (!takesKind(destination, 'open')) return [];
  const rows = await db
    .selectFrom('opens')
    .select(['id', 'link_id', 'install_id'])
    .where('app_id', '=', row.app_id)
    .where('sandbox', '=', row.sandbox_only)
    .orderBy('opened_at', 'desc')
    .limit(MAX_LISTED)
    .execute();
  return rows
    .filter((each) => each.link_id !== null && each.install_id !== null)
    .map(({ id }) => ({ kind: 'open', id }));
}

function takesKind({ events }: Destination, kind: RecordRef['kind']): boolean {
  return events.length === 0 || events.includes(kind);
}
