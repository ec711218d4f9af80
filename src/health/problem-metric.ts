import { Gauge } from 'prom-client';
import type { Foundation } from '../foundation.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { SharedReading } from '../lib/shared-reading.ts';

/** A look takes many statements, and what only it finds lasts for hours. */
const LOOK_EVERY_MS = 5 * MINUTE_MS;

/** The problems of the health, by code. The health is read at a scrape only. */
export function addProblemMetric(
  { metrics, clock }: Pick<Foundation, 'metrics' | 'clock'>,
  readHealth: () => Promise<{ readonly problems: readonly { readonly code: string }[] }>,
): void {
  const reading = new SharedReading(readHealth, {
    everyMs: LOOK_EVERY_MS,
    nowMs: () => clock.nowMs(),
  });
  new Gauge({
    name: 'throughline_problem',
    help: '1 for each problem that the health has (GET /v1/admin/health), by code; looked for every five minutes',
    labelNames: ['code'],
    registers: [metrics],
    async collect() {
      const health = await reading.latest();
      this.reset();
      for (const { code } of health?.problems ?? []) this.set({ code }, 1);
    },
  });
}
