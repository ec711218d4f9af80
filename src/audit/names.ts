/** What the entries of a log name, as it is now: entries stay when their user, key or webhook goes. */
import { type Db, isAmong } from '../db/index.ts';
import { resourceTypeOf } from './actions.ts';

/** By id; links by their short code. */
export interface Names {
  readonly users: ReadonlyMap<string, { readonly name: string; readonly email: string }>;
  readonly keys: ReadonlyMap<string, string>;
  readonly webhooks: ReadonlyMap<string, string>;
  readonly destinations: ReadonlyMap<string, string>;
  readonly links: ReadonlySet<string>;
  readonly apps: ReadonlyMap<string, string>;
}

type Details = Readonly<Record<string, unknown>>;

/** @param appId null for the log of the service */
export async function readNames(
  db: Db,
  appId: string | null,
  entries: readonly { readonly action: string; readonly details: Details }[],
): Promise<Names> {
  const idsOf = (field: string, type?: string) => [
    ...new Set(
      entries.flatMap(({ action, details }) => {
        const id = details[field];
        const isOther = type !== undefined && resourceTypeOf(action) !== type;
        return typeof id === 'string' && !isOther ? [id] : [];
      }),
    ),
  ];
  const userIds = [...idsOf('userId'), ...idsOf('recordId', 'user')];
  const keyIds = [...idsOf('keyId'), ...idsOf('recordId', 'key')];
  const webhookIds = [
    ...idsOf('recordId', 'webhook'),
    ...idsOf('recordId', 'destination'),
    ...idsOf('webhookId'),
  ];
  const none = Promise.resolve([]);
  const [users, keys, webhooks, links, apps] = await Promise.all([
    userIds.length === 0 ? none : findUsers(db, userIds),
    appId === null || keyIds.length === 0 ? none : findKeys(db, appId, keyIds),
    appId === null || webhookIds.length === 0 ? none : findWebhooks(db, appId, webhookIds),
    appId === null ? none : findLinks(db, appId, idsOf('shortCode')),
    findApps(db, appId === null ? idsOf('recordId', 'app') : [appId]),
  ]);
  return {
    users: new Map(users.map(({ id, ...user }) => [id, user])),
    keys: new Map(keys.map(({ id, name, hint }) => [id, name ?? hint])),
    webhooks: new Map(webhooks.flatMap(({ id, kind, url }) => (kind === 'webhook' ? [[id, url]] : []))),
    destinations: new Map(
      webhooks.flatMap(({ id, kind, name }) => (kind === 'destination' ? [[id, name ?? '']] : [])),
    ),
    links: new Set(links.map(({ short_code }) => short_code)),
    apps: new Map(apps.map(({ id, name }) => [id, name])),
  };
}

async function findUsers(db: Db, ids: readonly string[]) {
  return await db
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where(isAmong(db, 'id', ids))
    .execute();
}

async function findKeys(db: Db, appId: string, ids: readonly string[]) {
  return await db
    .selectFrom('api_keys')
    .select(['id', 'name', 'hint'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .execute();
}

async function findWebhooks(db: Db, appId: string, ids: readonly string[]) {
  return await db
    .selectFrom('webhooks')
    .select(['id', 'kind', 'url', 'name'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .execute();
}

async function findLinks(db: Db, appId: string, codes: readonly string[]) {
  if (codes.length === 0) return [];
  return await db
    .selectFrom('links')
    .select('short_code')
    .where('app_id', '=', appId)
    .where('short_code', 'in', codes)
    .where('deleted_at', 'is', null)
    .execute();
}

async function findApps(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('apps')
    .select(['id', 'name'])
    .where(isAmong(db, 'id', ids))
    .execute();
}
