import type { Compilable } from 'kysely';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { Flag } from '../platform/db/index.ts';
import { insertAuditEntry } from './queries.ts';

/** Changes that need the admin token: few, and kept for good. */
type AdminAction = 'app.created' | 'app.updated' | 'key.created' | 'key.revoked';

/** Changes that a secret key can make: as many as its rate limits allow, and dropped by age. */
export const KEY_ACTIONS = [
  'conversion_values.updated',
  'installs.deleted',
  'link.created',
  'link.updated',
  'link.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
] as const;

/** For this long, a team that makes a million links has 0.6 GB of entries on them. */
export const CHANGES_KEPT_DAYS = 365;

/** A key of the app; the holder of the admin token, by the API or the command line; or the first start. */
export type ChangedBy = { readonly keyId: string } | 'admin' | 'first_start';

/** A change of what an app is configured with. It names fields and holds none of their values. */
export interface Change {
  readonly appId: string;
  readonly action: AdminAction | (typeof KEY_ACTIONS)[number];
  readonly by: ChangedBy;
  readonly recordId: string;
  /** Whether test keys see the entry. */
  readonly sandbox: Flag;
  /** What helps to recognise the record. Public: no secret and nothing personal. */
  readonly about?: { readonly shortCode: string } | { readonly kind: string };
  /** Names of the fields that were given a value; left out for a deletion. */
  readonly fields?: readonly string[];
}

/** The statement that records a change, to be committed with it. */
export function changeRecord(
  ctx: Ctx,
  { appId, action, by, recordId, sandbox, about, fields }: Change,
): Compilable {
  return insertAuditEntry(ctx.db, {
    app_id: appId,
    id: ctx.ids.next(),
    action,
    details: JSON.stringify({ recordId, ...about, fields, ...changerFields(by) }),
    sandbox,
    created_at: isoTime(ctx.clock.nowMs()),
  });
}

/** The part of an entry's details that tells the author of the change. */
export function changerFields(by: ChangedBy): { readonly changedBy: string; readonly keyId?: string } {
  return typeof by === 'string' ? { changedBy: by } : { changedBy: 'key', keyId: by.keyId };
}

/** Records a change in the caller's transaction. */
export async function recordChange(ctx: Ctx, change: Change): Promise<void> {
  await ctx.db.executeQuery(changeRecord(ctx, change).compile());
}

/**
 * The names of the known fields that an input gives a value. Unknown fields of a request are ignored, not recorded.
 * @param schema of the input.
 */
export function namedFields(
  schema: { readonly properties: object },
  input: object,
  isGiven: (value: unknown) => boolean = (value) => value !== undefined,
): string[] {
  return Object.entries(input).flatMap(([name, value]) =>
    Object.hasOwn(schema.properties, name) && isGiven(value) ? [name] : [],
  );
}
