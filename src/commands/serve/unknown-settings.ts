import { SETTINGS } from '../../settings.ts';

/** Names of fewer characters have too many neighbours that are no mistakes. */
const MIN_LENGTH_FOR_ONE_SLIP = 6;
const MIN_LENGTH_FOR_TWO_SLIPS = 9;
/** A name without a value is read, to refuse it. */
const FORMER: readonly string[] = ['WORKERS'];
/** Its packages read many more than the one that switches them on. */
const OF_OPENTELEMETRY = 'OTEL_';
const KNOWN = Object.keys(SETTINGS);

/**
 * Warnings of variables that are not settings: all of the files, and those of the environment that are a slip away from a
 * setting.
 * @param inFiles names with the file of each.
 */
export function describeUnknown(
  env: Readonly<Record<string, unknown>>,
  inFiles: ReadonlyMap<string, string>,
): string[] {
  const isUnknown = (name: string) => !KNOWN.includes(name) && !FORMER.includes(name);
  const names = new Set([...inFiles.keys(), ...Object.keys(env)].filter(isUnknown));
  const slips = new Map(
    [...names].flatMap((name) => (meantBy(name) === null ? [] : [[name, meantBy(name)]])),
  );
  const others = [...inFiles].filter(
    ([name]) => names.has(name) && !slips.has(name) && !name.startsWith(OF_OPENTELEMETRY),
  );
  return [
    ...[...slips].map(([name, meant]) => `There is no setting ${name}, and it has no effect. Set ${meant}`),
    ...[...Map.groupBy(others, ([, file]) => file)].map(
      ([file, unknown]) =>
        `${file} has names that are no settings: ${unknown.map(([name]) => name).join(', ')}. See docs/reference/settings.md`,
    ),
  ];
}

/** The setting that the name is a slip of, or null. */
function meantBy(name: string): string | null {
  const plain = toPlain(name);
  const same = KNOWN.find((known) => toPlain(known) === plain);
  if (same !== undefined) return same;
  const isAsLong = (known: string) => Math.abs(toPlain(known).length - plain.length) <= allowedSlips(known);
  const near = KNOWN.filter(isAsLong)
    .map((known) => ({ known, slips: slipsBetween(plain, toPlain(known)) }))
    .filter(({ known, slips }) => slips <= allowedSlips(known))
    .toSorted((a, b) => a.slips - b.slips);
  return near[0]?.known ?? null;
}

function toPlain(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

function allowedSlips(known: string): number {
  const { length } = toPlain(known);
  if (length >= MIN_LENGTH_FOR_TWO_SLIPS) return 2;
  return length >= MIN_LENGTH_FOR_ONE_SLIP ? 1 : 0;
}

/** Levenshtein's distance: characters to insert, remove or replace. */
function slipsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, right] of [...b].entries()) {
      const [above = 0, diagonal = 0, before = 0] = [row[j + 1], row[j], next[j]];
      next.push(Math.min(above + 1, before + 1, diagonal + (left === right ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
