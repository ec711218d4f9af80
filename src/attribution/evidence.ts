import type { AppRow } from '../apps/index.ts';
import { awaitFreshClick, type Claimant, findClick, listClicksByAddress } from '../clicks/index.ts';
import type { DeviceReport } from '../devices/index.ts';
import { CLICK_ID_PARAMETER } from '../links/index.ts';
import { HOUR_MS, isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isUuid } from '../platform/ids.ts';
import { type Evidence, type NamedClick, type NamedEvidence, type TokenState, takeNamed } from './decide.ts';
import { MAX_CLICKS_FROM_ADDRESS } from './scene.ts';

/** What is asked of the matching: an install or an open, before anything was looked up. */
export interface Question {
  readonly app: AppRow;
  readonly claimant: Claimant;
  readonly debugBuild: boolean;
  /** Whether Play's referrer came at all. */
  readonly hasReferrer: boolean;
  /** Click IDs that the app names, in lower case; null where it names none. Some are no UUIDs. */
  readonly referrerClickId: string | null;
  readonly explicitClickId: string | null;
  readonly explicitToken: TokenState;
  readonly device: DeviceReport;
  /** When Play began to install the app; null where it is not known. */
  readonly installBeganAtMs: number | null;
  /** Keyed hash of the address that counts; null where there is none. */
  readonly ipHash: string | null;
}

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
  const where = { ipHash, since, limit: MAX_CLICKS_FROM_ADDRESS };
  return { ...named, clicksFromAddress: await listClicksByAddress(ctx, app.id, where) };
}

/** Gives another process the time to apply the clicks that the app names. */
export async function awaitNamedClicks(
  ctx: Ctx,
  { app, referrerClickId, explicitClickId }: Question,
): Promise<void> {
  for (const clickId of new Set([referrerClickId, explicitClickId]))
    if (clickId !== null) await awaitFreshClick(ctx, app.id, clickId);
}

/** Some paths deliver the referrer encoded once or twice more, whole or in part. */
const NAMED = String.raw`(?<=^|[^\w-]|%(?:25)?(?:26|3[DdFf]))${CLICK_ID_PARAMETER}(?:=|%(?:25)?3[Dd])`;
const UUID = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';
const CLICK_IDS = new RegExp(String.raw`${NAMED}(${UUID})(?![\w-])`, 'g');
const NO_CLICK_ID = new RegExp(String.raw`${NAMED}[^&\s]`);

/**
 * The last click ID that Play's referrer carries, in lower case: ours is appended to what was there. Null when there is
 * none; `malformed` for what stands in its place.
 */
export function clickIdInReferrer(referrer: string | null | undefined): string | null {
  if (referrer === null || referrer === undefined) return null;
  const clickId = [...referrer.matchAll(CLICK_IDS)].at(-1)?.[1];
  if (clickId !== undefined) return clickId.toLowerCase();
  return NO_CLICK_ID.test(referrer) ? 'malformed' : null;
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
