import type { Foundation } from '../../foundation.ts';
import type { Random } from '../traffic/random.ts';

/** The clock and the identifiers of a past moment, so that the service's own functions record as they did then. */
export type Moment = Pick<Foundation, 'clock' | 'ids'>;

export function momentAt(atMs: number, random: Random): Moment {
  const ms = Math.floor(atMs);
  return { clock: { nowMs: () => ms }, ids: { next: () => random.uuid(ms) } };
}
