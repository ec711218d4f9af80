import type { Actor } from '../auth/index.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import { explainTrace } from './explain-decision.ts';
import { findVisibleInstall } from './queries.ts';
import { installNotFound } from './read-install.ts';
import { type InstallExplained, presentTrace } from './schemas.ts';

/**
 * Reads why an install has its click, or none. Shows no other click's whole ID: the caller's key may be extracted from
 * an app, and an ID is enough to claim its click.
 * @throws AppError `install.not_found`.
 */
export async function explainInstall(
  { db, linkDirectory }: Pick<AttributionDeps, 'db' | 'linkDirectory'>,
  { actor, installId }: { actor: Actor; installId: string },
): Promise<InstallExplained> {
  const install = await findVisibleInstall(db, actor, installId);
  if (install === undefined) throw installNotFound();
  const { id, attribution_method, confidence, campaign_id, link_id, click_id, trace } = install;
  const link = link_id === null ? undefined : await linkDirectory.find(actor.appId, link_id);
  return {
    installId: id,
    method: attribution_method as InstallExplained['method'],
    confidence,
    campaignId: campaign_id,
    shortCode: link?.short_code ?? null,
    reason: explainTrace(trace, 'install'),
    explanation: presentTrace(shortenOtherIds(trace, click_id)),
  };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/** The time of a UUIDv7, without its random part. */
const SHOWN_CHARACTERS = 13;

function shortenOtherIds(trace: string, ownId: string | null): string {
  return trace.replaceAll(UUID, (id) => (id === ownId ? id : `${id.slice(0, SHOWN_CHARACTERS)}…`));
}
