import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { type Db, databaseFile } from '../db/index.ts';
import { StartError } from '../errors.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { readMoveMarker } from '../lib/data-dir/index.ts';
import type { Ids } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { AppRow } from './app.ts';
import { createApp } from './create-app.ts';
import { KEY_KINDS, type KeyKind, makeKey } from './key.ts';
import { storeKey } from './keys.ts';
import { findSecretMark, insertBootstrap } from './queries.ts';

const DEFAULT_APP_NAME = 'My app';

export type FirstKeys = Record<KeyKind, string>;

/** Signed with the root secret of the first start, to detect another one later. */
const MARKED = 'throughline root secret mark v1';

/**
 * Creates the first app with one key of each kind, once per database. Null if that was done before; then it logs a warning
 * if the root secret has changed.
 */
export async function bootstrap({
  db,
  clock,
  ids,
  config,
  secrets,
  log,
}: {
  db: Db;
  clock: Clock;
  ids: Ids;
  config: Config;
  secrets: Secrets;
  log: Log;
}): Promise<{ app: AppRow; keys: FirstKeys } | null> {
  const keys = firstKeys({ config });
  return await db
    .transaction()
    .execute(async (tx) => {
      const now = isoTime(clock.nowMs());
      const by = 'first_start';
      const app = await createApp(
        tx,
        { clock, ids, config },
        { name: config.bootstrap.appName ?? DEFAULT_APP_NAME },
        by,
      );
      const secret_mark = secrets.sign(MARKED);
      if (!(await insertBootstrap(tx, { app_id: app.id, secret_mark, made_at: now })))
        throw new AlreadyDone();
      for (const kind of KEY_KINDS)
        await storeKey(tx, { clock, ids }, { appId: app.id, kind, key: keys[kind], by });
      return { app, keys };
    })
    .catch(async (error: unknown) => {
      if (!(error instanceof AlreadyDone)) throw error;
      await warnOfOtherSecret({ db, secrets, log });
      return null;
    });
}

/** The start continues: a lost secret cannot be restored. */
async function warnOfOtherSecret({
  db,
  secrets,
  log,
}: {
  db: Db;
  secrets: Secrets;
  log: Log;
}): Promise<void> {
  if (secrets.isSigned(MARKED, (await findSecretMark(db)) ?? '')) return;
  log.warn(
    'SECRET_KEY is not the one of the first start: stored addresses do not match and stored secrets cannot be decrypted. Set the former SECRET_KEY on every machine',
  );
}

/**
 * Call it before any write: the journal beside the SQLite file would be applied to the wrong database.
 * @throws StartError if `DATABASE_URL` is a new database while the data is in a SQLite file that was not moved.
 */
export async function assertSqliteMoved({ db, config }: { db: Db; config: Config }): Promise<void> {
  const file = databaseFile(config);
  if (config.databaseUrl === null || !existsSync(file) || readMoveMarker(config) !== null) return;
  if ((await findSecretMark(db)) !== null) return;
  throw new StartError(
    `The database of DATABASE_URL is new, and the data is in ${file}. Move it there: npx throughline db move. To start without it, set another DATA_DIR.`,
  );
}

/** Thrown to roll back the transaction. */
class AlreadyDone extends Error {}

function firstKeys({ config }: { config: Config }): FirstKeys {
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
