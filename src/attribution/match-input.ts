import type { ClickRow } from '../click-log/index.ts';
import {
  type DeviceReport,
  hiddenDevice,
  type PageReport,
  readUserAgent,
  type Signals,
  signalsOfClick,
  signalsOfDevice,
} from '../devices/index.ts';
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import type { Evidence } from './decide.ts';
import { contradict } from './matching/compare.ts';
import type { Candidate, MatchInput } from './matching/match.ts';
import { isClaimed, rejectionOf } from './rejection.ts';
import type { Rejection } from './trace.ts';

/** Bounds the cost of a decision: it compares the newest clicks from an address. */
export const MAX_CLICKS_FROM_ADDRESS = 300;
/** Clicks to read to find that many that name an operating system. */
export const MAX_CLICKS_READ = 10 * MAX_CLICKS_FROM_ADDRESS;

/**
 * Selects at most MAX_CLICKS_FROM_ADDRESS clicks, those that name an operating system first: others must not displace
 * the clicks of phones. Takes and returns clicks newest first.
 */
export function selectClicks(clicks: readonly ClickRow[]): readonly ClickRow[] {
  if (clicks.length <= MAX_CLICKS_FROM_ADDRESS) return clicks;
  const byPriority = [...clicks.filter(namesSystem), ...clicks.filter((click) => !namesSystem(click))];
  const selected = new Set(byPriority.slice(0, MAX_CLICKS_FROM_ADDRESS));
  return clicks.filter((click) => selected.has(click));
}

/** Whether a browser that names an operating system made the click, not a tool such as `curl`. */
export function namesSystem({ visitor, platform, user_agent }: ClickRow): boolean {
  return visitor === 'human' && (platform !== null || readUserAgent(user_agent ?? '').namesOtherSystem);
}

/** Clicks with equal keys may be from one device. */
interface KeyedClick {
  readonly click: ClickRow;
  readonly key: string;
  /** Key without client hints, which browsers send from the second click on; null if the click has none. */
  readonly keyWithoutHints: string | null;
}

/** Separates the clicks that can be claimed from the rejected ones, and estimates the devices behind the address. */
export function buildMatchInput(
  evidence: Evidence,
  clicks: readonly ClickRow[],
): { input: MatchInput; rejected: { clickId: string; reason: Rejection }[] } {
  const reasons = rejectionsOf(evidence, clicks);
  // Clicks of tools do not make a phone's click less probable, only each other's.
  const hasBrowser = clicks.some((click) => !reasons.has(click) && namesSystem(click));
  const keyed = (hasBrowser ? clicks.filter(namesSystem) : clicks).map((click) => ({
    click,
    key: keyOf(click),
    keyWithoutHints:
      click.device_model === null ? null : keyOf({ ...click, device_model: null, fingerprint: null }),
  }));
  const lastClaims = lastClaimsByKey(evidence, keyed);
  const input = {
    device: signalsOfDevice(evidence.device),
    candidates: keyed
      .filter(({ click }) => !reasons.has(click))
      .map(({ click, key }) => toCandidate(click, lastClaims.get(key) ?? '')),
    crowd: estimateCrowd(evidence, keyed),
    nowMs: evidence.nowMs,
    windowHours: evidence.windowHours.fingerprint,
    hasReferrer: evidence.hasReferrer,
    threshold: evidence.fingerprintThreshold,
  };
  return { input, rejected: [...reasons].map(([{ id }, reason]) => ({ clickId: id, reason })) };
}

/** A click without an operating system is a candidate only if no phone's click is, for tests with tools. */
function rejectionsOf(evidence: Evidence, clicks: readonly ClickRow[]): Map<ClickRow, Rejection> {
  const reasons = new Map<ClickRow, Rejection>();
  for (const click of clicks) {
    const reason =
      rejectionOf(click, evidence.windowHours.fingerprint, evidence) ??
      (isOfPlatform(click, evidence.device) ? null : 'other_platform');
    if (reason !== null) reasons.set(click, reason);
  }
  const claimable = clicks.filter((click) => !reasons.has(click));
  if (claimable.some(namesSystem))
    for (const click of claimable) if (!namesSystem(click)) reasons.set(click, 'unknown_platform');
  return reasons;
}

function keyOf({ user_agent, accept_language, device_model, fingerprint }: ClickRow): string {
  return JSON.stringify([user_agent, accept_language, device_model, fingerprint]);
}

/** @param lastClaimAt of the same device; ISO 8601, or empty. */
function toCandidate(click: ClickRow, lastClaimAt: string): Candidate {
  return {
    clickId: click.id,
    linkId: click.link_id,
    clickedAtMs: Date.parse(click.clicked_at),
    signals: signalsOfRow(click),
    isOlderThanClaimed: click.clicked_at <= lastClaimAt,
  };
}

function signalsOfRow(click: ClickRow): Signals {
  return signalsOfClick({
    userAgent: click.user_agent,
    acceptLanguage: click.accept_language,
    page: pageOf(click),
  });
}

/** Whether one device may have made both clicks. */
export function mayBeOfOneDevice(one: ClickRow, other: ClickRow): boolean {
  const [earlier, later] = one.clicked_at <= other.clicked_at ? [one, other] : [other, one];
  return !contradict(signalsOfRow(earlier), signalsOfRow(later));
}

function pageOf({ fingerprint, device_model: model }: ClickRow): PageReport | null {
  const page = fingerprint === null ? null : (JSON.parse(fingerprint) as PageReport);
  return model === null ? page : { ...page, model };
}

/** Weight of a computer or a device of another platform in the crowd. */
const OTHER_PLATFORM_WEIGHT = 0.8;

/** Counts distinct devices; if the clicks were cut off, extrapolates to the whole window. */
function estimateCrowd({ device, nowMs, windowHours }: Evidence, clicks: readonly KeyedClick[]): number {
  const isOfPlatform = ({ click }: KeyedClick) => click.platform === device.platform;
  const devices =
    countDevices(clicks.filter(isOfPlatform)) +
    OTHER_PLATFORM_WEIGHT * countDevices(clicks.filter((click) => !isOfPlatform(click)));
  const oldest = clicks.at(-1);
  if (oldest === undefined || clicks.length < MAX_CLICKS_FROM_ADDRESS) return devices;
  const spanMs = Math.max(SECOND_MS, nowMs - Date.parse(oldest.click.clicked_at));
  return (devices * windowHours.fingerprint * HOUR_MS) / spanMs;
}

/** A waiting device may click again; more clicks with one key than this count as further devices. */
const CLICKS_OF_ONE_DEVICE = 3;

function countDevices(clicks: readonly KeyedClick[]): number {
  const counts = new Map<string, number>();
  for (const { key } of clicks) counts.set(key, (counts.get(key) ?? 0) + 1);
  // Each device that sends hints made one click without them before.
  for (const { keyWithoutHints } of new Map(clicks.map((click) => [click.key, click])).values())
    if (keyWithoutHints !== null) counts.set(keyWithoutHints, (counts.get(keyWithoutHints) ?? 0) - 1);
  return [...counts.values()]
    .filter((count) => count > 0)
    .reduce((sum, count) => sum + Math.max(1, count / CLICKS_OF_ONE_DEVICE), 0);
}

/** Time of the newest claimed click of each key. */
function lastClaimsByKey({ claimant }: Evidence, clicks: readonly KeyedClick[]): Map<string, string> {
  const claims = new Map<string, string>();
  for (const { click, key, keyWithoutHints } of clicks)
    for (const each of [key, keyWithoutHints ?? key])
      if (isClaimed(click, claimant) && click.clicked_at > (claims.get(each) ?? ''))
        claims.set(each, click.clicked_at);
  return claims;
}

/** A click without a platform may be from a tool, or from a phone or tablet that requests desktop pages. */
function isOfPlatform(click: ClickRow, device: DeviceReport): boolean {
  if (click.platform !== null) return click.platform === device.platform;
  const agent = readUserAgent(click.user_agent ?? '');
  if (!agent.namesOtherSystem) return true;
  const hidden = hiddenDevice(agent, pageOf(click));
  if (hidden?.platform !== device.platform) return false;
  return !hidden.mayBeComputer || /^ipad/i.test(device.deviceModel ?? '');
}
