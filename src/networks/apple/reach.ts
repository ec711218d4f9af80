/** Whether Apple answers, for the people who run the service: in the log, the metrics and the health of this process. */
import { Counter } from 'prom-client';
import type { Foundation } from '../../foundation.ts';
import { DAY_MS } from '../../lib/clock.ts';
import type { AppleOutcome } from './answer.ts';

/** Since when Apple does not answer, and why. */
interface AppleAway {
  readonly sinceMs: number;
  readonly reason: string;
}

interface Attempted {
  readonly isInterrupted: boolean;
  readonly errorMessage: string | null;
  readonly outcome?: AppleOutcome;
}

const CONDITION = 'apple_ads.unreachable';

export function createReach({ clock, log, metrics }: Pick<Foundation, 'clock' | 'log' | 'metrics'>) {
  const exchanges = new Counter({
    name: 'throughline_apple_ads_exchanges_total',
    help: 'Questions to Apple about tokens of Apple Ads by outcome; unreachable: no answer, or none that Apple documents',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  let away: (AppleAway & { readonly lastMs: number }) | null = null;
  return {
    note({ isInterrupted, outcome: read, errorMessage }: Attempted): void {
      const outcome = read?.outcome ?? null;
      // Nothing was asked, or the outcome is unknown.
      if (isInterrupted || outcome === 'stopped' || outcome === 'gave_up') return;
      exchanges.inc({ outcome: outcome ?? 'unreachable' });
      if (outcome !== null) {
        if (away !== null) log.warn({ over: CONDITION }, 'Apple answers again');
        away = null;
        return;
      }
      const reason = errorMessage ?? 'There was no answer.';
      const lastMs = clock.nowMs();
      away = { sinceMs: away?.sinceMs ?? lastMs, reason, lastMs };
      log.warn({ condition: CONDITION, reason }, 'Apple does not answer about tokens of Apple Ads');
    },
    /** Null while Apple answers, or was not asked for a day. */
    away(): AppleAway | null {
      return away !== null && clock.nowMs() - away.lastMs <= DAY_MS ? away : null;
    },
  };
}
export type Reach = ReturnType<typeof createReach>;
