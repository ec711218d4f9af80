import { Gauge } from 'prom-client';
import type { Foundation } from '../foundation.ts';

/** @param gauge.read undefined leaves the metric out. */
export function addGauge(
  { metrics }: Pick<Foundation, 'metrics'>,
  { name, help, read }: { name: string; help: string; read: () => Promise<number | undefined> },
): void {
  new Gauge({
    ...{ name, help, registers: [metrics] },
    async collect() {
      const value = await read();
      // A gauge without labels is 0 after a reset.
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}
