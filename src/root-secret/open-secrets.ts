import type { Db } from '../db/index.ts';
import { StartError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import {
  findRootSecret,
  PREVIOUS_SECRET_FILE,
  type RootSecrets,
  rootSecretFile,
} from '../lib/data-dir/index.ts';
import type { Loop } from '../lib/loop.ts';
import { createSecrets, type Secrets } from '../lib/secrets.ts';
import { type FormerRow, findMark, listFormer, replaceFormer, replaceMark } from './queries.ts';
import type { SealedColumn } from './reencrypt.ts';
import { choose, formerAfter, type Given, type Known, keySetOf, know, type Stored } from './root-secret.ts';
import { startRotation } from './rotation.ts';

type Deps = Pick<Foundation, 'store' | 'db' | 'clock' | 'ids' | 'config' | 'log'>;

/** The root secret of the database, which may be replaced by another one while the service runs. */
export interface RootSecret {
  readonly secrets: Secrets;
  /** Whether another process began to use a secret that this one does not know. */
  isUnknown(): boolean;
  /** For people: when the secret was last replaced, and whether the one before is still needed. */
  describe(): Promise<{ replacedAt: string | null; mayRemovePrevious: boolean }>;
  /** Follows a secret that another process begins to use, and encrypts what was stored under a former one again. */
  start(columns: readonly SealedColumn[]): Loop;
}

/**
 * The operations with the root secret that is in use. Begins to use `SECRET_KEY` if the one in use is given as the previous
 * one. `ACCEPT_NEW_SECRET_KEY` makes the present root secret that of the database. Call it before anything is hashed or
 * signed.
 * @throws StartError if the root secret is not the one in use, and may not replace it.
 */
export async function openSecrets(deps: Deps, given: RootSecrets): Promise<RootSecret> {
  const known = knowAll(given);
  let present = await choosePresent(deps, known);
  const nowMs = () => deps.clock.nowMs();
  const keysWith = (former: readonly FormerRow[]) => keySetOf(present, known, { former, nowMs: nowMs() });
  const secrets = createSecrets(keysWith(await listFormer(deps.db)));
  if (deps.config.acceptNewSecretKey)
    deps.log.warn('Remove ACCEPT_NEW_SECRET_KEY: it would accept a wrong SECRET_KEY too');

  let unknown = false;
  async function follow(): Promise<readonly FormerRow[]> {
    const mark = await findMark(deps.db);
    const others = [known.own, known.next, known.previous];
    const now = others.find((each) => each?.mark === mark) ?? null;
    const isUnknown = mark !== null && now === null;
    if (isUnknown && !unknown) deps.log.error(UNKNOWN);
    unknown = isUnknown;
    if (isUnknown) return [];
    if (now !== null && now.mark !== present.mark)
      deps.log.info('Another process has begun to use the next SECRET_KEY; this one uses it too from now on');
    present = now ?? present;
    const former = await listFormer(deps.db);
    secrets.replace(keysWith(former));
    return former;
  }
  return {
    secrets,
    isUnknown: () => unknown,
    describe: async () =>
      describe(await listFormer(deps.db), { isInUse: !isReplacedOnDisk(deps.config, given) }),
    start: (columns) => startRotation({ ...deps, secrets }, { columns, follow }),
  };
}

/** The state of the root secret as the commands see it, which may have newer settings than the service. */
export interface SecretState {
  /** Why a start would be refused. */
  readonly refusal: string | null;
  /** Whether the next start begins to use `SECRET_KEY`: until then only the previous one reads the data. */
  readonly isPending: boolean;
  readonly replacedAt: string | null;
  readonly mayRemovePrevious: boolean;
}

/** Changes nothing. */
export async function inspectSecret(
  db: Db,
  config: Foundation['config'],
  given: RootSecrets,
): Promise<SecretState> {
  const stored: Stored = { mark: await findMark(db), former: await listFormer(db) };
  const choice = choose(knowAll(given), stored);
  return {
    refusal: choice.kind === 'refuse' ? refusal({ config }, choice.why, stored) : null,
    isPending: choice.kind === 'rotate',
    // Until the next start, the previous one is the one in use.
    ...describe(stored.former, { isInUse: choice.kind !== 'rotate' }),
  };
}

function knowAll(given: RootSecrets): Given {
  return {
    own: know(given.rootSecret),
    previous: given.previousSecret ? know(given.previousSecret) : null,
    next: given.nextSecret ? know(given.nextSecret) : null,
  };
}

/** @param isInUse whether the service uses the secret that the next start is given. */
function describe(former: readonly FormerRow[], { isInUse }: { isInUse: boolean }) {
  return {
    replacedAt: former[0]?.replaced_at ?? null,
    mayRemovePrevious: isInUse && former.every((row) => row.reencrypted_at !== null),
  };
}

/** Whether the file has a secret that waits for a restart: the one in use is then in `secret-key.previous` alone. */
function isReplacedOnDisk(config: Foundation['config'], { rootSecret }: RootSecrets): boolean {
  if (config.secretKey !== null) return false;
  try {
    return findRootSecret(config) !== rootSecret;
  } catch {
    // It is empty.
    return true;
  }
}

const UNKNOWN =
  'Another process has replaced SECRET_KEY by one that this process does not know, and what it stores cannot be matched here: restart this process with the new SECRET_KEY (docs/guide/secrets.md)';

async function choosePresent(deps: Deps, given: Given): Promise<Known> {
  const { db, log } = deps;
  const stored: Stored = { mark: await findMark(db), former: await listFormer(db) };
  const choice = choose(given, stored);
  switch (choice.kind) {
    case 'use':
      return choice.present;
    case 'rotate': {
      if (!(await rotate(deps, choice))) return await choosePresent(deps, given);
      log.info('SECRET_KEY was replaced: what was stored under the previous one is being encrypted again');
      return choice.to;
    }
    case 'refuse':
      if (stored.mark === null || choice.why === 'wrong_previous' || !deps.config.acceptNewSecretKey)
        throw new StartError(refusal(deps, choice.why, stored));
      await acceptNew(db, { from: stored.mark, to: given.own.mark });
      log.warn(
        `${nameOf(deps)} is from now on the secret of the database: no earlier click matches by address, and webhooks wait until their secrets are set again (docs/guide/backup.md)`,
      );
      return given.own;
  }
}

/** False if another process was faster. */
async function rotate({ db, clock }: Deps, { from, to }: { from: Known; to: Known }): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    if (!(await replaceMark(tx, from.mark, to.mark))) return false;
    await replaceFormer(tx, formerAfter({ from, to }, await listFormer(tx), clock.nowMs()));
    return true;
  });
}

async function acceptNew(db: Db, { from, to }: { from: string; to: string }): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Their keys were encrypted by the lost secret.
    if (await replaceMark(tx, from, to)) await replaceFormer(tx, []);
  });
}

function nameOf({ config }: Pick<Deps, 'config'>): string {
  return config.secretKey === null ? rootSecretFile(config) : 'SECRET_KEY';
}

function refusal(
  deps: Pick<Deps, 'config'>,
  why: 'other' | 'replaced' | 'wrong_previous',
  { former }: Stored,
): string {
  const name = nameOf(deps);
  const previous = deps.config.previousSecretKey === null ? PREVIOUS_SECRET_FILE : 'PREVIOUS_SECRET_KEY';
  switch (why) {
    case 'replaced':
      return `${name} is a former secret: it was replaced, last on ${former[0]?.replaced_at ?? isoTime(0)}. Set the new one (docs/guide/secrets.md).`;
    case 'wrong_previous':
      return `${previous} is none of the secrets with which the data was stored. Correct it, or remove it if nothing was rotated; a secret to come is NEXT_SECRET_KEY (docs/guide/secrets.md).`;
    case 'other':
      return `${name} is not the secret with which the data was stored${deps.config.previousSecretKey === null ? '' : ', nor is PREVIOUS_SECRET_KEY'}. Set the former SECRET_KEY, or restore the former secret-key file from a backup; to replace it, set the former one as PREVIOUS_SECRET_KEY beside the new one (docs/guide/secrets.md). If it is lost for good, start once with ACCEPT_NEW_SECRET_KEY=1: then no earlier click matches by address, and webhooks wait until their secrets are set again (docs/guide/backup.md).`;
  }
}
