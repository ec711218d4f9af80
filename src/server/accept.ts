interface Range {
  /** `text/csv`, `text/*` or the range of all types, in lower case. */
  readonly type: string;
  /** 0 to 1; 0 refuses the type. */
  readonly quality: number;
}

/**
 * The offered media type that `Accept` ranks highest; of equal ones the one that it names, then the first offered. The
 * first also where it accepts none of them. Parameters other than `q` are ignored.
 */
export function preferredType<T extends string>(
  accept: string | undefined,
  offered: readonly [T, ...(readonly T[])],
): T {
  const ranges = (accept ?? '*/*').split(',').map(toRange);
  const ranked = offered.map((type) => ({ type, ...rank(type, ranges) }));
  ranked.sort((a, b) => b.quality - a.quality || b.precision - a.precision);
  const [best] = ranked;
  return best === undefined || best.quality === 0 ? offered[0] : best.type;
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const quality = given === undefined ? 1 : Number(given.slice(given.indexOf('=') + 1));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** By the most precise range that matches (RFC 9110 12.5.1). */
function rank(type: string, ranges: readonly Range[]): { quality: number; precision: number } {
  const patterns = ['*/*', `${type.split('/', 1)[0]}/*`, type];
  const matches = ranges
    .map((range) => ({ quality: range.quality, precision: patterns.indexOf(range.type) }))
    .filter(({ precision }) => precision >= 0);
  return matches.reduce((best, match) => (match.precision >= best.precision ? match : best), {
    quality: 0,
    precision: -1,
  });
}
