/** Root secrets, and what a database says of them; pure. */
import { HOUR_MS, isoTime } from '../lib/clock.ts';
import {
  createSecrets,
  deriveKeys,
  type KeySet,
  markOf,
  type OtherKeys,
  type RootKeys,
  seal,
  unseal,
} from '../lib/secrets.ts';
import type { FormerRow } from './queries.ts';

/** Longer than anything signed is valid that a phone still holds: the texts on clipboards. */
const SIGNATURES_ACCEPTED_MS = 2 * HOUR_MS;

/** A root secret that this process was given. */
export interface Known {
  readonly keys: RootKeys;
  readonly mark: string;
}

export function know(rootSecret: string): Known {
  const keys = deriveKeys(rootSecret);
  return { keys, mark: markOf(createSecrets({ present: keys, others: [] })) };
}

/** What the process was given. */
export interface Given {
  readonly own: Known;
  readonly previous: Known | null;
  readonly next: Known | null;
}

/** What the database knows. */
export interface Stored {
  /** Null before the first start. */
  readonly mark: string | null;
  /** The newest first. */
  readonly former: readonly FormerRow[];
}

export type Choice =
  | { readonly kind: 'use'; readonly present: Known }
  | { readonly kind: 'rotate'; readonly from: Known; readonly to: Known }
  | { readonly kind: 'refuse'; readonly why: 'other' | 'replaced' | 'wrong_previous' };

/** Which root secret is in use, or has to replace the one in use. */
export function choose({ own, previous, next }: Given, { mark, former }: Stored): Choice {
  if (mark === null) return { kind: 'use', present: own };
  const isFormer = (known: Known) => former.some((row) => row.mark === known.mark);
  if (own.mark === mark) {
    const isRight = previous === null || previous.mark === mark || isFormer(previous);
    return isRight ? { kind: 'use', present: own } : { kind: 'refuse', why: 'wrong_previous' };
  }
  // Another process began to use it.
  if (next?.mark === mark) return { kind: 'use', present: next };
  if (previous?.mark === mark) return { kind: 'rotate', from: previous, to: own };
  return { kind: 'refuse', why: isFormer(own) ? 'replaced' : 'other' };
}

/** The keys that find and read what is stored. @throws if a former secret’s keys are damaged. */
export function keySetOf(
  present: Known,
  { own, next }: Given,
  { former, nowMs }: { former: readonly FormerRow[]; nowMs: number },
): KeySet {
  const replaced: OtherKeys[] = former.map((row) => {
    const replacedAtMs = Date.parse(row.replaced_at);
    return {
      keys: unwrap(present, row),
      replacedAtMs,
      signs: nowMs - replacedAtMs < SIGNATURES_ACCEPTED_MS,
    };
  });
  const kept = replaced[0]?.keys.kept ?? present.keys.kept;
  const marks = new Set([present.mark, ...former.map(({ mark }) => mark)]);
  const toCome = [own, next].filter((known): known is Known => known !== null && !marks.has(known.mark));
  return {
    present: { ...present.keys, kept },
    others: [
      ...replaced,
      ...toCome.map(({ keys }) => ({ keys: { ...keys, kept }, replacedAtMs: null, signs: true })),
    ],
  };
}

/** The rows of the former secrets once `to` has replaced `from`, encrypted by `to`. */
export function formerAfter(
  { from, to }: { from: Known; to: Known },
  former: readonly FormerRow[],
  nowMs: number,
): FormerRow[] {
  const kept = former[0] === undefined ? from.keys.kept : unwrap(from, former[0]).kept;
  const others = former
    .filter(({ mark }) => mark !== to.mark && mark !== from.mark)
    .map((row) => ({ ...row, keys: wrap(to, row.mark, unwrap(from, row)) }));
  const replaced = {
    mark: from.mark,
    keys: wrap(to, from.mark, { ...from.keys, kept }),
    replaced_at: isoTime(nowMs),
    reencrypted_at: null,
  };
  return [replaced, ...others];
}

const KEYS = ['address', 'signature', 'encryption'] as const;
const KEPT = ['erasedAddress', 'identifier', 'request'] as const;

function wrap(present: Known, mark: string, keys: RootKeys): string {
  const text = (key: Uint8Array) => Buffer.from(key).toString('base64url');
  const all = { ...keys, ...keys.kept };
  const json = Object.fromEntries([...KEYS, ...KEPT].map((name) => [name, text(all[name])]));
  return seal(present.keys.encryption, JSON.stringify(json), ownerOf(mark));
}

function unwrap(present: Known, { mark, keys }: Pick<FormerRow, 'mark' | 'keys'>): RootKeys {
  const text = unseal(present.keys.encryption, keys, ownerOf(mark));
  if (text === null) throw new Error(`The keys of the former secret ${mark} cannot be decrypted`);
  const json = JSON.parse(text) as Record<(typeof KEYS)[number] | (typeof KEPT)[number], string>;
  const key = (name: keyof typeof json) => new Uint8Array(Buffer.from(json[name], 'base64url'));
  return {
    address: key('address'),
    signature: key('signature'),
    encryption: key('encryption'),
    kept: {
      erasedAddress: key('erasedAddress'),
      identifier: key('identifier'),
      request: key('request'),
    },
  };
}

function ownerOf(mark: string): string {
  return `former secret ${mark}`;
}
