/** The `utm_*` parameters of a tap, as stored with a click, or with an install that has no click. */
import { truncateWell } from '../lib/text.ts';

/** Null where there is none. */
interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
  readonly term: string | null;
  readonly content: string | null;
}

export const MAX_UTM_CHARACTERS = 128;
/** Fields of `Utm`, those that statistics are grouped by first. */
export const UTM_FIELDS = ['source', 'medium', 'campaign', 'content', 'term'] as const;
const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null };

/** @param maxBytes of the JSON in UTF-8; values beyond it are left out. @returns `Utm` as JSON; null without any. */
export function utmIn(parameters: ReadonlyMap<string, string>, maxBytes: number): string | null {
  const utm: Record<keyof Utm, string | null> = { ...NO_UTM };
  for (const field of UTM_FIELDS)
    utm[field] = truncateWell(parameters.get(`utm_${field}`) ?? '', MAX_UTM_CHARACTERS) || null;
  for (const field of UTM_FIELDS.toReversed()) {
    if (UTM_FIELDS.every((other) => utm[other] === null)) return null;
    const json = JSON.stringify(utm);
    if (Buffer.byteLength(json) <= maxBytes) return json;
    utm[field] = null;
  }
  return null;
}
