import type { Static } from 'typebox';
import { eventNameOf } from './conversion-values.ts';
import { fieldsOf, type PostbackRow, type Sender } from './postback.ts';
import type { SummaryRow } from './queries.ts';
import type { ConversionWindow, Postback, SummaryGroup } from './schemas.ts';
import { type Kind, unpack, unsignedFieldsOf, type Verdict } from './verification/index.ts';

/** @param windows the app's names of conversion values. */
export function presentPostback(
  row: PostbackRow,
  windows: readonly ConversionWindow[],
): Static<typeof Postback> {
  const kind = row.kind as Kind;
  const fields = fieldsOf(row);
  const verdict = row.verdict as Verdict;
  return {
    id: row.id,
    receivedAt: row.received_at,
    kind,
    version: row.version,
    sentBy: row.sent_by as Sender,
    sandbox: row.sandbox === 1,
    verdict,
    reason: row.reason,
    timesReceived: row.times_received,
    appStoreId: row.app_store_id,
    adNetworkId: row.ad_network_id,
    transactionId: row.transaction_id,
    sequenceIndex: row.sequence_index,
    sourceIdentifier: row.source_identifier,
    campaignId: row.campaign_id,
    didWin: row.did_win === null ? null : row.did_win === 1,
    conversionType: row.conversion_type,
    conversionValue: row.conversion_value,
    coarseConversionValue: row.coarse_conversion_value,
    eventName: eventNameOf(windows, row),
    countryCode: row.country_code,
    unsignedFields: unsignedFieldsOf({ kind, verdict, version: row.version }, fields),
    postback: fields,
    fieldsLeftOut: row.fields_left_out,
    payload: unpack(kind, fields),
  };
}

/** @param windows the app's names of conversion values. */
export function presentGroup(
  row: SummaryRow,
  windows: readonly ConversionWindow[],
): Static<typeof SummaryGroup> {
  return {
    day: row.day,
    adNetworkId: row.ad_network_id,
    sourceIdentifier: row.source_identifier,
    campaignId: row.campaign_id,
    sequenceIndex: row.sequence_index,
    conversionValue: row.conversion_value,
    coarseConversionValue: row.coarse_conversion_value,
    eventName: eventNameOf(windows, row),
    postbacks: row.postbacks,
    installs: row.installs,
  };
}
