import { deepLinkPayload, type LinkRow } from '../links/index.ts';
import type { OutcomeColumns } from '../platform/db/index.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import type { Decision } from './decide.ts';
import type { AttributionAnswer } from './schemas.ts';

/** The link that a decision leads to, as it is now; null where it leads to none. */
export async function linkOf(
  { linkDirectory }: AttributionCtx,
  { click }: Decision,
): Promise<LinkRow | null> {
  return click === null ? null : await linkDirectory.find(click.app_id, click.link_id);
}

/** What the app is told. Campaign and sandbox are those of the click, the payload is the link's current one. */
export function toAnswer(
  decision: Decision,
  link: LinkRow | null,
  installId: string | null,
): AttributionAnswer {
  const { click, method } = decision;
  return {
    attributed: click !== null,
    method,
    installId,
    clickId: click?.id ?? null,
    campaignId: click?.campaign_id ?? null,
    confidence: confidenceText(decision),
    deepLinkPayload:
      link === null
        ? null
        : deepLinkPayload(
            { deepLinkPath: link.deep_link_path, deepLinkParamsText: link.deep_link_params },
            true,
          ),
    metadata: link === null ? {} : parseObject(link.metadata),
  };
}

/** @param answer what the app is told: a retry gets it again as it is stored here. */
export function outcomeColumns(decision: Decision, answer: object): OutcomeColumns {
  return {
    attribution_method: decision.method,
    click_id: decision.click?.id ?? null,
    link_id: decision.click?.link_id ?? null,
    campaign_id: decision.click?.campaign_id ?? null,
    confidence: confidenceText(decision),
    answer: JSON.stringify(answer),
    trace: JSON.stringify(decision.trace),
  };
}

/** Decimal from 0 to 1 with three digits; null unless FINGERPRINT. */
export function confidenceText({ confidence }: Decision): string | null {
  return confidence === null ? null : confidence.toFixed(3);
}

function parseObject(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}
