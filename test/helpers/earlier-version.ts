/** A database of an earlier version, and its upgrade. */
import type { TestContext } from 'node:test';
import type { Kysely } from 'kysely';
import { migrations } from '../../migrations/index.ts';
import { type Migrations, openStore, type Store } from '../../src/db/index.ts';
import { createLog } from '../../src/lib/log.ts';
import { citusUrl, distributeExisting } from './citus.ts';
import { type Engine, makePlace } from './engines.ts';

/** Tables and columns of any version. */
type AnyDb = Kysely<Record<string, Record<string, unknown>>>;

/**
 * On a Citus cluster the earlier version's tables are distributed, and those that the upgrade adds are afterwards.
 *
 * @param added the migration that comes with the upgrade, by the beginning of its name.
 * @param fill stores what the version before it had.
 * @returns the upgraded store, which is closed after the test.
 */
export async function upgradeStore(
  t: TestContext,
  {
    engine,
    added,
    fill,
  }: { engine: Engine; added: string; fill: (db: AnyDb, store: Store) => Promise<void> },
): Promise<Store> {
  const place = await makePlace(engine, { isEmpty: true });
  let store: Store | undefined;
  t.after(async () => {
    await store?.close();
    await place.remove();
  });
  const open = (known: Migrations) => openStore(place, known, createLog('silent'), () => undefined);
  store = await open((types) =>
    Object.fromEntries(Object.entries(migrations(types)).filter(([name]) => name < added)),
  );
  await store.migrate();
  const onCitus = engine === 'postgres' && citusUrl !== undefined ? place.databaseUrl : null;
  if (onCitus !== null) await distributeExisting(onCitus);
  await fill(store.db as unknown as AnyDb, store);
  await store.close();
  store = await open(migrations);
  await store.migrate();
  if (onCitus !== null) await distributeExisting(onCitus);
  return store;
}
