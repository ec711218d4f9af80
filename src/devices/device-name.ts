import { LRUCache } from 'lru-cache';
import { androidName } from './android-names.ts';
import { appleName } from './apple-models.ts';
import { isMakersCode, isSeries, readModelName } from './model-name.ts';
import { samsungName } from './samsung-models.ts';
import { xiaomiName } from './xiaomi-models.ts';

/** Lists repeat the same models. Null is no value of the cache. */
const cache = new LRUCache<string, { readonly name: string | null }>({
  max: 5_000,
  memoMethod: (model) => ({ name: find(model) }),
});

/** What people call a model, such as `iPhone 16 Pro` for `iPhone17,1`; null if it is unknown, or several models may be meant. */
export function readDeviceName(model: string): string | null {
  return cache.memo(model).name;
}

function find(text: string): string | null {
  const name = readModelName(text);
  const { model } = name;
  if (model === null) return null;
  if (/^i(?:phone|pad|pod)/.test(model)) return appleName(model);
  // Without its maker only a code is unmistakable: several makers have an E9.
  const found = isMakersCode({ ...name, model })
    ? (samsungName(model) ?? xiaomiName(model) ?? androidName(model))
    : null;
  return found ?? androidName(text.trim().toLowerCase()) ?? (isSeries(model) ? asWritten(text, model) : null);
}

/** With the letters of the text, which may have the maker in front. */
function asWritten(text: string, model: string): string | null {
  const written = text.trim().slice(-model.length);
  return written.toLowerCase() === model ? written.replaceAll('_', ' ') : null;
}
