import type { AppRow } from '../apps/index.ts';
import { dayOf, isoTime } from '../platform/clock.ts';
import { toFlag } from '../platform/db/index.ts';
import { insertOutbox, outboxOf } from '../webhooks/index.ts';
import {
  cutUnproven,
  isProven,
  NO_APP,
  type PostbackRow,
  type Sender,
  unsignedValuesOf,
  withoutAddresses,
} from './postback.ts';
import { countCopy, insertPostback } from './queries.ts';
import type { SkanCtx } from './skan-ctx.ts';
import type { Fields, Kind, Verification } from './verification/index.ts';
import { postbackReceived } from './webhook-event.ts';

/** A postback as it came, and what was found out about it. */
export interface Received {
  readonly kind: Kind;
  readonly fields: Fields;
  /** The JSON text that the fields were read from. */
  readonly body: string;
  readonly sentBy: Sender;
  readonly isSandbox: boolean;
  readonly verification: Verification;
  /** Undefined where no app has its App Store id. */
  readonly app: AppRow | undefined;
}

/**
 * Stores a postback, and what webhooks are told of it, in one transaction; of one that is verified only the first is
 * stored, whichever process is faster, and the others are counted.
 * @returns whether it came before.
 */
export async function storePostback(ctx: SkanCtx, received: Received): Promise<{ isCopy: boolean }> {
  const { app, verification } = received;
  const whole = toRow(ctx, received);
  const row = isProven(whole) ? whole : cutUnproven(whole);
  const isVerified = verification.verdict === 'verified';
  // Whoever has a genuine one may send it without end: messages are made for the first alone.
  if (isVerified && (await countCopy(ctx.db, row))) return { isCopy: true };
  const tells = app !== undefined && isVerified;
  const outbox = tells
    ? outboxOf(ctx, app.id, await ctx.subscriptions.get(app.id), [postbackReceived(row, app.name)])
    : { messages: [], deliveries: [] };
  const refused = await ctx.store.commit([insertPostback(ctx.db, row), ...insertOutbox(ctx.db, outbox)]);
  if (refused !== null) await countCopy(ctx.db, row);
  else ctx.courier.wake(outbox.deliveries);
  if (refused === null && !isProven(row)) await ctx.unproven.stored();
  return { isCopy: refused !== null };
}

function toRow(ctx: SkanCtx, { kind, fields, body, sentBy, isSandbox, verification, app }: Received) {
  const { verdict, reason, claims } = verification;
  const { conversionValue, coarseConversionValue, countryCode } = unsignedValuesOf(fields);
  const receivedAt = isoTime(ctx.clock.nowMs());
  return {
    app_id: app?.id ?? NO_APP,
    id: ctx.ids.next(),
    sandbox: toFlag(isSandbox),
    kind,
    sent_by: sentBy,
    verdict,
    reason,
    body: withoutAddresses(body),
    fields_left_out: 0,
    received_at: receivedAt,
    day: dayOf(receivedAt),
    times_received: 1,
    version: claims.version,
    ad_network_id: claims.adNetworkId,
    app_store_id: claims.appStoreId,
    transaction_id: claims.transactionId,
    sequence_index: claims.sequenceIndex,
    source_identifier: claims.sourceIdentifier,
    campaign_id: claims.campaignId,
    did_win: claims.didWin === null ? null : toFlag(claims.didWin),
    conversion_type: claims.conversionType,
    conversion_value: conversionValue,
    coarse_conversion_value: coarseConversionValue,
    country_code: countryCode,
  } satisfies PostbackRow;
}
