import type { Flag, Transaction } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import type { Action } from './actions.ts';
import { insertAuditEntries, replaceAuditDetails } from './queries.ts';

/** At a million created links a year the entries take 1 GB. */
export const CHANGES_KEPT_DAYS = 365;

/** The user of a session. */
export interface ActingUser {
  readonly id: string;
  /** At the time of the change. */
  readonly email: string;
}

/** The admin token, by the API or by the command line. */
export type AdminToken = 'admin' | 'command_line';

/** A key of the app, a user, the admin token, or the first start. */
export type ChangedBy =
  | { readonly keyId: string }
  | { readonly user: ActingUser }
  | AdminToken
  | 'first_start';

/** A value before and after a change; empty for values that the log does not keep. */
export type ValueChange = { readonly from: unknown; readonly to: unknown } | Readonly<Record<string, never>>;

/** A change of an app's configuration, or an act on its data. */
export interface Change {
  readonly appId: string;
  readonly action: Action;
  readonly by: ChangedBy;
  /** Of what changed; undefined for what has no id. */
  readonly recordId?: string;
  /** Whether test keys see the entry. */
  readonly sandbox: Flag;
  /** Identifies the record to people, also after its deletion. No secret. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Of what was created: the names of the given fields. */
  readonly fields?: readonly string[];
  /** Of what was updated: the fields that have another value than before, by name. No secret. */
  readonly changes?: Readonly<Record<string, ValueChange>>;
}

/** The author of a change, as part of an entry's details. */
export function changerFields(by: ChangedBy): Readonly<Record<string, string>> {
  if (typeof by === 'string') return { changedBy: by };
  if ('keyId' in by) return { changedBy: 'key', keyId: by.keyId };
  return { changedBy: 'user', userId: by.user.id, userEmail: by.user.email };
}

/**
 * Records a change in the caller's transaction, but none that left all values as they were.
 * @returns the id of the entry, or null without one.
 */
export async function recordChange(
  tx: Transaction,
  deps: Pick<Foundation, 'clock' | 'ids'>,
  change: Change,
): Promise<string | null> {
  const [id] = await recordChanges(tx, deps, [change]);
  return id ?? null;
}

/** As `recordChange`, several by one statement. @returns the ids of the entries. */
export async function recordChanges(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  changes: readonly Change[],
): Promise<string[]> {
  const created_at = isoTime(clock.nowMs());
  const entries = changes.filter(isChange).map((change) => ({
    ...{ app_id: change.appId, id: ids.next(), action: change.action },
    ...{ details: detailsOf(change), sandbox: change.sandbox, created_at },
  }));
  await insertAuditEntries(tx, entries);
  return entries.map(({ id }) => id);
}

function isChange({ changes }: Change): boolean {
  return changes === undefined || Object.keys(changes).length > 0;
}

/** Replaces what an entry says of a change that takes several transactions, in the caller's transaction. */
export async function continueChange(tx: Transaction, entryId: string, change: Change): Promise<void> {
  await replaceAuditDetails(tx, { appId: change.appId, entryId, details: detailsOf(change) });
}

function detailsOf({ by, recordId, about, fields, changes }: Change): string {
  return JSON.stringify({ recordId, ...about, fields, changes, ...changerFields(by) });
}

/** The names of the given fields in `input`, without fields that `schema` does not define. */
export function namedFields(
  schema: { readonly properties: object },
  input: object,
  isGiven: (value: unknown) => boolean = (value) => value !== undefined,
): string[] {
  return Object.entries(input).flatMap(([name, value]) =>
    Object.hasOwn(schema.properties, name) && isGiven(value) ? [name] : [],
  );
}
