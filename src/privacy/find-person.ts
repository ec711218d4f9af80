import {
  type InstallRow,
  installsOfPerson,
  listInstallRows,
  listInstallsOf,
  listOpensOf,
  opensOfPerson,
} from '../attribution/index.ts';
import { listEventsOf } from '../events/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { GoOn } from '../platform/loop.ts';
import { type Person, pages, recordsAtOnce } from '../platform/personal-data.ts';
import type { AnyPersonalData } from './manifest.ts';
import { type DataSubject, strangersAmong, withoutStrangers } from './strangers.ts';

/** Whom a request is about: at least one of the two is given. */
export interface Identifiers {
  readonly appId: string;
  /** Only sandbox records are reached. */
  readonly sandboxOnly: boolean;
  readonly userId: string | null;
  readonly ipHash: string | null;
}

/**
 * Finds the ways to a person's records: the user's installs, their addresses, and the other installs there of which nobody
 * knows that they are somebody else's. `docs/adr/0007-erasure.md` has the rules.
 * @param goOn asked after each page, since there may be a crowd.
 */
export async function findPerson(
  ctx: Ctx,
  identifiers: Identifiers,
  goOn: GoOn = async () => undefined,
): Promise<Person> {
  const { userId, ipHash, ...scope } = identifiers;
  const reached = (row: { sandbox: number }) => !scope.sandboxOnly || row.sandbox === 1;

  const found = userId === null ? [] : await findByUser(ctx, identifiers, { userId, goOn });
  const ofUser = found.filter(reached);
  const own = new Set(
    ofUser.filter(({ user_id }) => user_id === null || user_id === userId).map(({ id }) => id),
  );
  const addresses = new Set(ofUser.flatMap(({ ip_hash }) => ip_hash ?? []));
  if (ipHash !== null) addresses.add(ipHash);

  const subject: DataSubject = { ...identifiers, own };
  const neighbours = new Set<string>();
  for (const address of addresses)
    for await (const rows of installsAt(ctx, scope.appId, address)) {
      const installs = rows.filter(reached);
      const strangers = await strangersAmong(ctx, subject, installs);
      for (const { id } of installs.filter((install) => !strangers.has(install.id)))
        if (address === ipHash) own.add(id);
        else neighbours.add(id);
      await goOn();
    }
  for (const id of own) neighbours.delete(id);

  const ways = {
    ...scope,
    userId,
    addresses: [...addresses],
    installs: [...own],
    neighbours: [...neighbours],
  };
  return { ...ways, clicks: await claimedClicks(ctx, ways, goOn) };
}

/** The same person without the installs of which nobody knows whose they are, and without the clicks these lead to. */
export async function withoutNeighbours(ctx: Ctx, person: Person): Promise<Person> {
  if (person.neighbours.length === 0) return person;
  const certain = { ...person, neighbours: [] };
  return { ...certain, clicks: await claimedClicks(ctx, certain, async () => undefined) };
}

/** The clicks that a person's installs and opens claimed, by whichever way these are found. */
async function claimedClicks(ctx: Ctx, ways: Omit<Person, 'clicks'>, goOn: GoOn): Promise<string[]> {
  const person: Person = { ...ways, clicks: [] };
  const clicks = new Set<string>();
  for (const data of [installsOfPerson, opensOfPerson] as readonly AnyPersonalData[])
    for await (const found of data.find(ctx, person)) {
      const rows: { click_id: string | null }[] = await withoutStrangers(ctx, person, data, found);
      for (const { click_id } of rows) if (click_id !== null) clicks.add(click_id);
      await goOn();
    }
  return [...clicks];
}

/** What of an install leads further: there may be a hundred thousand. */
type FoundInstall = Pick<InstallRow, 'id' | 'sandbox' | 'user_id' | 'ip_hash'>;

/** The installs that identify linked to a user, or on which the user did something. */
async function findByUser(
  ctx: Ctx,
  { appId }: Identifiers,
  { userId, goOn }: { userId: string; goOn: GoOn },
): Promise<FoundInstall[]> {
  const ids = new Set<string>();
  for (const list of [listOpensOf, listEventsOf])
    for await (const rows of pages<{ id: string; install_id: string | null }>((after, limit) =>
      list(ctx.db, appId, { column: 'user_id', value: userId, after: after?.id ?? null, limit }),
    )) {
      for (const { install_id } of rows) if (install_id !== null) ids.add(install_id);
      await goOn();
    }
  for await (const rows of pages<InstallRow>((after, limit) =>
    listInstallsOf(ctx.db, appId, { column: 'user_id', value: userId, after: after?.id ?? null, limit }),
  )) {
    for (const { id } of rows) ids.add(id);
    await goOn();
  }

  const installs: FoundInstall[] = [];
  for (const some of recordsAtOnce([...ids])) {
    const rows = await listInstallRows(ctx.db, appId, some);
    installs.push(...rows.map(({ id, sandbox, user_id, ip_hash }) => ({ id, sandbox, user_id, ip_hash })));
    await goOn();
  }
  return installs;
}

function installsAt(ctx: Ctx, appId: string, address: string): AsyncGenerator<InstallRow[]> {
  return pages<InstallRow>((after, limit) =>
    listInstallsOf(ctx.db, appId, { column: 'ip_hash', value: address, after: after?.id ?? null, limit }),
  );
}
