import { explainTrace, presentTrace, readTrace, type Trace } from '../attribution/index.ts';
import { type Actor, canSee } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import type { LinkDirectory } from '../links/index.ts';
import { findingsOf, presentClaim, presentFindings } from '../networks/index.ts';
import { listOpensOfInstall, type OpenRow } from '../opens/index.ts';
import { findVisibleInstall, type InstallRow, installNotFound } from './queries.ts';
import type { InstallExplained } from './schemas.ts';

const MAX_OPENS = 100;

/** Reads an install and its newest 100 opens. @throws AppError `install.not_found`. */
export async function readInstall(
  db: Db,
  { actor, installId }: { actor: Actor; installId: string },
): Promise<{ install: InstallRow; opens: OpenRow[] }> {
  const install = await findVisibleInstall(db, actor, installId);
  if (install === undefined) throw installNotFound();
  const opens = await listOpensOfInstall(db, actor.appId, install.id, MAX_OPENS);
  return { install, opens: opens.filter((open) => canSee(actor, open)) };
}

/**
 * Reads why an install has its click, or none. Shows no other click's whole ID: the caller's key may be extracted from
 * an app, and an ID is enough to claim its click.
 * @throws AppError `install.not_found`.
 */
export async function explainInstall(
  { db, linkDirectory }: Pick<Foundation, 'db'> & { linkDirectory: LinkDirectory },
  { actor, installId }: { actor: Actor; installId: string },
): Promise<InstallExplained> {
  const install = await findVisibleInstall(db, actor, installId);
  if (install === undefined) throw installNotFound();
  const { id, attribution_method, confidence, campaign_id, link_id, click_id } = install;
  const link = link_id === null ? undefined : await linkDirectory.find(actor.appId, link_id);
  const trace = readTrace(shortenOtherIds(install.trace, click_id));
  return {
    installId: id,
    method: attribution_method as InstallExplained['method'],
    confidence,
    campaignId: campaign_id,
    shortCode: link?.short_code ?? null,
    network: presentClaim(install),
    reason: explainTrace(trace, 'install'),
    explanation: {
      ...(presentTrace(trace) as Trace),
      network: presentFindings(findingsOf(install)),
    },
  };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/** The time of a UUIDv7, without its random part. */
const SHOWN_CHARACTERS = 13;

function shortenOtherIds(trace: string, ownId: string | null): string {
  return trace.replaceAll(UUID, (id) => (id === ownId ? id : `${id.slice(0, SHOWN_CHARACTERS)}…`));
}
