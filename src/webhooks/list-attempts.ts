/** Attempts as their lists have them. */
import type { Foundation } from '../foundation.ts';
import { type Dispatcher, findPauses } from './attempts/index.ts';
import { findWebhooks, type LoggedAttempt, listAttempts } from './queries.ts';

/** Newest first. What waits for the end of its receiver's pause keeps an earlier place in the queue, but is not sent before. */
export async function listAttemptsWithPauses(
  deps: Pick<Foundation, 'db' | 'clock'> & { readonly dispatcher: Dispatcher },
  appId: string,
  page: Parameters<typeof listAttempts>[2],
): Promise<LoggedAttempt[]> {
  const { db, dispatcher } = deps;
  const attempts = await listAttempts(db, appId, page);
  const waiting = attempts.filter((each) => each.next_attempt_at !== null);
  const ids = [...new Set(waiting.map(({ webhook_id: id }) => id))];
  if (ids.length === 0) return attempts;
  const webhooks = await findWebhooks(
    db,
    ids.map((webhookId) => ({ appId, webhookId })),
  );
  const receiverOf = new Map([...webhooks].map(([id, webhook]) => [id, dispatcher.receiverOf(webhook).id]));
  const pauses = await findPauses(db, deps, [...new Set(receiverOf.values())]);
  return attempts.map((attempt) => {
    const pausedUntil = pauses.get(receiverOf.get(attempt.webhook_id) ?? '') ?? null;
    const nextAt = attempt.next_attempt_at;
    const isLater = nextAt !== null && pausedUntil !== null && pausedUntil > nextAt;
    return isLater ? { ...attempt, next_attempt_at: pausedUntil } : attempt;
  });
}
