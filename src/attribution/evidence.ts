import {
  type AwaitingCtx,
  awaitFreshClick,
  type ClickRow,
  findClick,
  listClicksByAddress,
} from '../clicks/index.ts';
import { HOUR_MS, isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isUuid } from '../platform/ids.ts';
import { type Evidence, type NamedClick, type NamedEvidence, type TokenState, takeNamed } from './decide.ts';
import type { Question } from './question.ts';
import { MAX_CLICKS_FROM_ADDRESS, MAX_CLICKS_READ, namesSystem, selectClicks } from './scene.ts';

/** Reads what the decision looks at. */
export async function gatherEvidence(ctx: Ctx, question: Question): Promise<Evidence> {
  const { app, ipHash, device } = question;
  const nowMs = ctx.clock.nowMs();
  const fingerprintEnabled =
    (device.platform === 'IOS' ? app.fingerprint_ios : app.fingerprint_android) === 1;
  const since = isoTime(nowMs - app.fingerprint_window_hours * HOUR_MS);
  const named: NamedEvidence = {
    nowMs,
    claimant: question.claimant,
    debugBuild: question.debugBuild,
    windowHours: {
      referrer: app.referrer_window_hours,
      clickId: app.click_id_window_hours,
      fingerprint: app.fingerprint_window_hours,
    },
    fingerprintEnabled,
    hasReferrer: question.hasReferrer,
    referrer: await findNamed(ctx, app.id, { clickId: question.referrerClickId, token: 'none' }),
    explicit: await findNamed(ctx, app.id, {
      clickId: question.explicitClickId,
      token: question.explicitToken,
    }),
    installBeganAtMs: question.installBeganAtMs,
    device,
  };
  // Where a named click decides, nobody asks who else is behind the address.
  if (ipHash === null || !fingerprintEnabled || takeNamed(named).taken !== null)
    return { ...named, clicksFromAddress: null };
  return { ...named, clicksFromAddress: await readClicks(ctx, app.id, { ipHash, since }) };
}

/** Reads further back only where clicks that name no system took places of others, which is rare. */
async function readClicks(
  ctx: Ctx,
  appId: string,
  where: { ipHash: string; since: string },
): Promise<readonly ClickRow[]> {
  const newest = await listClicksByAddress(ctx, appId, { ...where, limit: MAX_CLICKS_FROM_ADDRESS });
  if (newest.length < MAX_CLICKS_FROM_ADDRESS || newest.every(namesSystem)) return newest;
  return selectClicks(await listClicksByAddress(ctx, appId, { ...where, limit: MAX_CLICKS_READ }));
}

/** Gives another process the time to apply the clicks that the app names. */
export async function awaitNamedClicks(
  ctx: AwaitingCtx,
  { app, ipHash, referrerClickId, explicitClickId }: Question,
): Promise<void> {
  const clickIds = new Set([referrerClickId, explicitClickId].flatMap((clickId) => clickId ?? []));
  await Promise.all([...clickIds].map((clickId) => awaitFreshClick(ctx, { appId: app.id, ipHash }, clickId)));
}

async function findNamed(
  ctx: Ctx,
  appId: string,
  { clickId, token }: { clickId: string | null; token: TokenState },
): Promise<NamedClick | null> {
  if (clickId === null) return null;
  const click = isUuid(clickId) ? await findClick(ctx.db, appId, clickId) : undefined;
  return { clickId, click: click ?? null, token };
}
