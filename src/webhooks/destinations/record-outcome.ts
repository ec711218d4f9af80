import type { Transaction } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { type DueAttempt, delayOf, type Ended, toDue } from '../attempts/index.ts';
import { insertFailuresOf } from '../attempts/results.ts';
import type { WebhookRow } from '../webhook.ts';
import { insertBatches, type RecordRef, toBatch } from './batch.ts';
import { type BatchOutcome, isAllRefused } from './judge.ts';

/**
 * Inserts the batches that follow from one: of records to send again, those that wait for an identifier or a network, those
 * that did not fit, and those that were refused, which a recovery finds.
 */
export async function recordOutcome(
  tx: Transaction,
  deps: Pick<Foundation, 'clock' | 'ids'>,
  { destination, row, outcome }: Pick<Ended, 'row'> & { destination: WebhookRow; outcome: BatchOutcome },
): Promise<DueAttempt[]> {
  const failed = row.failed_attempts + 1;
  const retryMs = delayOf('extended', failed);
  const batch = (
    refs: readonly RecordRef[],
    delayMs: number | null,
    failed_attempts = row.failed_attempts,
  ) => {
    const message = toBatch(deps, destination, refs);
    const of = { app_id: row.app_id, webhook_id: row.webhook_id, message_id: message.id, failed_attempts };
    return { message, due: delayMs === null ? null : toDue(deps, of, delayMs) };
  };
  const { retry, waits, next } = outcome;
  const refs = (list: readonly { readonly ref: RecordRef }[]) => list.map(({ ref }) => ref);
  // A batch refused whole is itself what a recovery finds.
  const refused = isAllRefused(outcome) ? [] : refs(outcome.refused);
  const batches = [
    ...next.map((some) => batch(some, 0)),
    ...(retry.length > 0 ? [batch(refs(retry), retryMs, failed)] : []),
    ...(waits.length > 0 ? [batch(refs(waits), Math.min(...waits.map(({ waitMs }) => waitMs)))] : []),
    ...(refused.length > 0 ? [batch(refused, null)] : []),
  ];
  const due = await insertBatches(tx, batches);
  const ended = batches.filter((each) => each.due === null).map(({ message }) => message);
  await insertFailuresOf(tx, row.webhook_id, ended);
  return due;
}
