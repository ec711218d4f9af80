import type { Registry } from 'prom-client';
import type { Log } from '../lib/log.ts';
import type { Database } from './follow.ts';
import { isWanted } from './wanted.ts';

/** Traces that go to a collector. */
export interface Tracing {
  /** Counts spans in `/metrics`. */
  countIn(metrics: Registry): void;
  /** Sends what is left, for a short time. */
  stop(): Promise<void>;
}

/** @returns null unless OpenTelemetry's variables name a collector. */
export async function startTracing(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  database: Database,
): Promise<Tracing | null> {
  if (!isWanted(env)) return null;
  const { startExporting } = await import('./exporting.ts');
  return startExporting(env, log, database);
}
