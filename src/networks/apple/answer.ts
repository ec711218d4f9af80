/** What Apple says of a token (developer.apple.com, `AAAttribution.attributionToken()`). */
import { DAY_MS, isoTime } from '../../lib/clock.ts';
import { claimOf, idText, type NetworkClaim, nameText } from '../claim.ts';
import type { Outcome } from '../finding.ts';
import { parseWithIds } from '../parse-ids.ts';

/** What came of an attempt; null if it is to be repeated. */
export interface AppleOutcome {
  readonly outcome: Extract<
    Outcome,
    'attributed' | 'not_attributed' | 'refused' | 'not_found' | 'gave_up' | 'stopped'
  > | null;
  readonly claim: NetworkClaim | null;
}

/** In the records of an app that is under development. */
const DEVELOPER_ID = '1234567890';

/** @returns null for an answer that Apple does not document: an outage, or something between. */
export function readAnswer(
  { status, body }: { readonly status: number; readonly body: string },
  nowMs: number,
): AppleOutcome | null {
  if (status === 400) return { outcome: 'refused', claim: null };
  if (status === 404) return { outcome: 'not_found', claim: null };
  if (status !== 200) return null;
  const record = parse(body);
  if (record === null) return null;
  return record.attribution
    ? { outcome: 'attributed', claim: appleClaim(record, nowMs) }
    : { outcome: 'not_attributed', claim: null };
}

type AppleRecord = Readonly<Record<string, unknown>> & { readonly attribution: boolean };

function parse(body: string): AppleRecord | null {
  try {
    const record = parseWithIds(body) as AppleRecord | null;
    return typeof record?.attribution === 'boolean' ? record : null;
  } catch {
    return null;
  }
}

function appleClaim(record: AppleRecord, nowMs: number): NetworkClaim {
  const [campaignId, adGroupId, adId] = [record.campaignId, record.adGroupId, record.adId].map(idText);
  return claimOf('apple_ads', {
    campaignId: campaignId ?? null,
    adGroupId: adGroupId ?? null,
    adId: adId ?? null,
    keywordId: idText(record.keywordId),
    claimType: nameText(record.claimType),
    conversionType: nameText(record.conversionType),
    clickedAt: timeOf(record.clickDate, nowMs),
    test: [idText(record.orgId), campaignId, adGroupId, adId].includes(DEVELOPER_ID),
  });
}

/** Such as `2020-04-08T17:17Z`; Apple names it for a person who allows tracking. */
function timeOf(clickDate: unknown, nowMs: number): string | null {
  const ms = typeof clickDate === 'string' ? Date.parse(clickDate) : Number.NaN;
  return ms > 0 && ms <= nowMs + DAY_MS ? isoTime(ms) : null;
}
