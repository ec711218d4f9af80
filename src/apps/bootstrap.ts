import { existsSync } from 'node:fs';
import { isoTime } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { findMoveNote } from '../platform/data-dir/index.ts';
import { databaseFile } from '../platform/db/index.ts';
import { StartError } from '../platform/errors.ts';
import type { AppRow } from './app.ts';
import { createApp } from './create-app.ts';
import { storeKey } from './create-key.ts';
import { KEY_KINDS, type KeyKind, makeKey } from './key.ts';
import { findSecretMark, insertBootstrap } from './queries.ts';

const DEFAULT_APP_NAME = 'My app';

/** The keys themselves, by kind; the database has hashes of them. */
export type FirstKeys = Record<KeyKind, string>;

/** What is signed with a database's root secret, so that another one is noticed. */
const MARKED = 'throughline root secret mark v1';

/**
 * Makes the first app with one key of each kind, once per database. Null when that was done before; a root secret other
 * than the one of then is warned of.
 */
export async function bootstrap(ctx: Ctx): Promise<{ app: AppRow; keys: FirstKeys } | null> {
  const keys = firstKeys(ctx);
  return await inTransaction(ctx, async (tx) => {
    const now = isoTime(tx.clock.nowMs());
    const by = 'first_start';
    const app = await createApp(tx, { name: tx.config.bootstrap.appName ?? DEFAULT_APP_NAME }, by);
    const secret_mark = tx.secrets.sign(MARKED);
    if (!(await insertBootstrap(tx.db, { app_id: app.id, secret_mark, made_at: now })))
      throw new AlreadyDone();
    for (const kind of KEY_KINDS) await storeKey(tx, { appId: app.id, kind, key: keys[kind], by });
    return { app, keys };
  }).catch(async (error: unknown) => {
    if (!(error instanceof AlreadyDone)) throw error;
    await warnOfOtherSecret(ctx);
    return null;
  });
}

/** It is no reason not to start: who lost the secret has to go on with another. */
async function warnOfOtherSecret({ db, secrets, log }: Ctx): Promise<void> {
  if (secrets.isSigned(MARKED, (await findSecretMark(db)) ?? '')) return;
  log.warn(
    'SECRET_KEY is not the one that this database began with: addresses and secrets stored with the other one are not recognised. Set that one again, on every machine',
  );
}

/**
 * Whoever sets `DATABASE_URL` beside a filled SQLite file has forgotten to move it, and would go on with nothing. To be
 * asked before any record is written: the journal beside the file would be applied to the wrong database.
 * @throws StartError where nobody has served from the database and there is such a file.
 */
export async function refuseBesideUnmoved({ config, db }: Ctx): Promise<void> {
  const file = databaseFile(config);
  if (config.databaseUrl === null || !existsSync(file) || findMoveNote(config) !== null) return;
  if ((await findSecretMark(db)) !== null) return;
  throw new StartError(
    `The database of DATABASE_URL was never served from, and the data is in ${file}. Move it there: npx throughline db move. To start without it, name another DATA_DIR.`,
  );
}

/** Rolls the transaction back. */
class AlreadyDone extends Error {}

function firstKeys(ctx: Ctx): FirstKeys {
  const { bootstrap: given, region } = ctx.config;
  const sdkKind: KeyKind = given.sdkKey?.startsWith('svc_test_') ? 'test_publishable' : 'live_publishable';
  return {
    live: given.liveKey ?? makeKey('live', region),
    test: given.testKey ?? makeKey('test', region),
    live_publishable: makeKey('live_publishable', region),
    test_publishable: makeKey('test_publishable', region),
    ...(given.sdkKey !== null && { [sdkKind]: given.sdkKey }),
  };
}
