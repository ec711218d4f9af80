import { deepLinkPayload, findLink } from '../links/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { OutcomeColumns } from '../platform/db/index.ts';
import type { Decision } from './decide.ts';
import type { AttributionAnswer } from './schemas.ts';

/** What the app is told. Campaign and sandbox are those of the click, the payload is the link's current one. */
export async function toAnswer(
  ctx: Ctx,
  decision: Decision,
  installId: string | null,
): Promise<AttributionAnswer> {
  const { click, method } = decision;
  const link = click === null ? undefined : await findLink(ctx.db, click.app_id, click.link_id);
  return {
    attributed: click !== null,
    method,
    installId,
    clickId: click?.id ?? null,
    campaignId: click?.campaign_id ?? null,
    confidence: confidenceText(decision),
    deepLinkPayload:
      link === undefined
        ? null
        : deepLinkPayload(
            { deepLinkPath: link.deep_link_path, deepLinkParams: parseObject(link.deep_link_params) },
            true,
          ),
    metadata: link === undefined ? {} : parseObject(link.metadata),
  };
}

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

function confidenceText({ confidence }: Decision): string | null {
  return confidence === null ? null : confidence.toFixed(3);
}

function parseObject(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}
