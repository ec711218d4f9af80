import type { Db } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ReceiverLines } from './receiver-lines.ts';
import { findEndedPauses } from './receiver-queries.ts';

const RECEIVERS_AT_ONCE = 500;

/** Lets go on what waits here for a receiver whose pause another process ended. */
export async function passEndedPauses(
  deps: { readonly db: Db; readonly clock: Clock },
  lines: ReceiverLines,
): Promise<void> {
  const ended = await findEndedPauses(deps.db, deps, lines.heldReceivers(RECEIVERS_AT_ONCE));
  for (const [receiverId, endedAtMs] of ended) lines.endPause(receiverId, endedAtMs);
}
