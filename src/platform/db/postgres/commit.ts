import type pg from 'pg';
import type { Committed, Step } from '../store.ts';

/**
 * One statement does the work of a transaction: each step is a part of its `with`, and the parts are all done or none.
 * Counting the rows of a required step that changed none fails on purpose, which undoes the others.
 */
export async function commit(pool: pg.Pool, steps: readonly Step[]): Promise<Committed> {
  const { text, values } = toStatement(steps);
  try {
    const { rows } = await pool.query<Record<string, number>>(text, values);
    return { changes: Object.values(rows[0] ?? {}) };
  } catch (error) {
    const failed = /step (\d+) changed nothing/.exec(error instanceof Error ? error.message : '');
    if (failed === null) throw error;
    return { failedStep: Number(failed[1]) };
  }
}

function toStatement(steps: readonly Step[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const parts: string[] = [];
  const counts: string[] = [];
  for (const [i, { query, isRequired }] of steps.entries()) {
    const name = `step_${i}`;
    const { sql, parameters } = query.compile();
    const before = values.length;
    // Kysely writes values as parameters only, so whatever looks like one is one.
    parts.push(`${name} as (${sql.replace(/\$(\d+)/g, (_, place) => `$${before + Number(place)}`)})`);
    counts.push(`${isRequired ? countOrFail(i) : `(select count(*) from ${name})`} as ${name}`);
    values.push(...parameters);
  }
  return { text: `with ${parts.join(', ')} select ${counts.join(', ')}`, values };
}

/** The cast fails; it is none of a constant, which the planner would try by itself. */
function countOrFail(i: number): string {
  const count = `(select count(*) from step_${i})`;
  return `(case ${count} when 0 then 'step ${i} changed nothing' else ${count}::text end)::bigint`;
}
