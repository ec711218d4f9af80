import { LRUCache } from 'lru-cache';
import { truncate } from '../lib/text.ts';

const MAX_CHARACTERS = 255;
const MAX_TAGS = 16;
const TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;

/** Few headers make up most of the traffic; empty for one that names no language. */
const preferred = new LRUCache<string, string>({ max: 5_000, memoMethod: readPreferred });

/** The tag of `Accept-Language` with the highest weight, the first of equal ones (RFC 9110, section 12.5.4); null without one. */
export function preferredLanguage(header: string | null): string | null {
  return header === null ? null : preferred.memo(truncate(header, MAX_CHARACTERS)) || null;
}

function readPreferred(header: string): string {
  let best = '';
  let highest = 0;
  for (const part of header.split(',', MAX_TAGS)) {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = weightIn(parameters);
    if (!TAG.test(tag) || !(weight > highest)) continue;
    best = tag;
    highest = weight;
  }
  return best;
}

function weightIn(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q=/i.test(parameter));
  return weight === undefined ? 1 : Number(weight.slice(2));
}
