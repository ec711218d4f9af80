/** Purchases of customers who are not identified yet: they wait until one of their IDs is a user's or an install's. */
import { type Db, type Transaction, toFlag } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import type { Notification, Purchase, StoreTransaction } from './notification.ts';
import {
  countWaitingOf,
  deleteWaiting,
  dropWaiting,
  insertWaiting,
  listExcess,
  listWaitingOf,
  type WaitingRow,
} from './queries.ts';

export const WAITING_KEPT_DAYS = 30;
/** Of an app: some 20 MB. When there are more, the oldest make room: customers of the newest are the likeliest to be identified. */
export const MAX_WAITING = 10_000;
/** Testers rarely sign in. */
export const MAX_WAITING_SANDBOX = 1_000;
/** Of a customer, live and sandbox each: more than a subscription sends in 30 days. */
export const MAX_WAITING_OF_CUSTOMER = 100;

/** What is stored encrypted. */
export interface WaitingContent {
  readonly customerIds: readonly string[];
  readonly purchase: Purchase;
  readonly transaction: StoreTransaction;
}

/** The encrypted column, for a change of the root secret. */
export const WAITING_CONTENTS = {
  table: 'revenuecat_waiting',
  column: 'content',
  app: 'app_id',
  ownerOf,
} as const;

type Secrets = Pick<Foundation, 'secrets'>;

/** Keeps an event of a customer who is not identified, in place of the oldest if too many wait. */
export async function keepWaiting(
  { db, store, clock, secrets }: Pick<Foundation, 'db' | 'store' | 'clock' | 'secrets'>,
  appId: string,
  {
    id,
    notification: { kind, isSandbox, customerIds, transaction },
    purchase,
  }: { id: string; notification: Notification; purchase: Purchase },
): Promise<void> {
  const content: WaitingContent = { customerIds, purchase, transaction };
  const sandbox = toFlag(isSandbox);
  const row: WaitingRow = {
    ...{ app_id: appId, id, kind, sandbox, received_at: isoTime(clock.nowMs()) },
    content: secrets.encrypt(JSON.stringify(content), ownerOf({ app_id: appId, id })),
  };
  const marks = marksOf({ secrets }, appId, customerIds);
  const failed = await store.commit(await insertWaiting(db, row, marks), appId);
  // It waits already.
  if (failed !== null) return;
  const max = isSandbox ? MAX_WAITING_SANDBOX : MAX_WAITING;
  const room = { id, sandbox, marks, max, maxOfCustomer: MAX_WAITING_OF_CUSTOMER };
  await dropWaiting(db, appId, await listExcess(db, appId, room));
}

/** Null if it was stored under another root secret. */
export function contentOf({ secrets }: Secrets, row: WaitingRow): WaitingContent | null {
  const text = secrets.decrypt(row.content, ownerOf(row));
  return text === null ? null : (JSON.parse(text) as WaitingContent);
}

export function marksOf({ secrets }: Secrets, appId: string, customerIds: readonly string[]): string[] {
  // IDs of installs are the same in any case, those of users are not.
  const spellings = customerIds.flatMap((id) => (isUuid(id) ? [id, id.toLowerCase()] : [id]));
  return [...new Set(spellings)].map((id) => secrets.markId(appId, `customer ${id}`));
}

/** The events of a person that wait, for an export. */
export async function* waitingOfPerson(
  { db, secrets }: Pick<Foundation, 'db' | 'secrets'>,
  person: WaitingPerson,
): AsyncGenerator<Record<string, unknown>> {
  const markedBy = markedByPerson({ secrets }, person);
  for (const row of await listWaitingOf(db, person.appId, { ...markedBy, limit: MAX_WAITING }))
    yield {
      id: row.id,
      receivedAt: row.received_at,
      sandbox: row.sandbox === 1,
      ...contentOf({ secrets }, row),
    };
}

/** Of an erasure or an export. */
interface WaitingPerson {
  readonly appId: string;
  readonly sandboxOnly: boolean;
  readonly userId: string | null;
  readonly installs: readonly string[];
}

function markedByPerson({ secrets }: Secrets, { appId, sandboxOnly, userId, installs }: WaitingPerson) {
  const marks = marksOf({ secrets }, appId, userId === null ? installs : [userId, ...installs]);
  return { marks, sandboxOnly };
}

/** How many events of a person wait. */
export async function countWaitingOfPerson(
  { db, secrets }: { db: Db } & Secrets,
  person: WaitingPerson,
): Promise<number> {
  return await countWaitingOf(db, person.appId, markedByPerson({ secrets }, person));
}

/** Deletes the events of a person that wait. @param onErased called in each transaction. */
export async function eraseWaiting(
  { db, secrets }: { db: Db } & Secrets,
  person: WaitingPerson,
  onErased: (tx: Transaction, count: number) => Promise<void>,
): Promise<void> {
  const { appId } = person;
  const markedBy = markedByPerson({ secrets }, person);
  for (;;) {
    const rows = await listWaitingOf(db, appId, { ...markedBy, limit: ROWS_PER_STEP });
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await db.transaction().execute(async (tx) => {
      const deleted = await deleteWaiting(tx, appId, ids);
      await onErased(tx, deleted.length);
    });
  }
}

const ROWS_PER_STEP = 500;

function ownerOf({ app_id, id }: Pick<WaitingRow, 'app_id' | 'id'>): string {
  return `revenuecat ${app_id} ${id}`;
}
