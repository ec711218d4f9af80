import { ImportFileError } from './imported-row.ts';
import { nameKey, type Source } from './source.ts';
import { SOURCES } from './sources/index.ts';

const MAX_COLUMNS = 200;
const MAX_SHOWN_COLUMNS = 40;
const MAX_SHOWN_CHARACTERS = 64;

/** What a column or JSON key is taken for. */
type Column =
  | { readonly kind: 'field'; readonly field: string }
  /** Known, and not needed; or left out by an explicit choice of columns. */
  | { readonly kind: 'unread' }
  /** About people. */
  | { readonly kind: 'person' }
  /** `mayProtect`: its name may be that of a password or an end. */
  | { readonly kind: 'unknown'; readonly mayProtect: boolean };

export interface Columns {
  of(name: string): Column;
  /** Of those that were asked for and are fields: the field by name. */
  readonly fields: Readonly<Record<string, string>>;
  /** The name by field. */
  readonly names: Readonly<Record<string, string>>;
  /**
   * Checks a header, or the keys of the first object.
   * @throws ImportFileError that says what is missing, or which service's columns these are.
   */
  check(names: readonly string[]): void;
}

const MAY_PROTECT =
  /passw|protect|expir|valid|until|limit|max(imum)?(visits|clicks|uses)|once|onetime|disabled|blocked|banned|private/;

/** @param chosen names of columns by field, which then are all that is read. */
export function createColumns(source: Source, chosen?: Readonly<Record<string, string>>): Columns {
  const known = chosen === undefined ? knownOf(source) : chosenOf(source, chosen);
  const other: Column = { kind: 'unread' };
  const columns = new Map<string, Column>();
  const fields: Record<string, string> = {};
  const names: Record<string, string> = {};

  function of(name: string): Column {
    const before = columns.get(name);
    if (before !== undefined) return before;
    const key = nameKey(name);
    const unknown: Column = { kind: 'unknown', mayProtect: MAY_PROTECT.test(key) };
    const column = known.get(key) ?? (chosen === undefined ? unknown : other);
    // JSON may have any number of keys.
    if (columns.size < MAX_COLUMNS) columns.set(name, column);
    if (column.kind === 'field' && names[column.field] === undefined) {
      fields[name] = column.field;
      names[column.field] = name;
    }
    return column;
  }

  return {
    of,
    fields,
    names,
    check(all) {
      if (all.length > MAX_COLUMNS)
        throw new ImportFileError(`The file has more than ${MAX_COLUMNS} columns. Leave out some.`);
      const problem = problemOf(source, all.map(of), all);
      const rightful = problem === null ? null : findSource(source, all, problem.isFatal);
      if (rightful !== null && chosen === undefined)
        throw new ImportFileError(
          `These are the columns of ${rightful.name}, not of ${source.id === 'csv' ? 'a plain table' : source.name}: use source=${rightful.id}.`,
          { rightful: rightful.id },
        );
      if (problem?.isFatal) throw new ImportFileError(problem.message);
    },
  };
}

function knownOf(source: Source): ReadonlyMap<string, Column> {
  return new Map<string, Column>([
    ...source.unread.map((name): [string, Column] => [nameKey(name), { kind: 'unread' }]),
    ...peopleOf(source),
    ...Object.entries(source.fields).flatMap(([field, names]) =>
      names.map((name): [string, Column] => [nameKey(name), { kind: 'field', field }]),
    ),
  ]);
}

function chosenOf(source: Source, chosen: Readonly<Record<string, string>>): ReadonlyMap<string, Column> {
  const unknown = Object.keys(chosen).find((field) => !Object.hasOwn(source.fields, field));
  if (unknown !== undefined)
    throw new ImportFileError(
      `columns: “${cut(unknown)}” is no field. The fields are ${Object.keys(source.fields).join(', ')}.`,
    );
  const missing = source.required.find((group) => !group.some((field) => Object.hasOwn(chosen, field)));
  if (missing !== undefined)
    throw new ImportFileError(`columns must name the column of ${missing.join(' or ')}.`);
  const names = Object.values(chosen).map(nameKey);
  const twice = Object.values(chosen).find((_, index) => names.indexOf(names[index] ?? '') < index);
  if (twice !== undefined) throw new ImportFileError(`columns names “${cut(twice)}” for two fields.`);
  return new Map<string, Column>([
    ...peopleOf(source),
    ...Object.entries(chosen).map(([field, name]): [string, Column] => [
      nameKey(name),
      { kind: 'field', field },
    ]),
  ]);
}

function peopleOf(source: Source): [string, Column][] {
  return source.people.map((name) => [nameKey(name), { kind: 'person' }]);
}

const CHOOSE =
  ' If they have other names, say which is which: --column shortUrl=NAME --column fallbackUrl=NAME, or columns={"shortUrl":"NAME","fallbackUrl":"NAME"} in the API.';

/** A fatal one makes rows unreadable; the other is that of names that nothing knows. */
function problemOf(
  source: Source,
  columns: readonly Column[],
  names: readonly string[],
): { message: string; isFatal: boolean } | null {
  const found = columns.map((column) => (column.kind === 'field' ? column.field : null));
  if (names.some((name) => name.includes('://')))
    return {
      message: 'The first line must name the columns, and has an address. Add a line with names.',
      isFatal: true,
    };
  const missing = source.required.find((group) => !group.some((field) => found.includes(field)));
  if (missing !== undefined) {
    const wanted = missing.flatMap((field) => source.fields[field] ?? []);
    return {
      message: `The file has no ${wanted.map((name) => `“${name}”`).join(' or ')}. It has: ${listed(names)}.${source.id === 'csv' ? CHOOSE : ''}`,
      isFatal: true,
    };
  }
  const needed = source.required.flat();
  const twice = needed.find((field) => found.indexOf(field) !== found.lastIndexOf(field));
  if (twice !== undefined)
    return {
      message: `The columns ${listed(names.filter((_, index) => found[index] === twice))} are both taken for ${twice}. Leave one out, or import the file with source=csv and columns.`,
      isFatal: true,
    };
  return columns.some(({ kind }) => kind === 'unknown') ? { message: '', isFatal: false } : null;
}

/**
 * The service whose columns these are.
 * @param isUnreadable whether the named source cannot read them: else another one must know more of them, and all.
 */
function findSource(named: Source, names: readonly string[], isUnreadable: boolean): Source | null {
  const countOf = (source: Source) => {
    const known = knownOf(source);
    const columns = names.map(
      (name): Column => known.get(nameKey(name)) ?? { kind: 'unknown', mayProtect: false },
    );
    return {
      source,
      known: columns.filter(({ kind }) => kind !== 'unknown').length,
      isReadable: problemOf(source, columns, names)?.isFatal !== true,
    };
  };
  const own = countOf(named);
  const others = Object.values(SOURCES)
    .filter((source) => source !== named && source.id !== 'csv')
    .map(countOf)
    .filter(
      ({ isReadable, known }) =>
        isReadable && (isUnreadable ? known >= own.known : known > own.known && known === names.length),
    )
    .sort((a, b) => b.known - a.known);
  return others[0]?.source ?? null;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN_COLUMNS).map((name) => `“${cut(name)}”`);
  return names.length > MAX_SHOWN_COLUMNS ? `${shown.join(', ')} and others` : shown.join(', ');
}

function cut(name: string): string {
  return name.length > MAX_SHOWN_CHARACTERS ? `${name.slice(0, MAX_SHOWN_CHARACTERS)}…` : name;
}
