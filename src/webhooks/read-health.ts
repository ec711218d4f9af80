import type { Foundation } from '../foundation.ts';
import { countWaitingByWebhook, findPauses, listResults, receiverOf } from './attempts/index.ts';
import type { WebhookRow } from './webhook.ts';

/** How a webhook fares. */
interface WebhookHealth {
  readonly webhook: WebhookRow;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
  readonly waiting: number;
  readonly failed24h: number;
  readonly delivered24h: number;
  readonly pausedUntil: string | null;
}

/** Of an app's webhooks, in their order. Three statements, whose time does not grow with the log. */
export async function readHealth(
  { db, clock }: Pick<Foundation, 'db' | 'clock'>,
  appId: string,
  webhooks: readonly WebhookRow[],
): Promise<WebhookHealth[]> {
  const receiverIds = webhooks.map((webhook) => receiverOf(webhook).id);
  const [results, waiting, pauses] = await Promise.all([
    listResults(db, { clock }, appId),
    countWaitingByWebhook(db, webhooks),
    findPauses(db, { clock }, receiverIds),
  ]);
  const resultsOf = new Map(results.map((result) => [result.webhook_id, result]));
  return webhooks.map((webhook, index) => {
    const of = resultsOf.get(webhook.id);
    return {
      webhook,
      lastSuccessAt: of?.last_success_at ?? null,
      lastFailureAt: of?.last_failure_at ?? null,
      waiting: waiting.get(webhook.id) ?? 0,
      failed24h: Number(of?.failed ?? 0),
      delivered24h: Number(of?.delivered ?? 0),
      pausedUntil: pauses.get(receiverIds[index] ?? '') ?? null,
    };
  });
}
