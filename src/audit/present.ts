import type { Static } from 'typebox';
import type { Db } from '../db/index.ts';
import { resourceTypeOf } from './actions.ts';
import { type Names, readNames } from './names.ts';
import type { AuditEntry } from './queries.ts';
import type { AuditLogEntry } from './schemas.ts';

type Entry = Static<typeof AuditLogEntry>;
type Details = Readonly<Record<string, unknown>>;
type Row = Pick<AuditEntry, 'id' | 'action' | 'details' | 'created_at'>;

/** Entries with the names that people know, as they are now. @param appId null for the log of the service */
export async function presentEntries(db: Db, appId: string | null, rows: readonly Row[]): Promise<Entry[]> {
  const entries = rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Details }));
  const names = await readNames(db, appId, entries);
  return entries.map(({ id, action, details, created_at: createdAt }) => ({
    id,
    action: action as Entry['action'],
    createdAt,
    actor: actorOf(details, names),
    resource: resourceOf(action, details, names),
    details: details as Entry['details'],
  }));
}

function actorOf(details: Details, { users, keys }: Names): Entry['actor'] {
  const { changedBy, keyId, userId, userEmail } = details as Record<string, string | undefined>;
  if (userId !== undefined) {
    const user = users.get(userId);
    return { type: 'user', id: userId, name: user?.name ?? null, email: user?.email ?? userEmail ?? null };
  }
  if (keyId !== undefined) return { type: 'key', id: keyId, name: keys.get(keyId) ?? null, email: null };
  const type = (changedBy ?? 'service') as Entry['actor']['type'];
  return { type, id: null, name: null, email: null };
}

function resourceOf(action: string, details: Details, names: Names): Entry['resource'] {
  const type = resourceTypeOf(action);
  const text = (field: string) => (typeof details[field] === 'string' ? details[field] : null);
  const id = text('recordId') ?? text('webhookId');
  switch (type) {
    case 'link': {
      const code = text('shortCode');
      return { type, id, name: code, exists: code !== null && names.links.has(code) };
    }
    case 'key':
      return {
        type,
        id,
        name: text('name') ?? names.keys.get(id ?? '') ?? null,
        exists: names.keys.has(id ?? ''),
      };
    case 'webhook': {
      const url = names.webhooks.get(id ?? '');
      // The whole address may be a secret.
      return {
        type,
        id,
        name: url === undefined ? text('address') : new URL(url).host,
        exists: url !== undefined,
      };
    }
    case 'destination': {
      const name = names.destinations.get(id ?? '');
      return { type, id, name: name ?? text('name'), exists: name !== undefined };
    }
    case 'user': {
      const user = names.users.get(id ?? '');
      return { type, id, name: user?.email ?? text('email'), exists: user !== undefined };
    }
    case 'app':
      return { type, id, name: names.apps.get(id ?? '') ?? text('name'), exists: names.apps.has(id ?? '') };
    default:
      return { type, id, name: text('email') ?? text('records') ?? text('source'), exists: false };
  }
}
