/**
 * Commits the statements of one app on the app's node, by a function that Citus runs there: one round trip. As parts of one
 * `with` statement, the coordinator plans them anew each time and runs them one after the other over the network.
 */
import { type Compilable, sql } from 'kysely';
import { FIRST_BY_APP, NOT_BY_APP } from '../../schema/placements.ts';
import type { Db } from '../store.ts';

const NAME = 'throughline_commit';
const SIGNATURE = `${NAME}(uuid, text[], text[])`;

/** `format` quotes the values, so they have the types that they have as parameters. */
const DEFINITION = `
  create or replace function ${NAME}(app_id uuid, parts text[], part_values text[]) returns bigint
  language plpgsql set search_path from current as $$
  declare
    changed bigint;
  begin
    for part in 1 .. array_length(parts, 1) loop
      execute format(parts[part], variadic part_values);
      get diagnostics changed = row_count;
      if changed = 0 then
        raise exception 'part % changed nothing', part - 1;
      end if;
    end loop;
    return null;
  end $$`;

/** Without the function, or for rows elsewhere too, statements are committed as on one PostgreSQL. */
export async function createCommitFunction(db: Db): Promise<void> {
  if (await hasCommitFunction(db)) return;
  await sql.raw(DEFINITION).execute(db);
  await sql`
    select create_distributed_function(${SIGNATURE}, 'app_id', colocate_with => ${FIRST_BY_APP})`.execute(db);
}

/** Whether the nodes have the function. */
export async function hasCommitFunction(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_catalog.pg_dist_object
    where classid = 'pg_proc'::regclass and objid = to_regprocedure(${SIGNATURE})
      and distribution_argument_index is not null`.execute(db);
  return rows.length > 0;
}

const ELSEWHERE = new RegExp(`\\b(?:${NOT_BY_APP.join('|')})\\b`);

/** @returns null if the function cannot commit the statements: some rows are not on the app's node. */
export function toNodeCommit(
  appId: string,
  statements: readonly Compilable[],
): { text: string; values: unknown[] } | null {
  const parts: string[] = [];
  const values: (string | null)[] = [];
  for (const statement of statements) {
    const { sql, parameters } = statement.compile();
    if (ELSEWHERE.test(sql) || !parameters.every(isPlain)) return null;
    const before = values.length;
    parts.push(sql.replaceAll('%', '%%').replace(/\$(\d+)/g, (_, place) => `%${before + Number(place)}$L`));
    values.push(...parameters.map((value) => (value === null ? null : String(value))));
  }
  return { text: `select ${NAME}($1, $2, $3)`, values: [appId, parts, values] };
}

function isPlain(value: unknown): boolean {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
  );
}
