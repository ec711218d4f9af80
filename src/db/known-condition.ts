import { AppError } from '../errors.ts';
import type { KnownCondition } from '../lib/log.ts';
import { isNodeAway, isUnavailable } from './faults.ts';

const AWAY: KnownCondition = {
  condition: 'database away',
  text: 'The database is unavailable or refuses statements. Calls that need it get 503 (docs/guide/outages.md)',
};

const NODE_AWAY: KnownCondition = {
  condition: 'node away',
  text: 'A node of the cluster is away. Calls of its apps get 503, and their background work waits (docs/guide/citus.md)',
};

/** The line of the log that ends the condition; a warning, so that every reader of the first line sees it. */
export const DATABASE_BACK = [{ over: AWAY.condition }, 'The database is back'] as const;

/** For the log: what needs no stack, and is one condition wherever it is noticed. */
export function conditionOf(error: unknown): KnownCondition | null {
  if (isNodeAway(error)) return NODE_AWAY;
  if (isUnavailable(error)) return AWAY;
  if (!(error instanceof Error)) return null;
  const cause = conditionOf(error.cause);
  if (cause !== null || !(error instanceof AppError)) return cause;
  if (error.code === 'database.unavailable') return AWAY;
  return error.status === 503
    ? { condition: error.code, text: `Calls get 503 ${error.code}. ${error.message}` }
    : null;
}
