import { recordChange } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import { type Db, toFlag } from '../db/index.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { Eraser } from './eraser.ts';
import { addressHashes } from './find-person.ts';
import { type ErasureRequest, insertErasureRequests } from './queries.ts';
import { type EraseInput, identifiersOf, namesOf } from './schemas.ts';

/**
 * Accepts a request to erase a person.
 * @returns a request id for each identifier. Each request has both, so that the first one finds the records of both.
 */
export async function requestErasure(
  { db, clock, ids, secrets, eraser }: { db: Db; clock: Clock; ids: Ids; secrets: Secrets; eraser: Eraser },
  { actor, input }: { actor: Actor; input: EraseInput },
): Promise<string[]> {
  const { ipAddress, userId } = identifiersOf(input);
  const identifiers = namesOf({ ipAddress, userId });
  const request: Omit<ErasureRequest, 'id'> = {
    app_id: actor.appId,
    sandbox: toFlag(actor.mode === 'test'),
    // Separated by a space, which no hash contains.
    ip_hash: addressHashes({ secrets }, actor.appId, ipAddress).join(' ') || null,
    user_id: userId,
    requested_at: isoTime(clock.nowMs()),
    identifiers_found_at: null,
    scrubbed_at: null,
    completed_at: null,
    counts: '{}',
    spare_shared: toFlag(input.spareShared === true),
    identifiers: JSON.stringify(identifiers),
  };
  const requests = identifiers.map(() => ({ ...request, id: ids.next() }));
  const requestIds = requests.map(({ id }) => id);
  const about = {
    ...{ requestIds, identifiers, requesterEmail: input.requesterEmail ?? null },
    ...(input.spareShared === true && { spareShared: true }),
  };
  const change = { appId: actor.appId, by: authorOf(actor), sandbox: request.sandbox, about };
  await db.transaction().execute(async (tx) => {
    await insertErasureRequests(tx, requests);
    await recordChange(tx, { clock, ids }, { ...change, action: 'privacy.erasure_requested' });
  });
  eraser.wake();
  return requestIds;
}
