import type { Actor } from '../apps/index.ts';
import { insertAuditEntries } from '../audit/index.ts';
import type { Ctx } from '../ctx.ts';
import { toFlag } from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';
import type { Eraser } from './eraser.ts';
import { type ErasureRequest, insertErasureRequests } from './queries.ts';
import { type EraseInput, identifiersOf } from './schemas.ts';

/**
 * Accepts a request to erase a person.
 * @returns a request id for each identifier. Each request has both, so that the first one finds the records of both.
 */
export async function requestErasure(
  ctx: Ctx & { eraser: Eraser },
  { actor, input }: { actor: Actor; input: EraseInput },
): Promise<string[]> {
  const { ipAddress, userId } = identifiersOf(input);
  const now = isoTime(ctx.clock.nowMs());
  const request: Omit<ErasureRequest, 'id'> = {
    app_id: actor.appId,
    sandbox: toFlag(actor.mode === 'test'),
    ip_hash: ipAddress === null ? null : ctx.secrets.hashAddress(actor.appId, ipAddress),
    user_id: userId,
    requested_at: now,
    ways_found_at: null,
    scrubbed_at: null,
    completed_at: null,
    counts: '{}',
  };
  const identifiers = Object.entries({ ipAddress, userId }).flatMap(([name, value]) =>
    value === null ? [] : [name],
  );
  const requests = identifiers.map(() => ({ ...request, id: ctx.ids.next() }));
  const requestIds = requests.map(({ id }) => id);
  await ctx.db.transaction().execute(async (tx) => {
    await insertErasureRequests(tx, requests);
    await insertAuditEntries(tx, [
      {
        app_id: actor.appId,
        id: ctx.ids.next(),
        action: 'privacy.erasure_requested',
        details: JSON.stringify({
          requestIds,
          identifiers,
          requesterEmail: input.requesterEmail ?? null,
          keyId: actor.keyId,
        }),
        sandbox: request.sandbox,
        created_at: now,
      },
    ]);
  });
  ctx.eraser.wake();
  return requestIds;
}
