import type { Foundation } from '../foundation.ts';
import {
  countWaitingByWebhook,
  findFailingSince,
  findPauses,
  listResults,
  receiverOf,
} from './attempts/index.ts';
import type { WebhookRow } from './webhook.ts';

type HealthDeps = Pick<Foundation, 'db' | 'clock'>;

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

/** Of an app's webhooks, in their order. */
export async function readHealth(
  deps: HealthDeps,
  appId: string,
  webhooks: readonly WebhookRow[],
): Promise<WebhookHealth[]> {
  const healthOf = await healthReader(deps, webhooks, { appId, webhookId: null });
  return webhooks.map(healthOf);
}

export async function readHealthOf(deps: HealthDeps, webhook: WebhookRow): Promise<WebhookHealth> {
  const of = { appId: webhook.app_id, webhookId: webhook.id };
  return (await healthReader(deps, [webhook], of))(webhook);
}

/** Some statements, whose time does not grow with the log: there is a row for each hour. */
async function healthReader(
  { db, clock }: HealthDeps,
  webhooks: readonly WebhookRow[],
  of: { appId: string; webhookId: string | null },
): Promise<(webhook: WebhookRow) => WebhookHealth> {
  const [results, waiting, pauses] = await Promise.all([
    listResults(db, { clock }, of),
    countWaitingByWebhook(db, webhooks),
    findPauses(
      db,
      { clock },
      webhooks.map((webhook) => receiverOf(webhook).id),
    ),
  ]);
  const failingSince = await findFailingSince(db, of.appId, results);
  const resultsOf = new Map(results.map((result) => [result.webhook_id, result]));
  return (webhook) => {
    const result = resultsOf.get(webhook.id);
    return {
      webhook,
      lastSuccessAt: result?.last_success_at ?? null,
      lastFailureAt: result?.last_failure_at ?? null,
      failingSince: failingSince.get(webhook.id) ?? null,
      waiting: waiting.get(webhook.id) ?? 0,
      failed24h: Number(result?.failed ?? 0),
      delivered24h: Number(result?.delivered ?? 0),
      pausedUntil: pauses.get(receiverOf(webhook).id) ?? null,
    };
  };
}
