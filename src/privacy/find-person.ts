import type { Db } from '../db/index.ts';
import { listEventsOf } from '../events/index.ts';
import { type InstallRow, installsOfPerson, listInstalls, listInstallsOf } from '../installs/index.ts';
import type { Heartbeat } from '../lib/loop.ts';
import type { Secrets } from '../lib/secrets.ts';
import { listOpensOf, opensOfPerson } from '../opens/index.ts';
import { type Person, pageChunks, pages } from '../personal-data.ts';
import type { AnyPersonalData } from './manifest.ts';
import {
  type Assigned,
  installsOfKnownUsers,
  installsOfOtherUsers,
  withoutOtherUsers,
} from './other-users.ts';

/** A request's data subject: at least one of user and address is given. */
interface DataSubject {
  readonly appId: string;
  /** Covers sandbox records only. */
  readonly sandboxOnly: boolean;
  readonly userId: string | null;
  /** Of the given address, by each root secret that was ever in use; empty without one. */
  readonly ipHashes: readonly string[];
}

/** A person, and which of the installs are known to be the person's; by address alone, those of known users. */
export interface Found extends Person {
  readonly known: readonly string[];
}

/**
 * Finds the identifiers of a person's records: the user's installs, their addresses, and other installs at these addresses
 * that belong to no other known user. The rules are in `docs/adr/0007-erasure.md`.
 * @param goOn called after each page, since an address may have many installs.
 */
export async function findPerson(
  db: Db,
  subject: DataSubject,
  goOn: Heartbeat = async () => undefined,
): Promise<Found> {
  const { userId, ipHashes, ...scope } = subject;
  const isCovered = (row: { sandbox: number }) => !scope.sandboxOnly || row.sandbox === 1;

  const found = userId === null ? [] : await findByUser(db, subject, { userId, goOn });
  const ofUser = found.filter(isCovered);
  const own = new Set(
    ofUser.filter(({ user_id }) => user_id === null || user_id === userId).map(({ id }) => id),
  );
  const addresses = new Set(ofUser.flatMap(({ ip_hash }) => ip_hash ?? []));
  for (const ipHash of ipHashes) addresses.add(ipHash);

  const known = new Set(own);
  const assigned: Assigned = { ...subject, installIds: own };
  const neighbours = new Set<string>();
  for (const address of addresses)
    for await (const rows of installsAt(db, scope.appId, address)) {
      const installs = rows.filter(isCovered);
      const others = await installsOfOtherUsers(db, assigned, installs);
      if (userId === null)
        for (const id of await installsOfKnownUsers(db, scope.appId, installs)) known.add(id);
      for (const { id } of installs.filter((install) => !others.has(install.id)))
        if (ipHashes.includes(address)) own.add(id);
        else neighbours.add(id);
      await goOn();
    }
  for (const id of own) neighbours.delete(id);

  const person = {
    ...scope,
    userId,
    addresses: [...addresses],
    installs: [...own],
    neighbours: [...neighbours],
    knownOnly: false,
    known: [...known],
  };
  return { ...person, clicks: await claimedClicks(db, person, goOn) };
}

/** The hashes of a given address by each root secret that was ever in use; empty without one. */
export function addressHashes(
  { secrets }: { secrets: Secrets },
  appId: string,
  address: string | null,
): string[] {
  const hash = address === null ? null : secrets.hashAddress(appId, address);
  return address === null || hash === null ? [] : [hash, ...secrets.otherAddressHashes(appId, address, 0)];
}

/** The person without installs of unknown users, and without the clicks that these claimed. */
export async function withoutNeighbours(db: Db, person: Person): Promise<Person> {
  if (person.neighbours.length === 0) return person;
  const certain = { ...person, neighbours: [] };
  return { ...certain, clicks: await claimedClicks(db, certain, async () => undefined) };
}

/**
 * The person without the records that nobody is known to have made. At an address that was given alone, and where no
 * user is known, all records are the person's.
 */
export function withoutShared(found: Found): Found {
  if (!hasShared(found)) return found;
  return { ...found, installs: found.known, neighbours: [], knownOnly: true };
}

/** Whether records that nobody is known to have made may be another person's. */
export function hasShared({ userId, known }: Found): boolean {
  return userId !== null || known.length > 0;
}

/** The clicks that a person's installs and opens claimed. */
async function claimedClicks(
  db: Db,
  withoutClicks: Omit<Person, 'clicks'>,
  goOn: Heartbeat,
): Promise<string[]> {
  const person: Person = { ...withoutClicks, clicks: [] };
  const clicks = new Set<string>();
  for (const data of [installsOfPerson, opensOfPerson] as readonly AnyPersonalData[])
    for await (const found of data.find(db, person)) {
      const rows: { click_id: string | null }[] = await withoutOtherUsers(db, person, data, found);
      for (const { click_id } of rows) if (click_id !== null) clicks.add(click_id);
      await goOn();
    }
  return [...clicks];
}

/** Few columns, since a user may have a hundred thousand installs. */
type FoundInstall = Pick<InstallRow, 'id' | 'sandbox' | 'user_id' | 'ip_hash'>;

/** The installs linked to a user, and those with events or opens of the user. */
async function findByUser(
  db: Db,
  { appId }: DataSubject,
  { userId, goOn }: { userId: string; goOn: Heartbeat },
): Promise<FoundInstall[]> {
  const ids = new Set<string>();
  for (const list of [listOpensOf, listEventsOf, listInstallsOf])
    for await (const rows of pages<{ id: string; install_id?: string | null }>((after, limit) =>
      list(db, appId, { column: 'user_id', value: userId, after: after?.id ?? null, limit }),
    )) {
      for (const { id, install_id = id } of rows) if (install_id !== null) ids.add(install_id);
      await goOn();
    }

  const installs: FoundInstall[] = [];
  for (const some of pageChunks([...ids])) {
    installs.push(...(await listInstalls(db, appId, some, ['id', 'sandbox', 'user_id', 'ip_hash'])));
    await goOn();
  }
  return installs;
}

function installsAt(db: Db, appId: string, address: string): AsyncGenerator<InstallRow[]> {
  return pages<InstallRow>((after, limit) =>
    listInstallsOf(db, appId, { column: 'ip_hash', value: address, after: after?.id ?? null, limit }),
  );
}
