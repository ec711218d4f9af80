import { Counter, Gauge } from 'prom-client';
import type { Foundation } from '../foundation.ts';
import { loopRuns, type Work } from '../lib/channels.ts';
import { SECOND_MS } from '../lib/clock.ts';

/** Counts the runs of background tasks. @returns ends it. */
export function countLoopRuns({ metrics, clock }: Pick<Foundation, 'metrics' | 'clock'>): () => void {
  const registers = [metrics];
  const labelNames = ['loop'] as const;
  const runs = new Counter({
    ...{ name: 'throughline_loop_runs_total', help: 'Runs of background tasks that succeeded', labelNames },
    registers,
  });
  const failures = new Counter({
    ...{ name: 'throughline_loop_failures_total', help: 'Runs of background tasks that failed', labelNames },
    registers,
  });
  const lastAt = new Gauge({
    ...{ name: 'throughline_loop_last_success_timestamp_seconds', labelNames, registers },
    help: 'When a background task last succeeded',
  });
  const subscribers = {
    asyncEnd(message: unknown) {
      const { name: loop, error } = message as Work & { error?: unknown };
      if (error !== undefined) {
        failures.inc({ loop });
        return;
      }
      runs.inc({ loop });
      failures.inc({ loop }, 0);
      lastAt.set({ loop }, clock.nowMs() / SECOND_MS);
    },
  };
  loopRuns.subscribe(subscribers as Parameters<typeof loopRuns.subscribe>[0]);
  return () => void loopRuns.unsubscribe(subscribers as Parameters<typeof loopRuns.unsubscribe>[0]);
}
