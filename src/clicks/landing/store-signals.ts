import type { PageReport } from '../../devices/index.ts';
import type { LinkDirectory } from '../../links/index.ts';
import { isoTime, MINUTE_MS } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { uuidTimeMs } from '../../platform/ids.ts';
import { type AwaitingCtx, awaitFreshClick } from '../await-click.ts';
import type { ClickLog } from '../click-log.ts';
import { describeClick, findClick } from '../queries.ts';
import { isProofOf } from './proof.ts';
import type { SignalsInput } from './schemas.ts';

/** A page describes its click when it opens, and not later. */
const IN_TIME_MS = MINUTE_MS;

/** What the signals of a landing page are stored with. */
export type SignalsCtx = AwaitingCtx & { linkDirectory: LinkDirectory; clickLog: ClickLog };

/**
 * Adds what a landing page found out about a device to the click that the page was answered to; once, and before
 * anybody claims the click.
 * @throws AppError `link.not_found`, `signals.refused` for another click's, `signals.late`, `signals.settled`.
 */
export async function storeSignals(
  ctx: SignalsCtx,
  { shortCode, signals: { clickId, proof, model, ...page } }: { shortCode: string; signals: SignalsInput },
): Promise<void> {
  const link = await ctx.linkDirectory.resolve(shortCode);
  if (link === null) throw new AppError('link.not_found');
  if (!isProofOf(ctx.secrets, { shortCode, clickId }, proof)) throw new AppError('signals.refused');
  const nowMs = ctx.clock.nowMs();
  if (nowMs - (uuidTimeMs(clickId) ?? 0) > IN_TIME_MS) throw new AppError('signals.late');
  const find = () => findClick(ctx.db, link.appId, clickId);
  const click = (await find()) ?? (await arrival(ctx, link.appId, clickId).then(find));
  // What the tap's client hints said, the page may not have been told in time.
  const hinted = JSON.parse(click?.fingerprint ?? '{}') as PageReport;
  const isDescribed = await describeClick(ctx.db, link.appId, clickId, {
    device_model: model ?? click?.device_model ?? null,
    fingerprint: JSON.stringify({ ...hinted, ...knownReport(page) }),
    signals_at: isoTime(nowMs),
  });
  if (!isDescribed) throw new AppError('signals.settled');
}

/** Mostly it is not waited for: who waits has the journal applied in smaller batches. */
async function arrival(ctx: SignalsCtx, appId: string, clickId: string): Promise<void> {
  await ctx.clickLog.applied();
  await awaitFreshClick(ctx, { appId, ipHash: null }, clickId);
}

/** What is there of it. Fields that no contract names are not stored: nobody could say what is in them. */
function knownReport(page: PageReport): PageReport {
  const { screenWidth, screenHeight, pixelRatio, timezone, languages, platformVersion } = page;
  const known = { screenWidth, screenHeight, pixelRatio, timezone, languages, platformVersion };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => (value ?? null) !== null));
}
