import { dirname } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { openStore, type Store } from '../../src/db/index.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Service } from './service.ts';

/** Opens the database of a service for writing. */
export async function openStoreOf({ database }: Pick<Service, 'database'>): Promise<Store> {
  const databaseUrl = database.startsWith('postgres') ? database : null;
  const fail = (cause: unknown) => {
    throw cause;
  };
  return await openStore({ databaseUrl, dataDir: dirname(database) }, migrations, createLog('silent'), fail);
}
