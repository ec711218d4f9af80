/**
 * Separates the records of users who share an address or a device: records known to belong to another user are neither
 * erased nor exported. A request with only an address covers all its records.
 */

import type { Db } from '../db/index.ts';
import { listInstallsOfOthers } from '../events/index.ts';
import { listInstalls } from '../installs/index.ts';
import { listInstallsOpenedByOthers, listOpenOwners } from '../opens/index.ts';
import type { Owner, Person } from '../personal-data.ts';
import type { AnyPersonalData } from './manifest.ts';

/** The requested user and the installs already assigned to that user. */
export interface Assigned {
  readonly appId: string;
  readonly userId: string | null;
  readonly installIds: ReadonlySet<string>;
}

/** The ids of installs of another user: linked to it, or unlinked with events or opens of other users only. */
export async function installsOfOtherUsers(
  db: Db,
  { appId, userId, installIds }: Assigned,
  installs: readonly { id: string; user_id: string | null }[],
): Promise<ReadonlySet<string>> {
  if (userId === null) return new Set();
  const unassigned = installs.filter(({ id }) => !installIds.has(id));
  const linked = unassigned.filter(({ user_id }) => user_id !== null && user_id !== userId);
  const unlinked = unassigned.filter(({ user_id }) => user_id === null).map(({ id }) => id);
  const withEvents = await listInstallsOfOthers(db, appId, unlinked, userId);
  const withOpens = await listInstallsOpenedByOthers(db, appId, unlinked, userId);
  return new Set([...linked.map(({ id }) => id), ...withEvents, ...withOpens]);
}

/** No user has an empty ID. */
const NOBODY = '';

/** The ids of installs that are linked to a user, or have events or opens of one. */
export async function installsOfKnownUsers(
  db: Db,
  appId: string,
  installs: readonly { id: string; user_id: string | null }[],
): Promise<ReadonlySet<string>> {
  return await installsOfOtherUsers(db, { appId, userId: NOBODY, installIds: new Set() }, installs);
}

/**
 * Removes records that the request does not cover: live records of a sandbox request, records of other users, and those of
 * nobody known if the request leaves them out.
 */
export async function withoutOtherUsers<Row extends { id: string; sandbox: number }>(
  db: Db,
  person: Person,
  data: AnyPersonalData,
  rows: readonly Row[],
): Promise<Row[]> {
  const covered = rows.filter((row) => !person.sandboxOnly || row.sandbox === 1);
  const isOtherUsers =
    person.userId === null ? () => false : await otherUserTest(db, person, covered.map(data.ownerOf));
  const ofPerson = covered.filter((row) => !isOtherUsers(data.ownerOf(row)));
  if (!person.knownOnly) return ofPerson;
  const shared = await ofNobodyKnown(db, { appId: person.appId, known: person.installs }, data, ofPerson);
  return ofPerson.filter(({ id }) => !shared.has(id));
}

/**
 * The ids of records that nobody is known to have made, among records without those of other users.
 * @param known installs that are known to be the person's.
 */
export async function ofNobodyKnown<Row extends { id: string; sandbox: number }>(
  db: Db,
  { appId, known }: { appId: string; known: readonly string[] },
  data: AnyPersonalData,
  rows: readonly Row[],
): Promise<ReadonlySet<string>> {
  const knownIds = new Set(known);
  const { opens, installIds } = await ownersOf(db, appId, rows.map(data.ownerOf));
  const unsure = [...installIds].filter((id) => !knownIds.has(id));
  const identified = await installsOfKnownUsers(
    db,
    appId,
    await listInstalls(db, appId, unsure, ['id', 'user_id']),
  );
  const isKnownInstall = (id: string | null) => id !== null && (knownIds.has(id) || identified.has(id));
  const isKnown = ({ userId, installIds: ids, openIds }: Owner) =>
    userId !== null ||
    ids.some(isKnownInstall) ||
    openIds.some((id) => {
      const open = opens.get(id ?? '');
      return open !== undefined && (open.user_id !== null || isKnownInstall(open.install_id));
    });
  return new Set(rows.filter((row) => !isKnown(data.ownerOf(row))).map(({ id }) => id));
}

/** The opens that owners name, and the installs that these or the owners name. */
async function ownersOf(db: Db, appId: string, owners: readonly Owner[]) {
  const openIds = owners.flatMap((owner) => owner.openIds.flatMap((id) => id ?? []));
  const opens = new Map((await listOpenOwners(db, appId, openIds)).map((open) => [open.id, open]));
  const installIds = new Set([
    ...owners.flatMap((owner) => owner.installIds.flatMap((id) => id ?? [])),
    ...[...opens.values()].flatMap(({ install_id }) => install_id ?? []),
  ]);
  return { opens, installIds };
}

async function otherUserTest(
  db: Db,
  { appId, userId, installs, neighbours }: Person,
  owners: readonly Owner[],
): Promise<(owner: Owner) => boolean> {
  const assigned = new Set([...installs, ...neighbours]);
  const { opens, installIds } = await ownersOf(db, appId, owners);
  const unassigned = [...installIds].filter((id) => !assigned.has(id));
  const rows = await listInstalls(db, appId, unassigned, ['id', 'user_id']);
  const others = await installsOfOtherUsers(db, { appId, userId, installIds: assigned }, rows);

  const isOtherUser = (user: string | null) => user !== null && user !== userId;
  return (owner) => {
    if (owner.userId !== null) return isOtherUser(owner.userId);
    if (owner.installIds.some((id) => id !== null && assigned.has(id))) return false;
    return (
      owner.installIds.some((id) => id !== null && others.has(id)) ||
      owner.openIds.some((id) => {
        const open = opens.get(id ?? '');
        if (open === undefined) return false;
        return open.user_id === null ? others.has(open.install_id ?? '') : isOtherUser(open.user_id);
      })
    );
  };
}
