import type { ChangedBy, ValueChange } from '../audit/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, isMoment, isoTime, MINUTE_MS } from '../lib/clock.ts';
import { type KeyKind, makeKey, nameOf } from './key.ts';
import type { KeyRing } from './key-ring.ts';
import { checkName, type MadeKey, readKey, recordKeyChange, storeKey } from './keys.ts';
import { findKey, type KeyRow, updateActiveKey } from './queries.ts';

/** How long a key that is rotated works on. */
export const OVERLAP_DAYS = { default: 7, max: 90 } as const;
/** A client's clock may be behind, and its call on the way. */
const LATE_MS = MINUTE_MS;

type ChangeDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config'> & { readonly keyRing: KeyRing };

interface KeyChange {
  readonly appId: string;
  readonly keyId: string;
  readonly by: ChangedBy;
}

/** When a key ends: a moment, or a number of days from now. */
export interface EndInput {
  readonly endsAt?: string;
  readonly endsInDays?: number;
}

/**
 * Makes a key of the same kind and name, beside the old one, which ends later. It ends to the millisecond in a process
 * that has read it since, and in the others within 3 s.
 * @throws AppError `key.not_found`, `key.rotated`, `key.not_active`, `request.invalid`.
 */
export async function rotateKey(
  { db, clock, ids, config, keyRing }: ChangeDeps,
  { appId, keyId, by, ...end }: KeyChange & EndInput,
): Promise<MadeKey & { replaced: KeyRow }> {
  const endsAt = endOf(end, clock.nowMs());
  const { newId, key, hash } = await db.transaction().execute(async (tx) => {
    const old = await readKey(tx, { appId, keyId });
    const now = isoTime(clock.nowMs());
    if (!isActive(old, now)) throw new AppError('key.not_active');
    const successor = old.replaced_by === null ? undefined : await findKey(tx, appId, old.replaced_by);
    if (successor !== undefined && isActive(successor, now)) throw new AppError('key.rotated');
    const kind = old.kind as KeyKind;
    const key = makeKey(kind, config.region);
    const made = { appId, kind, name: old.name, key, by, replaces: old.id };
    const { id: newId } = await storeKey(tx, { clock, ids }, made);
    if (!(await updateActiveKey(tx, old, { ends_at: endsAt, replaced_by: newId })))
      throw new AppError('key.rotated');
    const changes = { endsAt: { from: old.ends_at, to: endsAt } };
    const change = { action: 'key.rotated', by, about: { replacedBy: newId }, changes } as const;
    await recordKeyChange(tx, { clock, ids }, old, change);
    return { newId, key, hash: old.hash };
  });
  keyRing.forget(hash);
  const [row, replaced] = [await readKey(db, { appId, keyId: newId }), await readKey(db, { appId, keyId })];
  return { row, key, replaced };
}

/**
 * Names a key, and changes when a rotated one ends.
 * @param change `name` is null for the name of its kind.
 * @throws AppError `key.not_found`, `key.not_active`, `request.invalid`.
 */
export async function updateKey(
  { db, clock, ids, keyRing }: Omit<ChangeDeps, 'config'>,
  { appId, keyId, by, name, endsAt }: KeyChange & { name?: string | null; endsAt?: string },
): Promise<KeyRow> {
  checkName(name);
  const end = endsAt === undefined ? undefined : endOf({ endsAt }, clock.nowMs());
  const { hash } = await db.transaction().execute(async (tx) => {
    const old = await readKey(tx, { appId, keyId });
    if (!isActive(old, isoTime(clock.nowMs()))) throw new AppError('key.not_active');
    if (end !== undefined && old.ends_at === null)
      throw new AppError('request.invalid', {
        message: 'endsAt is only for a key that was rotated. Rotate it first, with POST …/rotation.',
      });
    const next = { name: name === undefined ? old.name : name, ends_at: end ?? old.ends_at };
    const changes = changesOf(old, next);
    if (Object.keys(changes).length === 0) return old;
    if (!(await updateActiveKey(tx, old, next))) throw new AppError('key.not_active');
    await recordKeyChange(tx, { clock, ids }, { ...old, ...next }, { action: 'key.updated', by, changes });
    return old;
  });
  keyRing.forget(hash);
  return await readKey(db, { appId, keyId });
}

function changesOf(
  old: KeyRow,
  next: { readonly name: string | null; readonly ends_at: string | null },
): Record<string, ValueChange> {
  const [from, to] = [nameOf(old), nameOf({ ...next, kind: old.kind })];
  return {
    ...(from !== to && { name: { from, to } }),
    ...(old.ends_at !== next.ends_at && { endsAt: { from: old.ends_at, to: next.ends_at } }),
  };
}

function isActive({ revoked_at: revokedAt, ends_at: endsAt }: KeyRow, now: string): boolean {
  return revokedAt === null && (endsAt === null || endsAt > now);
}

/** @throws AppError `request.invalid` for a moment that has passed, or is too far away. */
function endOf({ endsAt, endsInDays }: EndInput, nowMs: number): string {
  if (endsAt === undefined) return isoTime(nowMs + (endsInDays ?? OVERLAP_DAYS.default) * DAY_MS);
  if (endsInDays !== undefined)
    throw new AppError('request.invalid', {
      message: 'endsAt and endsInDays exclude each other. Send one of them.',
    });
  const ms = isMoment(endsAt) ? Date.parse(endsAt) : Number.NaN;
  if (!(ms >= nowMs - LATE_MS && ms <= nowMs + OVERLAP_DAYS.max * DAY_MS + LATE_MS))
    throw new AppError('request.invalid', {
      message: `endsAt must be a date-time with a zone from now to ${OVERLAP_DAYS.max} days ahead, such as ${isoTime(nowMs + OVERLAP_DAYS.default * DAY_MS)}.`,
    });
  return isoTime(Math.max(ms, nowMs));
}
