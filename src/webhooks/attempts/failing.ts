/** Webhooks and destinations that fail, for operators. */
import { type Db, isAmong, onEachNode } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { DAY_MS, isoTime } from '../../lib/clock.ts';
import { LAST } from './results.ts';

/** Webhooks that are looked at across apps. */
const MAX_FAILING = 100;

/** An enabled webhook or destination that failed last, or gave up messages in the last 24 hours, which are counted in whole hours. */
interface FailingWebhook {
  readonly appId: string;
  readonly webhookId: string;
  readonly url: string;
  /** Of a destination, which has no address of its own; null for a webhook. */
  readonly name: string | null;
  readonly failed24h: number;
  readonly failingSince: string | null;
}

/** Across apps, but for those on a node that is away: the 100 that failed last, those that gave up the most first. */
export async function listFailingWebhooks(
  db: Db,
  { clock }: Pick<Foundation, 'clock'>,
): Promise<FailingWebhook[]> {
  const since = isoTime(clock.nowMs() - DAY_MS);
  const { results } = await onEachNode(db, async (ofApps) => {
    const failing = await db
      .selectFrom('webhooks')
      .innerJoin('webhook_hours', (join) =>
        join
          .onRef('webhook_hours.app_id', '=', 'webhooks.app_id')
          .onRef('webhook_hours.webhook_id', '=', 'webhooks.id'),
      )
      .select([
        'webhooks.app_id as appId',
        'webhooks.id as webhookId',
        'webhooks.url',
        'webhooks.name',
        'failing_since',
      ])
      .where('webhooks.kind', 'in', ['webhook', 'destination'])
      .where('webhooks.enabled', '=', 1)
      .where('webhook_hours.hour', '=', LAST)
      .where(({ or, eb }) => or([eb('last_failure_at', '>', since), eb('failing_since', 'is not', null)]))
      .$if(ofApps !== null, (query) => query.where(isAmong(db, 'webhooks.app_id', ofApps ?? [])))
      .orderBy('last_failure_at', 'desc')
      .limit(MAX_FAILING)
      .execute();
    if (failing.length === 0) return [];
    const counts = await db
      .selectFrom('webhook_hours')
      .select(({ fn }) => ['webhook_id', fn.sum<number>('failed').as('failed')])
      .where(isAmong(db, 'app_id', [...new Set(failing.map(({ appId }) => appId))]))
      .where(
        isAmong(
          db,
          'webhook_id',
          failing.map(({ webhookId }) => webhookId),
        ),
      )
      .where('hour', '>', since)
      .groupBy('webhook_id')
      .execute();
    const failed = new Map(counts.map((row) => [row.webhook_id, Number(row.failed)]));
    return failing.map(({ failing_since: failingSince, ...webhook }) => ({
      ...webhook,
      failingSince,
      failed24h: failed.get(webhook.webhookId) ?? 0,
    }));
  });
  return results.flat().sort((a, b) => b.failed24h - a.failed24h);
}
