import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Random } from '../traffic/random.ts';

/** The clock and the identifiers of a past moment, so that the service's own functions record as they did then. */
export interface Moment {
  readonly clock: Clock;
  readonly ids: Ids;
}

export function momentAt(atMs: number, random: Random): Moment {
  const ms = Math.floor(atMs);
  return { clock: { nowMs: () => ms }, ids: { next: () => random.uuid(ms) } };
}
