/** Compares the names of two Android phones. One phone may have several: `SM-S918B`, `Galaxy S23 Ultra`, `Redmi_Note_8`. */
import { LRUCache } from 'lru-cache';
import { isMakersCode } from '../../devices/index.ts';

interface NamedModel {
  readonly model: string;
  readonly maker: string | null;
}

/**
 * `code`: a maker's number (`sm-s938b`, `cph2581`). `title`: a name for buyers (`galaxy s23 ultra`). `short`: either
 * (`p20`, `kg6p`). `word`: without a digit, which may also be an internal name (`tokay`) or the start of a title.
 */
type Kind = 'code' | 'title' | 'short' | 'word';

interface Parts {
  readonly kind: Kind;
  readonly words: readonly string[];
  /** Letters and digits only. */
  readonly key: string;
  /** `cph2581` and `cph2661` have one shape. */
  readonly shape: string;
}

/**
 * - `other_form`: a code beside a title or a word, as one phone's names may be.
 * - `unlike`: unequal names of one form. One phone rarely has two.
 * - `different`: surely of two phones.
 */
type ModelAgreement = 'same' | 'other_form' | 'unlike' | 'different';

/** @returns null if one name is a part of the other, which says nothing. */
export function compareModelNames(a: NamedModel, b: NamedModel): ModelAgreement | null {
  if (a.model === b.model && a.maker === b.maker) return 'same';
  const [one, other] = [partsOf(a), partsOf(b)];
  const areOtherMakers = a.maker !== null && b.maker !== null && a.maker !== b.maker;
  if (one.key === other.key) return areOtherMakers ? null : 'same';
  if (isPartOf(one, other) || isPartOf(other, one)) return null;
  const oneMaker = a.maker === b.maker ? a.maker : null;
  if (areOtherMakers || areOneScheme(one, other, oneMaker)) return 'different';
  return one.kind === other.kind ? 'unlike' : 'other_form';
}

/** Their phones report their titles, and have one; `Mi 9T` and `Redmi K20` are one phone of Xiaomi. */
const MAKERS_OF_ONE_TITLE: readonly string[] = ['google', 'motorola', 'nokia'];

/** A phone has one code, and one title in a maker's series. */
function areOneScheme(a: Parts, b: Parts, oneMaker: string | null): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'title' && oneMaker !== null)
    return a.words[0] === b.words[0] || MAKERS_OF_ONE_TITLE.includes(oneMaker);
  return a.kind === 'code' || (a.kind === 'short' && a.shape === b.shape);
}

/** `edge` of `motorola edge 50 pro`, `sc-51` of `sc-51d`, `redmi note 8` of `redmi note 8 pro`. */
function isPartOf(part: Parts, whole: Parts): boolean {
  if (whole.key.startsWith(part.key) || whole.key.endsWith(part.key)) return true;
  let from = 0;
  return part.words.every((word) => {
    from = whole.words.indexOf(word, from) + 1;
    return from > 0;
  });
}

/** Hundreds of clicks behind one address repeat the same names. */
const cache = new LRUCache<string, Parts>({ max: 5_000, memoMethod: readParts });

function partsOf({ model, maker }: NamedModel): Parts {
  return cache.memo(`${maker ?? ''}:${model}`);
}

function readParts(name: string): Parts {
  const end = name.indexOf(':');
  const [maker, model] = [name.slice(0, end), name.slice(end + 1)];
  const words = model
    .replaceAll('+', ' plus')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const key = words.join('');
  return {
    kind: isMakersCode({ model, maker }) ? 'code' : kindOf(model, key),
    words,
    key,
    shape: model.replaceAll(/\d/g, '9').replaceAll(/\p{L}/gu, 'a'),
  };
}

function kindOf(model: string, key: string): Kind {
  if (!/\d/.test(key)) return 'word';
  if (/[\s_(+]/.test(model) || /^\p{L}{4,}\d{1,3}\p{L}*$/u.test(model)) return 'title';
  if (/^\d{4,}$/.test(key)) return 'code';
  return key.length >= 5 && /\d.*\d/.test(key) && !/^\p{L}{1,2}\d{1,3}\p{L}{0,2}$/u.test(model)
    ? 'code'
    : 'short';
}
