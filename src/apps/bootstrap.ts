import { existsSync } from 'node:fs';
import { KEY_KINDS, type KeyKind, makeKey, storeKey } from '../auth/index.ts';
import { databaseFile, onSomeNode } from '../db/index.ts';
import { StartError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { readMoveMarker } from '../lib/data-dir/index.ts';
import { markOf } from '../lib/secrets.ts';
import { findMark } from '../root-secret/index.ts';
import type { AppRow } from './app.ts';
import { storeApp } from './create-app.ts';
import { insertBootstrap } from './queries.ts';

const DEFAULT_APP_NAME = 'My app';

export type FirstKeys = Record<KeyKind, string>;

type FirstStart = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets'>;

/** Creates the first app with one key of each kind, once per database. Null if that was done before. */
export async function bootstrap(deps: FirstStart): Promise<{ app: AppRow; keys: FirstKeys } | null> {
  const isDone = (await findMark(deps.db)) !== null;
  return isDone ? null : await makeFirstApp(deps);
}

/** Null if another process was faster. */
async function makeFirstApp({
  db,
  clock,
  ids,
  config,
  secrets,
}: FirstStart): Promise<{ app: AppRow; keys: FirstKeys } | null> {
  const keys = firstKeys({ config });
  const input = { name: config.bootstrap.appName ?? DEFAULT_APP_NAME };
  const by = 'first_start';
  const make = async (id: string) =>
    await db.transaction().execute(async (tx) => {
      const made = { app_id: id, secret_mark: markOf(secrets), made_at: isoTime(clock.nowMs()) };
      if (!(await insertBootstrap(tx, made))) return null;
      const app = await storeApp(tx, { clock, ids, config, secrets }, { input, by, id });
      for (const kind of KEY_KINDS)
        await storeKey(tx, { clock, ids }, { appId: id, kind, key: keys[kind], by });
      return { app, keys };
    });
  return await onSomeNode(db, { table: 'audit_log', make: ids.next }, make);
}

/**
 * Call it before any write: the journal beside the SQLite file would be applied to the wrong database.
 * @throws StartError if `DATABASE_URL` is a new database while the data is in a SQLite file that was not moved.
 */
export async function assertSqliteMoved({ db, config }: Pick<Foundation, 'db' | 'config'>): Promise<void> {
  const file = databaseFile(config);
  if (config.databaseUrl === null || !existsSync(file) || readMoveMarker(config) !== null) return;
  if ((await findMark(db)) !== null) return;
  throw new StartError(
    `The database of DATABASE_URL is new, and the data is in ${file}. Move it there: npx throughline db move. To start without it, set another DATA_DIR.`,
  );
}

function firstKeys({ config }: Pick<Foundation, 'config'>): FirstKeys {
  const { bootstrap: given, region } = config;
  const sdkKind: KeyKind = given.sdkKey?.startsWith('svc_test_') ? 'test_publishable' : 'live_publishable';
  return {
    live: given.liveKey ?? makeKey('live', region),
    test: given.testKey ?? makeKey('test', region),
    live_publishable: makeKey('live_publishable', region),
    test_publishable: makeKey('test_publishable', region),
    ...(given.sdkKey !== null && { [sdkKind]: given.sdkKey }),
  };
}
