import { Histogram } from 'prom-client';
import type { Observe } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { statementEnded } from '../lib/channels.ts';
import { SECOND_MS } from '../lib/clock.ts';

const OPERATIONS = ['select', 'insert', 'update', 'delete', 'commit', 'other'] as const;

/** Measures the statements of this process, and shows them to traces. */
export function observeStatements({ metrics }: Pick<Foundation, 'metrics'>): Observe {
  const histogram = new Histogram({
    name: 'throughline_database_statement_duration_seconds',
    help: 'Statements and commits of the process, by operation',
    labelNames: ['operation'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  // Kept, so that a statement does not look for its labels.
  const byOperation = Object.fromEntries(
    OPERATIONS.map((operation) => [operation, histogram.labels({ operation })]),
  ) as Record<(typeof OPERATIONS)[number], Histogram.Internal<'operation'>>;
  return (statement) => {
    byOperation[statement.operation].observe(statement.ms / SECOND_MS);
    if (statementEnded.hasSubscribers) statementEnded.publish(statement);
  };
}
