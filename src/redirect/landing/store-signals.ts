import type { ClickLog, ClickRow } from '../../click-log/index.ts';
import { awaitFreshClick, type ClickWaiting, describeClick, findClick } from '../../click-log/index.ts';
import type { PageReport, Platform } from '../../devices/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime, MINUTE_MS } from '../../lib/clock.ts';
import { uuidTimeMs } from '../../lib/ids.ts';
import { withoutControls } from '../../lib/text.ts';
import {
  type BrowserRequest,
  type LinkDirectory,
  type ResolvedLink,
  routeLink,
  storedQuery,
  visitOfBrowser,
} from '../../links/index.ts';
import { insertCounts, movedClickCounts } from '../../stats/index.ts';
import { isProofOf } from '../../tokens.ts';
import type { SignalsInput } from './schemas.ts';

/** The script sends the signals when the page opens. */
const MAX_AGE_MS = MINUTE_MS;

export interface SignalsDeps extends ClickWaiting, Pick<Foundation, 'secrets'> {
  readonly linkDirectory: LinkDirectory;
  readonly clickLog: ClickLog;
}

/**
 * Adds device signals to the click of a landing page; once, and before the click is claimed.
 * @throws AppError `link.not_found`, `signals.refused` for an invalid proof, `signals.late`, `signals.settled`.
 */
export async function storeSignals(
  deps: SignalsDeps,
  {
    shortCode,
    signals: { clickId, proof, model, platform, ...page },
  }: { shortCode: string; signals: SignalsInput },
): Promise<void> {
  const link = await deps.linkDirectory.resolve(shortCode);
  if (link === null) throw new AppError('link.not_found');
  if (!isProofOf(deps.secrets, shortCode, clickId, proof)) throw new AppError('signals.refused');
  const nowMs = deps.clock.nowMs();
  if (nowMs - (uuidTimeMs(clickId) ?? 0) > MAX_AGE_MS) throw new AppError('signals.late');
  const find = () => findClick(deps.db, link.appId, clickId);
  let click = await find();
  if (click === undefined) {
    // Only now: a waiting call makes the journal's batches smaller.
    await deps.clickLog.applied(link.appId);
    await awaitFreshClick(deps, { appId: link.appId, ipHash: null }, clickId);
    click = await find();
  }
  // The script does not wait long for client hints; the tap may have had them.
  const hinted = JSON.parse(click?.fingerprint ?? '{}') as PageReport;
  const description = {
    device_model: (model && withoutControls(model)) ?? click?.device_model ?? null,
    fingerprint: JSON.stringify({ ...hinted, ...knownReport(page) }),
    signals_at: isoTime(nowMs),
  };
  const choice = click === undefined ? null : choiceOnTablet(link, click, platform ?? null);
  const isDescribed = await deps.db.transaction().execute(async (tx) => {
    const isDone = await describeClick(tx, link.appId, clickId, { ...description, ...choice });
    if (isDone && click !== undefined && choice !== null && click.campaign_id !== choice.campaign_id)
      await insertCounts(tx, movedClickCounts(click, choice.campaign_id)).execute();
    return isDone;
  });
  if (!isDescribed) throw new AppError('signals.settled');
}

/** The rule and campaign of a tablet that the page found behind a computer, and leads on as one; null without one. */
function choiceOnTablet(
  link: ResolvedLink,
  click: ClickRow,
  tablet: Platform | null,
): Pick<ClickRow, 'rule_id' | 'campaign_id'> | null {
  if (tablet === null || click.platform !== null || link.rules.length === 0) return null;
  const { platformVersion = null } = JSON.parse(click.fingerprint ?? '{}') as PageReport;
  const request: BrowserRequest = {
    ...{ id: click.id, country: click.country, rest: click.path_rest, query: storedQuery(click) },
    ...{ userAgent: click.user_agent, acceptLanguage: click.accept_language },
    platformVersion: () => platformVersion,
    atMs: Date.parse(click.clicked_at),
  };
  const routed = routeLink(link, visitOfBrowser(request, tablet));
  return { rule_id: routed.rule?.id ?? null, campaign_id: routed.campaignId };
}

/** Zones, tags of languages and versions are ASCII; more would take several bytes a character. */
const PLAIN = /^[ -~]*$/;
/** As many languages as are compared. */
const MAX_LANGUAGES = 8;

/** Drops null values, texts that are no name, and fields that are not in the contract. */
function knownReport(page: PageReport): PageReport {
  const { screenWidth, screenHeight, pixelRatio, maxTouchPoints, coarsePointer } = page;
  const plain = (text: string | null | undefined) => (text && PLAIN.test(text) ? text : null);
  const known = {
    ...{ screenWidth, screenHeight, pixelRatio, maxTouchPoints, coarsePointer },
    timezone: plain(page.timezone),
    languages: page.languages?.filter((tag) => PLAIN.test(tag)).slice(0, MAX_LANGUAGES),
    platformVersion: plain(page.platformVersion),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => (value ?? null) !== null));
}
