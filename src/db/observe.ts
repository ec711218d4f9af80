import {
  AliasNode,
  DeleteQueryNode,
  InsertQueryNode,
  type LogConfig,
  type OperationNode,
  type RootOperationNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely';
import type { Statement } from '../lib/channels.ts';
import { monotonicMs } from '../lib/clock.ts';
import type { Store } from './store.ts';

/** Told of statements when they have ended. */
export type Observe = (statement: Statement) => void;

const OPERATIONS: Readonly<Record<string, Statement['operation']>> = {
  SelectQueryNode: 'select',
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
};

/** Statements of Kysely. */
export function logTo(observe: Observe): LogConfig {
  return ({ level, query: { query }, queryDurationMillis: ms }) =>
    observe({
      operation: OPERATIONS[query.kind] ?? 'other',
      table: tableOf(query),
      ms,
      hasFailed: level === 'error',
    });
}

/** Statements that do not pass through Kysely. */
export function observed(store: Store, observe: Observe): Store {
  const timed = async <T>(of: Pick<Statement, 'operation' | 'table'>, work: Promise<T>): Promise<T> => {
    const startedMs = monotonicMs();
    let hasFailed = true;
    try {
      const result = await work;
      hasFailed = false;
      return result;
    } finally {
      observe({ ...of, ms: monotonicMs() - startedMs, hasFailed });
    }
  };
  return {
    ...store,
    commit: (statements, appId) =>
      timed({ operation: 'commit', table: null }, store.commit(statements, appId)),
    insertRowTexts: (into, texts) =>
      timed({ operation: 'insert', table: into.table }, store.insertRowTexts(into, texts)),
  };
}

/** The first one that the statement names; null for a raw one and for one of a subquery. */
function tableOf(query: RootOperationNode): string | null {
  const named = targetOf(query);
  const node = named !== undefined && AliasNode.is(named) ? named.node : named;
  return node !== undefined && TableNode.is(node) ? node.table.identifier.name : null;
}

function targetOf(query: RootOperationNode): OperationNode | undefined {
  if (InsertQueryNode.is(query)) return query.into;
  if (UpdateQueryNode.is(query)) return query.table;
  return SelectQueryNode.is(query) || DeleteQueryNode.is(query) ? query.from?.froms[0] : undefined;
}
