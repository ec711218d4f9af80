import type { Compilable } from 'kysely';
import type pg from 'pg';

/**
 * One statement does the work of a transaction: each given one is a part of its `with`, and the parts are all done or
 * none. Counting the rows of a part that changed none fails on purpose, which undoes the others.
 */
export async function commit(
  connection: Pick<pg.ClientBase, 'query'>,
  statements: readonly Compilable[],
): Promise<number | null> {
  const { text, values } = toOne(statements);
  try {
    await connection.query(text, values);
    return null;
  } catch (error) {
    const failed = /part (\d+) changed nothing/.exec(error instanceof Error ? error.message : '');
    if (failed === null) throw error;
    return Number(failed[1]);
  }
}

function toOne(statements: readonly Compilable[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const parts: string[] = [];
  for (const [i, statement] of statements.entries()) {
    const { sql, parameters } = statement.compile();
    const before = values.length;
    // Kysely writes values as parameters only, so whatever looks like one is one.
    parts.push(`part_${i} as (${sql.replace(/\$(\d+)/g, (_, place) => `$${before + Number(place)}`)})`);
    values.push(...parameters);
  }
  return {
    text: `with ${parts.join(', ')} select ${parts.map((_, i) => countOrFail(i)).join(', ')}`,
    values,
  };
}

/** The cast fails; it is none of a constant, which the planner would try by itself. */
function countOrFail(i: number): string {
  const count = `(select count(*) from part_${i})`;
  return `(case ${count} when 0 then 'part ${i} changed nothing' else ${count}::text end)::bigint`;
}
