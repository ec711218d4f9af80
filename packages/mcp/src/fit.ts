/** Bounds what an answer costs its reader. */
const MAX_CHARACTERS = 40_000;
const MAX_TEXT = 4_000;

interface Fitted {
  readonly data: unknown;
  /** What was left out, such as `series: the first 45 of 90`. */
  readonly leftOut: readonly string[];
}

/** Halves the largest list, or where there is none the object with the most fields, until the JSON is short enough. */
export function fit(data: unknown, maxCharacters = MAX_CHARACTERS): Fitted {
  const copy = withShortTexts(data);
  const total = new Map<Holder, number>();
  while (sizeOf(copy) > maxCharacters) {
    const largest = largestHolder(copy);
    if (largest === null) break;
    const { value } = largest;
    const length = entriesIn(value);
    if (!total.has(value)) total.set(value, length);
    if (Array.isArray(value)) value.length = Math.ceil(length / 2);
    else for (const name of Object.keys(value).slice(Math.ceil(length / 2))) delete value[name];
  }
  const leftOut = holdersIn(copy).flatMap(({ path, value }) => {
    const length = total.get(value);
    return length === undefined ? [] : [`${path || 'answer'}: the first ${entriesIn(value)} of ${length}`];
  });
  return { data: copy, leftOut };
}

type Holder = unknown[] | Record<string, unknown>;
interface Place {
  readonly path: string;
  readonly value: Holder;
}

/**
 * What a model reads and a person does not see: tags, variation selectors beyond emoji, controls of direction, characters
 * without width. Joiners stay where scripts and emoji need them: one, between two others.
 */
const INVISIBLE =
  /[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|(?<![^\s\u200c-\u200f])[\u200c-\u200f]/gu;

function withShortTexts(given: unknown): unknown {
  const value = typeof given === 'string' ? given.replaceAll(INVISIBLE, '') : given;
  if (typeof value === 'string')
    return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}… (${value.length} characters)`;
  if (Array.isArray(value)) return value.map(withShortTexts);
  if (typeof value !== 'object' || value === null) return value;
  const shortened = Object.entries(value).map(([name, each]) => [
    name.replaceAll(INVISIBLE, ''),
    withShortTexts(each),
  ]);
  return Object.fromEntries(shortened);
}

function largestHolder(root: unknown): Place | null {
  const places = holdersIn(root).filter(({ value }) => entriesIn(value) > 1);
  const lists = places.filter(({ value }) => Array.isArray(value));
  const [among, measure] = lists.length > 0 ? [lists, sizeOf] : [places, entriesIn];
  const measured = among.map((place) => ({ place, measure: measure(place.value) }));
  return measured.sort((one, other) => other.measure - one.measure)[0]?.place ?? null;
}

/** Lists and objects, with their paths. */
function holdersIn(value: unknown, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, each]) => {
    const at = Array.isArray(value) ? `${path}[${name}]` : [path, name].filter(Boolean).join('.');
    return holdersIn(each, at);
  });
  return [{ path, value: value as Holder }, ...inner];
}

function entriesIn(value: Holder): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
