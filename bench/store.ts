import { dirname } from 'node:path';
import { migrations } from '../migrations/index.ts';
import { openStore, type Store } from '../src/platform/db/index.ts';
import { createLog } from '../src/platform/log.ts';
import type { Service } from './service.ts';

/** A service's database, opened beside it by what the service itself opens it with. */
export async function openStoreOf({ database }: Service): Promise<Store> {
  const databaseUrl = database.startsWith('postgres') ? database : null;
  const fail = (cause: unknown) => {
    throw cause;
  };
  return await openStore({ databaseUrl, dataDir: dirname(database) }, migrations, createLog('silent'), fail);
}
