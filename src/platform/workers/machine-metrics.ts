import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ProcessMetrics, Reply } from './messages.ts';

/** One text of many processes' metrics: counters are added up, gauges as each of them says. */
export async function sumMetrics(all: readonly ProcessMetrics[]): Promise<string> {
  return await AggregatorRegistry.aggregate([...all]).metrics();
}

/** The number that the supervisor's own metrics bear. */
const SUPERVISOR = 0;

/**
 * The metrics of all processes of a machine, the supervisor's own among them. What workers that died had counted when
 * they were last asked stays: a sum that fell with every death would be taken for a start from zero.
 */
export class MachineMetrics {
  readonly #own = new Registry();
  /** What each worker that lives said last. */
  readonly #last = new Map<number, ProcessMetrics>();
  #departed: Promise<ProcessMetrics> = Promise.resolve([]);

  /** @param listening how many workers are listening now. */
  constructor(listening: () => number) {
    collectDefaultMetrics({ register: this.#own });
    new Gauge({
      name: 'throughline_workers',
      help: 'Workers that are listening',
      registers: [this.#own],
      collect() {
        this.set(listening());
      },
    });
  }

  note(worker: number, metrics: ProcessMetrics): void {
    this.#last.set(worker, metrics);
  }

  async noteDeath(worker: number): Promise<void> {
    const last = this.#last.get(worker) ?? [];
    this.#last.delete(worker);
    const counted = last.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
    // One after the other: workers may die together.
    this.#departed = this.#departed.then((before) =>
      AggregatorRegistry.aggregate([before, counted]).getMetricsAsJSON(),
    );
    await this.#departed;
  }

  async all(): Promise<readonly Reply<'metrics'>[]> {
    const [own, departed] = await Promise.all([this.#own.getMetricsAsJSON(), this.#departed]);
    const all = [...this.#last, [SUPERVISOR, own] as const, [SUPERVISOR, departed] as const];
    return all.map(([worker, answer]) => ({ worker, state: 'answered', answer }));
  }
}
