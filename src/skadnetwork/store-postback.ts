import type { AppRow } from '../apps/index.ts';
import { toFlag } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { dayOf, isoTime } from '../lib/clock.ts';
import {
  createOutbox,
  type Dispatcher,
  type EnabledWebhooks,
  insertOutbox,
  type WebhookEvent,
} from '../webhooks/index.ts';
import {
  cutUnproven,
  fieldsOf,
  isProven,
  NO_APP,
  type PostbackRow,
  type Sender,
  unsignedValuesOf,
  withoutAddresses,
} from './postback.ts';
import { countCopy, insertPostback } from './queries.ts';
import { type AppleKeys, type Fields, type Kind, unpack, type Verification } from './verification/index.ts';

/** Dependencies of receiving postbacks. */
export interface PostbackDeps extends Pick<Foundation, 'store' | 'db' | 'clock' | 'ids'> {
  readonly webhooks: EnabledWebhooks;
  readonly dispatcher: Pick<Dispatcher, 'wake'>;
  readonly appleKeys: AppleKeys;
  readonly trimUnproven: () => Promise<void>;
}

/** A received postback with its verification. */
interface Received {
  readonly kind: Kind;
  readonly fields: Fields;
  /** The JSON text of the fields. */
  readonly body: string;
  readonly sentBy: Sender;
  readonly isSandbox: boolean;
  readonly verification: Verification;
  /** Undefined if no app has its App Store id. */
  readonly app: AppRow | undefined;
}

/**
 * Stores a postback and its webhook messages in one transaction. A verified postback is stored once, also when several
 * processes receive it; copies are counted.
 */
export async function storePostback(deps: PostbackDeps, received: Received): Promise<{ isCopy: boolean }> {
  const { app, verification } = received;
  const whole = toRow(deps, received);
  const row = isProven(whole) ? whole : cutUnproven(whole);
  const isVerified = verification.verdict === 'verified';
  // Before rendering messages: a genuine postback can be replayed any number of times.
  if (isVerified && (await countCopy(deps.db, row))) return { isCopy: true };
  const isPublished = app !== undefined && isVerified;
  const outbox = isPublished
    ? createOutbox(deps, app.id, await deps.webhooks.get(app.id), [postbackReceived(row, app.name)])
    : { messages: [], attempts: [], feed: [] };
  const refused = await deps.store.commit(
    [insertPostback(deps.db, row), ...(await insertOutbox(deps.db, outbox))],
    row.app_id,
  );
  if (refused !== null) await countCopy(deps.db, row);
  else deps.dispatcher.wake(outbox.attempts);
  if (refused === null && !isProven(row)) await deps.trimUnproven();
  return { isCopy: refused !== null };
}

function toRow(
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { kind, fields, body, sentBy, isSandbox, verification, app }: Received,
) {
  const { verdict, reason, claims } = verification;
  const { conversionValue, coarseConversionValue, countryCode } = unsignedValuesOf(fields);
  const receivedAt = isoTime(clock.nowMs());
  return {
    app_id: app?.id ?? NO_APP,
    id: ids.next(),
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

/**
 * The app's name, every field as sent, then the payload of AdAttributionKit's JWS. A field of the sender replaces neither
 * the name nor signed fields.
 */
function postbackReceived(postback: PostbackRow, appName: string): WebhookEvent {
  const { appName: _appName, ...fields } = fieldsOf(postback);
  return {
    type: 'skan.postback_received',
    timestamp: postback.received_at,
    isSandbox: postback.sandbox === 1,
    recordId: postback.id,
    data: { appName, ...fields, ...unpack(postback.kind as Kind, fields) },
  };
}
