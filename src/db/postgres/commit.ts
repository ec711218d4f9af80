import type { Compilable } from 'kysely';
import type pg from 'pg';
import { isUniqueViolation } from '../faults.ts';
import type { NewRows, Write } from '../store.ts';
import { copyRows, isCopyFault } from './insert-row-texts.ts';

/** See `Store.commit`. Statements of many rows are planned once each, but not as parts of another statement. */
export async function commitInTurn(
  pool: pg.Pool,
  statements: readonly (Write | NewRows)[],
): Promise<number | null> {
  const client = await pool.connect();
  let isClean = false;
  try {
    await client.query('begin');
    for (const [index, statement] of statements.entries()) {
      if (await run(client, statement)) continue;
      // A failed COPY has closed the connection.
      if (!('text' in statement)) {
        await client.query('rollback');
        isClean = true;
      }
      return index;
    }
    await client.query('commit');
    isClean = true;
    return null;
  } finally {
    client.release(!isClean);
  }
}

/** @returns false if it changed fewer rows, or the key of one exists. */
async function run(client: pg.PoolClient, statement: Write | NewRows): Promise<boolean> {
  if (!('text' in statement)) {
    const { sql, parameters } = statement.compile();
    const { rowCount } = await client.query(sql, [...parameters]);
    const count = Number(rowCount);
    return count === (statement.rows ?? Math.max(count, 1));
  }
  try {
    await copyRows(client, statement, [Buffer.from(statement.text)]);
    return true;
  } catch (error) {
    if (isUniqueViolation(error) || isCopyFault(error)) return false;
    throw error;
  }
}

/**
 * Runs statements as the parts of one `with` statement: one round trip, all or nothing. Counting a part without rows
 * raises an error on purpose, which rolls back the others. A part runs when its rows are first counted, so the parts run
 * in order and the first one without rows fails; PostgreSQL does not document that order. See `Store.commit`.
 * @param toOne makes one statement that does the same in another way.
 */
export async function commit(
  connection: Pick<pg.ClientBase, 'query'>,
  statements: readonly Compilable[],
  toOne: (statements: readonly Compilable[]) => { text: string; values: unknown[] } = toOneStatement,
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

export function toOneStatement(statements: readonly Compilable[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const parts: string[] = [];
  for (const [i, statement] of statements.entries()) {
    const { sql, parameters } = statement.compile();
    const before = values.length;
    // Kysely writes no literals, so every `$n` is a parameter.
    parts.push(`part_${i} as (${sql.replace(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`)})`);
    values.push(...parameters);
  }
  return {
    text: `with ${parts.join(', ')} select ${parts.map((_, i) => countOrFail(i)).join(', ')}`,
    values,
  };
}

/** The cast raises the error; `else` keeps the planner from evaluating it as a constant. */
function countOrFail(i: number): string {
  const count = `(select count(*) from part_${i})`;
  return `(case ${count} when 0 then 'part ${i} changed nothing' else ${count}::text end)::bigint`;
}
