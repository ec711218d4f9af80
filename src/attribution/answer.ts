import type { InstallsTable } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { type LinkDirectory, type LinkRow, linkOfClick, metadataFor, payloadOfRow } from '../links/index.ts';
import type { AttributionRequest } from './attribution-request.ts';
import { type Decision, decide, type Evidence } from './decide.ts';
import { type ReadClicks, readEvidence } from './evidence.ts';
import type { AttributionAnswer } from './schemas.ts';

interface Attributed {
  readonly evidence: Evidence;
  readonly decision: Decision;
  /** The link of the matched click, as `linkOfClick` gives it; null without a click. */
  readonly link: LinkRow | null;
}

/** Reads the evidence of a request and decides, without a claim. */
export async function attribute(
  deps: Pick<Foundation, 'db' | 'clock'> & { linkDirectory: LinkDirectory },
  { request, clicks }: { request: AttributionRequest; clicks: ReadClicks | undefined },
): Promise<Attributed> {
  const evidence = await readEvidence(deps, request, clicks);
  const decision = decide(evidence);
  const { click } = decision;
  const link = click === null ? undefined : await linkOfClick(deps.linkDirectory, click);
  return { evidence, decision, link: link ?? null };
}

/** The campaign is that of the click; payload and metadata are the link's current ones, with the click's rule and parameters. */
export function toAnswer(
  decision: Decision,
  link: LinkRow | null,
  { installId, invitedBy }: { installId: string | null; invitedBy: string | null },
): AttributionAnswer {
  const { click, method } = decision;
  return {
    attributed: click !== null,
    method,
    installId,
    clickId: click?.id ?? null,
    campaignId: click?.campaign_id ?? null,
    confidence: confidenceText(decision),
    deepLinkPayload: link === null ? null : payloadOfRow(link, true),
    metadata: metadataFor(link, invitedBy),
  };
}

/**
 * Where the URL that opened the app leads, although its click brings no credit (again). A token of the clipboard names
 * nothing a second time.
 * @returns null if the caller may not see the click, or its link is deleted or expired.
 */
export async function namedPayload(
  directory: LinkDirectory,
  { explicit, debugBuild, nowMs }: Pick<Evidence, 'explicit' | 'debugBuild' | 'nowMs'>,
): Promise<AttributionAnswer['deepLinkPayload']> {
  if (explicit === null || explicit.click === null || explicit.token !== 'none') return null;
  const { sandbox } = explicit.click;
  if (sandbox === 1 && !debugBuild) return null;
  const link = await linkOfClick(directory, explicit.click);
  if (link === undefined || link.deleted_at !== null || (link.sandbox === 1 && !debugBuild)) return null;
  if (link.expires_at !== null && Date.parse(link.expires_at) <= nowMs) return null;
  return { ...payloadOfRow(link, false), shortCode: link.short_code, campaignId: link.campaign_id };
}

/** The columns of the attribution, the same on installs and opens. */
export type OutcomeColumns = Pick<
  InstallsTable,
  | 'attribution_method'
  | 'click_id'
  | 'link_id'
  | 'campaign_id'
  | 'country'
  | 'referrer'
  | 'utm'
  | 'confidence'
  | 'answer'
  | 'trace'
>;

/**
 * @param answer stored for retries.
 * @param country of the device's address, for a record without a click.
 */
export function outcomeColumns(
  decision: Decision,
  { answer, country }: { answer: object; country: string | null },
): OutcomeColumns {
  return {
    attribution_method: decision.method,
    click_id: decision.click?.id ?? null,
    link_id: decision.click?.link_id ?? null,
    campaign_id: decision.click?.campaign_id ?? null,
    country: decision.click === null ? country : decision.click.country,
    referrer: decision.click?.referrer ?? null,
    utm: decision.click?.utm ?? null,
    confidence: confidenceText(decision),
    answer: JSON.stringify(answer),
    trace: JSON.stringify(decision.trace),
  };
}

/** Decimal from 0 to 1 with three digits; null unless FINGERPRINT. */
export function confidenceText({ confidence }: Decision): string | null {
  return confidence?.toFixed(3) ?? null;
}
