import type { Compilable } from 'kysely';
import type pg from 'pg';
import type { Db, Write } from '../store.ts';

/** See `Store.commit`. Statements of many rows are planned once each, but not as parts of another statement. */
export async function commitInTurn(db: Db, statements: readonly Write[]): Promise<number | null> {
  const committed = db.transaction().execute(async (tx) => {
    for (const [index, statement] of statements.entries()) {
      const { rows, numAffectedRows } = await tx.executeQuery(statement.compile());
      const count = Number(numAffectedRows ?? rows.length);
      if (count !== (statement.rows ?? Math.max(count, 1))) throw new ChangedNothing(index);
    }
    return null;
  });
  return await committed.catch((error: unknown) => {
    if (error instanceof ChangedNothing) return error.index;
    throw error;
  });
}

class ChangedNothing extends Error {
  readonly index: number;

  constructor(index: number) {
    super(`statement ${index} changed nothing`);
    this.index = index;
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
