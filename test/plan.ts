/** What a database does for a statement, without how long it takes on this machine. */
import assert from 'node:assert/strict';
import { CompiledQuery, type RootOperationNode } from 'kysely';
import type { Db } from '../src/platform/db/index.ts';

/** How the database means to find what a call asks for. */
export async function planOf(db: Db, call: (db: Db) => Promise<unknown>): Promise<string> {
  const asked: RootOperationNode[] = [];
  await call(
    db.withPlugin({
      transformQuery({ node }) {
        asked.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  );
  const [node] = asked;
  assert.ok(node);
  const { sql, parameters } = db.getExecutor().compileQuery(node, { queryId: 'asked' });
  const explain = sql.includes('$1') ? 'explain' : 'explain query plan';
  const { rows } = await db.executeQuery(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]));
  return JSON.stringify(rows);
}
