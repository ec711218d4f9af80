import { isShared } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { addDatabaseMetrics } from './database-metrics.ts';
import { countLoopRuns } from './loops.ts';
import { addProcessMetrics } from './process-metrics.ts';

/** The metrics that no module has of its own. */
export interface Monitoring {
  stop(): void;
}

export async function startMonitoring(
  deps: Pick<Foundation, 'store' | 'db' | 'clock' | 'config' | 'log' | 'metrics'>,
): Promise<Monitoring> {
  addProcessMetrics(deps, isShared(deps.db) ? 'postgres' : 'sqlite');
  await addDatabaseMetrics(deps);
  return { stop: countLoopRuns(deps) };
}
