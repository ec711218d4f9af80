/** What an erasure would erase, found in the same way and as the erasure would count it. */
import { recordChange } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import type { ClickLog } from '../click-log/index.ts';
import { type Db, isAmong, toFlag } from '../db/index.ts';
import { type Clock, monotonicMs, SECOND_MS } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Heartbeat } from '../lib/loop.ts';
import type { Secrets } from '../lib/secrets.ts';
import { mergePages, type PersonalTable } from '../personal-data.ts';
import { countWaitingOfPerson } from '../revenuecat/index.ts';
import { countMessages } from '../webhooks/index.ts';
import { isUnerased } from './erase-records.ts';
import { addressHashes, type Found, findPerson, hasShared, withoutShared } from './find-person.ts';
import { type AnyPersonalData, ERASED } from './manifest.ts';
import { ofNobodyKnown, withoutOtherUsers } from './other-users.ts';
import { type Counts, type EraseInput, identifiersOf, NO_COUNTS, namesOf } from './schemas.ts';

interface CountDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly clickLog: Pick<ClickLog, 'applied'>;
}

export interface Counted {
  /** What would be erased. */
  readonly counts: Counts;
  /** What nobody is known to have made. */
  readonly shared: Counts;
  /** Whether all was counted in time. */
  readonly isComplete: boolean;
}

/** A person with 100,000 events takes 2 to 6 s on a busy machine of two cores; callers and proxies wait longer. */
const COUNT_MS = 20 * SECOND_MS;

/**
 * Counts what an erasure with this input would erase, including clicks that this process has accepted. Changes nothing
 * but the audit log.
 * @throws AppError `clicks.behind`
 */
export async function countPerson(
  { db, clock, ids, secrets, clickLog }: CountDeps,
  { actor, input }: { actor: Actor; input: EraseInput },
  maxMs = COUNT_MS,
): Promise<Counted> {
  const { ipAddress, userId } = identifiersOf(input);
  const sandboxOnly = actor.mode === 'test';
  const about = { identifiers: namesOf({ ipAddress, userId }), requesterEmail: input.requesterEmail ?? null };
  const change = { appId: actor.appId, by: authorOf(actor), sandbox: toFlag(sandboxOnly), about };
  await db
    .transaction()
    .execute((tx) => recordChange(tx, { clock, ids }, { ...change, action: 'privacy.erasure_counted' }));
  await clickLog.applied(actor.appId);
  const ipHashes = addressHashes({ secrets }, actor.appId, ipAddress);
  const tally = { known: { ...NO_COUNTS }, shared: { ...NO_COUNTS } };
  const isComplete = await untilLate(maxMs, async (goOn) => {
    const person = await findPerson(db, { appId: actor.appId, sandboxOnly, userId, ipHashes }, goOn);
    const ofKnown = await countWaitingOfPerson({ db, secrets }, withoutShared(person));
    tally.known.waitingPurchases = ofKnown;
    tally.shared.waitingPurchases = (await countWaitingOfPerson({ db, secrets }, person)) - ofKnown;
    for (const data of ERASED) await countRecords(db, { person, data, tally, goOn });
  });
  const { known, shared } = tally;
  return { counts: input.spareShared === true ? known : sumOf(known, shared), shared, isComplete };
}

class TooLate extends Error {}

/** @returns whether the work ended in time. */
async function untilLate(maxMs: number, work: (goOn: Heartbeat) => Promise<void>): Promise<boolean> {
  const untilMs = monotonicMs() + maxMs;
  try {
    await work(async () => {
      if (monotonicMs() > untilMs) throw new TooLate();
    });
    return true;
  } catch (error) {
    if (error instanceof TooLate) return false;
    throw error;
  }
}

interface Tally {
  readonly known: Counts;
  readonly shared: Counts;
}

async function countRecords(
  db: Db,
  { person, data, tally, goOn }: { person: Found; data: AnyPersonalData; tally: Tally; goOn: Heartbeat },
): Promise<void> {
  // A record may be found twice.
  const seen = new Set<string>();
  for await (const page of mergePages(data.find(db, person), goOn)) {
    const found = new Map(page.filter(({ id }) => !seen.has(id)).map((row) => [row.id as string, row]));
    for (const id of found.keys()) seen.add(id);
    const rows = await withoutOtherUsers(db, person, data, [...found.values()]);
    const shared = hasShared(person)
      ? await ofNobodyKnown(db, person, data, rows)
      : (new Set() as ReadonlySet<string>);
    const ids = rows.map(({ id }: { id: string }) => id);
    const kind = data.exportedAs as keyof Counts;
    const tallyOf = (id: string) => (shared.has(id) ? tally.shared : tally.known);
    for (const id of await unerased(db, person.appId, { data, ids })) tallyOf(id)[kind] += 1;
    for (const [id, messages] of await countMessages(db, person.appId, ids))
      tallyOf(id).webhookMessages += messages;
  }
}

async function unerased(
  db: Db,
  appId: string,
  { data, ids }: { data: AnyPersonalData; ids: readonly string[] },
): Promise<string[]> {
  const rows = await db
    .selectFrom<PersonalTable>(data.table)
    .select('id')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .where(isUnerased(data))
    .execute();
  return rows.map(({ id }) => id);
}

function sumOf(a: Counts, b: Counts): Counts {
  const kinds = Object.keys(NO_COUNTS) as (keyof Counts)[];
  return Object.fromEntries(kinds.map((kind) => [kind, a[kind] + b[kind]])) as Counts;
}
