import type { Foundation } from '../foundation.ts';
import {
  countInFlight,
  countWaitingByWebhook,
  type Dispatcher,
  findPauses,
  findResults,
  MAX_WAITING,
} from './attempts/index.ts';
import type { WebhookRow } from './webhook.ts';

/** How a webhook fares. */
export interface WebhookHealth {
  readonly webhook: WebhookRow;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
  readonly failingSince: string | null;
  readonly waiting: number;
  readonly failed24h: number;
  readonly delivered24h: number;
  readonly pausedUntil: string | null;
}

/** Of webhooks of an app, in their order. Some statements, whose time does not grow with the log. */
export async function readHealth(
  { db, clock, dispatcher }: Pick<Foundation, 'db' | 'clock'> & { readonly dispatcher: Dispatcher },
  appId: string,
  webhooks: readonly WebhookRow[],
): Promise<WebhookHealth[]> {
  const webhookIds = webhooks.map(({ id }) => id);
  const receiverIds = webhooks.map((webhook) => dispatcher.receiverOf(webhook).id);
  const [results, waiting, inFlight, pauses] = await Promise.all([
    findResults(db, { clock }, { appId, webhookIds }),
    countWaitingByWebhook(db, webhooks),
    countInFlight(
      db,
      webhooks.filter(({ kind }) => kind === 'destination'),
    ),
    findPauses(db, { clock }, receiverIds),
  ]);
  return webhooks.map((webhook, index) => {
    const result = results.get(webhook.id);
    return {
      webhook,
      lastSuccessAt: result?.lastSuccessAt ?? null,
      lastFailureAt: result?.lastFailureAt ?? null,
      failingSince: result?.failingSince ?? null,
      waiting: Math.min(MAX_WAITING, (waiting.get(webhook.id) ?? 0) + (inFlight.get(webhook.id) ?? 0)),
      failed24h: result?.failed ?? 0,
      delivered24h: result?.delivered ?? 0,
      pausedUntil: pauses.get(receiverIds[index] ?? '') ?? null,
    };
  });
}
