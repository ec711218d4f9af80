import { Counter, type Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { createOutgoing, type Outgoing, parseNetworks } from '../../lib/outgoing/index.ts';
import type { Attempt } from './attempt.ts';
import { MAX_IN_FLIGHT } from './endpoint-scheduler.ts';
import { type AttemptResult, send } from './send.ts';

interface SenderDeps {
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Registry;
}

/** Makes attempts, and interrupts those in flight when the service stops. */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #outgoing: Outgoing;
  readonly #attempts: Counter<'outcome'>;
  readonly #interruption = new AbortController();

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#outgoing = createOutgoing({
      allowed: parseNetworks(deps.config.webhookAllowCidrs),
      // The scheduler bounds attempts by webhook; many webhooks may share the origin of a chat platform.
      connectionsPerOrigin: MAX_IN_FLIGHT,
    });
    this.#attempts = new Counter({
      name: 'throughline_webhook_attempts_total',
      help: 'Finished attempts to deliver to webhooks, by outcome',
      labelNames: ['outcome'],
      registers: [deps.metrics],
    });
  }

  async send({ target, message }: Attempt): Promise<AttemptResult> {
    const { signal } = this.#interruption;
    const result = await send(this.#deps, { outgoing: this.#outgoing, target, message, signal });
    this.#attempts.inc({ outcome: outcomeOf(result) });
    return result;
  }

  /** Ends all attempts. */
  interrupt(): void {
    this.#interruption.abort();
  }

  async close(): Promise<void> {
    await this.#outgoing.close();
  }
}

function outcomeOf({ success, isInterrupted, pauseMs }: AttemptResult): string {
  if (success) return 'delivered';
  if (isInterrupted) return 'interrupted';
  return pauseMs === null ? 'failed' : 'paused';
}
