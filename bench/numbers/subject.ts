/** A service that is filled with days of traffic before it starts. */
import { randomUUID } from 'node:crypto';
import { insertMany } from '../../src/db/index.ts';
import { type Service, startService } from '../lib/service.ts';
import { openStoreOf } from '../lib/store.ts';
import { fillDays, type Size } from './fill-days.ts';

export const MANY: Size = { clicks: 10_000_000, installs: 1_000_000, events: 5_000_000 };
export const FEW: Size = { clicks: 100_000, installs: 10_000, events: 50_000 };
/** By their names in reports. */
export const ENGINES: Readonly<Record<string, string>> = { SQLite: 'sqlite', PostgreSQL: 'postgres' };
export const LINKS = 1_000;
const ADMIN_TOKEN = randomUUID();

export interface Subject {
  readonly service: Service;
  readonly appId: string;
  /** A key for each phase: a key may make 600 requests a minute. */
  newKey(): Promise<string>;
  /** A one-time address at which an operator is made. */
  setupAddress(): Promise<string>;
}

export function scaled({ clicks, installs, events }: Size, share: number): Size {
  return { clicks: clicks * share, installs: installs * share, events: events * share };
}

export async function startSubject(databaseUrl: string | null, size: Size): Promise<Subject> {
  const service = await startService(databaseUrl, { ADMIN_TOKEN }, (database) => fill(database, size));
  const admin = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${service.port}/v1/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as T;
  };
  const [app] = await admin<{ id: string }[]>('GET', '/apps');
  const appId = app?.id ?? '';
  return {
    ...{ service, appId },
    newKey: async () => (await admin<{ key: string }>('POST', `/apps/${appId}/keys`, { kind: 'live' })).key,
    setupAddress: async () => (await admin<{ url: string }>('POST', '/users/setup', {})).url,
  };
}

async function fill(database: string, size: Size): Promise<void> {
  const store = await openStoreOf({ database });
  try {
    const [example] = await store.db.selectFrom('links').selectAll().limit(1).execute();
    if (example === undefined) throw new Error('the service has no link');
    const links = Array.from({ length: LINKS }, (_, link) => ({
      ...example,
      id: randomUUID(),
      short_code: `numbers-${link}`,
      campaign_id: `campaign ${link % 20}`,
    }));
    await insertMany(store.db, 'links', links);
    await fillDays(store, links, size);
  } finally {
    await store.close();
  }
}
