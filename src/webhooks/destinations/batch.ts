/** A batch: the message of a destination, which names records. */

import { insertMany, type Transaction } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import type { DueAttempt, MessageRow } from '../attempts/queue.ts';
import type { WebhookRow } from '../webhook.ts';
import { FORWARDED_KINDS, type ForwardedKind } from './feed.ts';

/** Bounds what one attempt reads and holds, whatever the network takes. */
export const MAX_RECORDS = 500;

export interface RecordRef {
  readonly kind: ForwardedKind;
  readonly id: string;
}

type Of = Pick<WebhookRow, 'app_id' | 'id' | 'sandbox_only'>;

export function toBatch(
  { ids }: Pick<Foundation, 'ids'>,
  { app_id, id: record_id, sandbox_only: sandbox }: Of,
  records: readonly RecordRef[],
): MessageRow {
  // Short, since every destination has its own row for every record until the log is over.
  const list = records.map(({ kind, id }) => [FORWARDED_KINDS.indexOf(kind), id]);
  const body = JSON.stringify({ records: list });
  return { app_id, id: ids.next(), event_type: 'destination.batch', sandbox, record_id, body };
}

export function readBatch({ body }: Pick<MessageRow, 'body'>): RecordRef[] {
  const { records } = JSON.parse(body) as { records: [kind: number, id: string][] };
  return records.flatMap(([index, id]) => {
    const kind = FORWARDED_KINDS[index];
    return kind === undefined ? [] : [{ kind, id }];
  });
}

/** Inserts messages, and attempts for those that are to be sent. */
export async function insertBatches(
  tx: Transaction,
  batches: readonly { readonly message: MessageRow; readonly due: DueAttempt | null }[],
): Promise<DueAttempt[]> {
  const due = batches.flatMap((batch) => batch.due ?? []);
  await insertMany(
    tx,
    'webhook_messages',
    batches.map(({ message }) => message),
  );
  await insertMany(tx, 'webhook_queue', due);
  return due;
}
