/** Records SQL statements and their query plans. */
import assert from 'node:assert/strict';
import { CompiledQuery, type RootOperationNode } from 'kysely';
import type { Db } from '../../src/db/index.ts';

/** Wraps a database and records each statement. */
export function noting(db: Db, asked: RootOperationNode[]): Db {
  return db.withPlugin({
    transformQuery({ node }) {
      asked.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

/** The query plan of the first statement of a call. */
export async function planOf(db: Db, call: (db: Db) => Promise<unknown>): Promise<string> {
  const asked: RootOperationNode[] = [];
  await call(noting(db, asked));
  const [node] = asked;
  assert.ok(node);
  return JSON.stringify((await explain(db, node)).steps);
}

/** The steps of a statement's plan, one row each, in the engine's format. */
export async function explain(db: Db, node: RootOperationNode): Promise<{ sql: string; steps: unknown[] }> {
  const { sql, parameters } = db.getExecutor().compileQuery(node, { queryId: 'asked' });
  const command = sql.includes('$1') ? 'explain' : 'explain query plan';
  const { rows } = await db.executeQuery(CompiledQuery.raw(`${command} ${sql}`, [...parameters]));
  return { sql, steps: rows };
}

/** Wraps a database; a statement fails if `fault` returns an error. */
export function failing(db: Db, fault: () => Error | null): Db {
  return db.withPlugin({
    transformQuery: ({ node }) => {
      const error = fault();
      if (error !== null) throw error;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

/** A driver's error for an unreachable database. */
export function connectionRefused(): Error {
  return Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
}
