import { holdLease } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { type Loop, LoopStopped, startLoop } from '../lib/loop.ts';
import { listFormer, setReencrypted } from './queries.ts';
import { reencrypt, type SealedColumn } from './reencrypt.ts';

type Deps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'log' | 'secrets'>;

const EVERY_MS = 5 * SECOND_MS;
const LEASE_MS = MINUTE_MS;
/** By then every process that knows the new secret uses it. */
const ALL_FOLLOW_MS = 20 * SECOND_MS;

/**
 * Follows the secret in use, and in one process at a time encrypts again what was stored under a former one.
 * @param follow false in a process that does not know the secret in use: it takes a former one for the present one.
 */
export function startRotation(
  deps: Deps,
  { columns, follow }: { columns: readonly SealedColumn[]; follow: () => Promise<boolean> },
): Loop {
  const lease = { name: 'reencryption', holder: deps.ids.next(), forMs: LEASE_MS };
  let isStopping = false;
  const goOn = async () => {
    if (isStopping) throw new LoopStopped();
    await holdLease(deps, lease);
  };
  const loop = startLoop(
    'root secret',
    EVERY_MS,
    deps.log,
    async () => {
      if (!(await follow())) return;
      const pending = (await listFormer(deps.db)).filter((row) => row.reencrypted_at === null);
      if (pending.length === 0 || !(await holdLease(deps, lease))) return;
      await encryptAgain(deps, { columns, replacedAt: pending[0]?.replaced_at ?? '', goOn });
    },
    SECOND_MS,
  );
  return {
    async stop() {
      isStopping = true;
      await loop.stop();
    },
  };
}

/** Once more after a while, for what other processes stored meanwhile. */
async function encryptAgain(
  deps: Deps,
  {
    columns,
    replacedAt,
    goOn,
  }: { columns: readonly SealedColumn[]; replacedAt: string; goOn: () => Promise<void> },
): Promise<void> {
  const begunMs = deps.clock.nowMs();
  const { changed, unreadable } = await reencrypt(deps, columns, goOn);
  if (changed > 0) deps.log.info({ values: changed }, 'Encrypted values with the present SECRET_KEY');
  if (begunMs < Date.parse(replacedAt) + ALL_FOLLOW_MS) return;
  await setReencrypted(deps.db, isoTime(deps.clock.nowMs()));
  deps.log.info({ unreadable }, 'Nothing is stored under the previous SECRET_KEY alone: it may be removed');
}
