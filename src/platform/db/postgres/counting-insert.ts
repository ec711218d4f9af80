import type { CountedBy, RowCounts } from '../store.ts';

/**
 * One statement that inserts rows and adds them to their counts. The counts come last, so that their rows are locked for
 * no longer than the commit takes, and in the order of their key, so that two transactions never both wait for each other.
 * @param insert without `returning`.
 * @param types of the counting table's columns, by their names.
 */
export function countingInsert(
  insert: string,
  { table, key, sum }: RowCounts,
  types: ReadonlyMap<string, string>,
): string {
  const columns = Object.keys(key);
  const parts = Object.entries(key).map(([column, by]) => ({
    value: keyValue(by, types.get(column)),
    read: columnRead(by),
  }));
  const read = new Set(parts.flatMap((part) => part.read ?? []));
  const places = parts.flatMap((part, index) => (part.read === null ? [] : [index + 1])).join(', ');
  return `with inserted as (${insert} returning ${[...read].join(', ')})
    insert into ${table} (${columns.join(', ')}, ${sum})
    select ${parts.map(({ value }) => value).join(', ')}, count(*) from inserted group by ${places} order by ${places}
    on conflict (${columns.join(', ')}) do update set ${sum} = ${table}.${sum} + excluded.${sum}`;
}

function columnRead(by: CountedBy): string | null {
  if ('is' in by) return null;
  return 'dayOf' in by ? by.dayOf : by.column;
}

function keyValue(by: CountedBy, type: string | undefined): string {
  if ('is' in by) return `'${by.is}'::${type}`;
  if ('dayOf' in by) return `to_char(${by.dayOf} at time zone 'UTC', 'YYYY-MM-DD')`;
  return by.orEmpty ? `coalesce(${by.column}, '')` : by.column;
}
