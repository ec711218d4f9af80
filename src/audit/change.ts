import type { Flag, Transaction } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { insertAuditEntries, type KEY_ACTIONS } from './queries.ts';

/** Changes by owners and operators, and recoveries: rare, and never deleted. */
type AdminAction =
  | 'app.created'
  | 'app.updated'
  | 'key.created'
  | 'key.revoked'
  | 'user.invited'
  | 'invitation.revoked'
  | 'user.joined'
  | 'user.role_changed'
  | 'user.removed'
  | 'webhook.recovered';

/** At a million created links a year the entries take 0.7 GB. */
export const CHANGES_KEPT_DAYS = 365;

/** The user of a session. */
export interface ActingUser {
  readonly id: string;
  /** At the time of the change. */
  readonly email: string;
}

/** A key of the app, a user, the admin token (API or command line), or the first start. */
export type ChangedBy = { readonly keyId: string } | { readonly user: ActingUser } | 'admin' | 'first_start';

/** A value before and after a change; empty for values that the log does not keep. */
export type ValueChange = { readonly from: unknown; readonly to: unknown } | Readonly<Record<string, never>>;

/** An upload of costs: its days, and its rows by what became of them. */
interface CostsChange {
  readonly from: string;
  readonly to: string;
  readonly created: number;
  readonly replaced: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** A change of an app's configuration: names of fields, and of links also values. */
export interface Change {
  readonly appId: string;
  readonly action: AdminAction | (typeof KEY_ACTIONS)[number];
  readonly by: ChangedBy;
  readonly recordId: string;
  /** Whether test keys see the entry. */
  readonly sandbox: Flag;
  /** Identifies the record to people. No secret and no personal data. */
  readonly about?:
    | { readonly shortCode: string }
    | { readonly kind: string }
    | { readonly role: string }
    | { readonly since: string; readonly messages: number }
    | CostsChange
    | { readonly date: string; readonly cost: { readonly amount: string; readonly currency: string } };
  /** Names of the given fields; undefined for a deletion. */
  readonly fields?: readonly string[];
  /** By the name of a field. No secret and no personal data. */
  readonly changes?: Readonly<Record<string, ValueChange>>;
}

/** The author of a change, as part of an entry's details. */
export function changerFields(by: ChangedBy): Readonly<Record<string, string>> {
  if (typeof by === 'string') return { changedBy: by };
  if ('keyId' in by) return { changedBy: 'key', keyId: by.keyId };
  return { changedBy: 'user', userId: by.user.id, userEmail: by.user.email };
}

/** Records a change in the caller's transaction. */
export async function recordChange(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { appId, action, by, recordId, sandbox, about, fields, changes }: Change,
): Promise<void> {
  const details = JSON.stringify({ recordId, ...about, fields, changes, ...changerFields(by) });
  const createdAt = isoTime(clock.nowMs());
  await insertAuditEntries(tx, [
    { app_id: appId, id: ids.next(), action, details, sandbox, created_at: createdAt },
  ]);
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
