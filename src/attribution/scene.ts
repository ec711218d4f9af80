import type { ClickRow } from '../clicks/index.ts';
import { type DeviceReport, readUserAgent, signalsOfDevice } from '../devices/index.ts';
import { HOUR_MS, SECOND_MS } from '../platform/clock.ts';
import type { Evidence } from './decide.ts';
import type { Candidate, Scene } from './matching/index.ts';
import { isClaimed, type Rejection, rejectionOf } from './rejection.ts';
import { signalsOfRow } from './row-signals.ts';

/** How many clicks from one address a decision compares, the newest first: a bound on its cost. */
export const MAX_CLICKS_FROM_ADDRESS = 300;
/** How many are read to find that many that name a system. */
export const MAX_CLICKS_READ = 10 * MAX_CLICKS_FROM_ADDRESS;

/**
 * Clicks that name no system get the places that the others leave: they must not displace a phone's.
 * @param clicks newest first.
 * @returns at most {@link MAX_CLICKS_FROM_ADDRESS}, newest first.
 */
export function selectClicks(clicks: readonly ClickRow[]): readonly ClickRow[] {
  if (clicks.length <= MAX_CLICKS_FROM_ADDRESS) return clicks;
  const inOrder = [...clicks.filter(namesSystem), ...clicks.filter((click) => !namesSystem(click))];
  const selected = new Set(inOrder.slice(0, MAX_CLICKS_FROM_ADDRESS));
  return clicks.filter((click) => selected.has(click));
}

/** Whether a browser made the click and names an operating system; tools such as `curl` are no browsers. */
export function namesSystem({ visitor, platform, user_agent }: ClickRow): boolean {
  return visitor === 'human' && (platform !== null || readUserAgent(user_agent ?? '').isDesktop);
}

/** A click with what was seen of its device: two clicks are of one, as far as anybody can tell, when all of that is equal. */
interface SeenClick {
  readonly click: ClickRow;
  readonly device: string;
  /** How the device looked before it was asked for client hints, which come from the second click on; else null. */
  readonly deviceBefore: string | null;
}

/** A click that does not compete, and why. */
interface Excluded {
  readonly clickId: string;
  readonly reason: Rejection;
}

/** What the matching looks at: the clicks that may be claimed, and how many devices there are besides. */
export function sceneOf(
  evidence: Evidence,
  clicks: readonly ClickRow[],
): { scene: Scene; rejected: Excluded[] } {
  const { device, nowMs, windowHours } = evidence;
  const reasons = exclusionsFrom(evidence, clicks);
  const mayClaim = clicks.filter((click) => !reasons.has(click));
  // Clicks of tools must not raise the crowd against a phone, but against each other.
  const seen = (mayClaim.some(namesSystem) ? clicks.filter(namesSystem) : clicks).map((click) => ({
    click,
    device: deviceOf(click),
    deviceBefore: click.device_model === null ? null : deviceOf(withoutHints(click)),
  }));
  const scene = {
    device: signalsOfDevice(device),
    candidates: candidatesOf(
      evidence,
      seen,
      seen.filter(({ click }) => !reasons.has(click)),
    ),
    crowd: crowdIn(evidence, seen),
    nowMs,
    windowHours: windowHours.fingerprint,
    hasReferrer: evidence.hasReferrer,
  };
  const rejected = [...reasons].map(([{ id }, reason]) => ({ clickId: id, reason }));
  return { scene, rejected };
}

/** A click that names no system competes only where no click of a phone does: that is how people try the service. */
function exclusionsFrom(evidence: Evidence, clicks: readonly ClickRow[]): Map<ClickRow, Rejection> {
  const reasons = new Map<ClickRow, Rejection>();
  for (const click of clicks) {
    const reason =
      rejectionOf(click, evidence.windowHours.fingerprint, evidence) ??
      (isOfPlatform(click, evidence.device) ? null : 'other_platform');
    if (reason !== null) reasons.set(click, reason);
  }
  const mayClaim = clicks.filter((click) => !reasons.has(click));
  if (mayClaim.some(namesSystem))
    for (const click of mayClaim) if (!namesSystem(click)) reasons.set(click, 'unknown_platform');
  return reasons;
}

function deviceOf(click: ClickRow): string {
  return JSON.stringify([click.user_agent, click.accept_language, click.device_model, click.fingerprint]);
}

function withoutHints(click: ClickRow): ClickRow {
  return { ...click, device_model: null, fingerprint: null };
}

/** What a device of the other platform, or a computer, tells of the crowd, against one of the same platform. */
const OTHER_PLATFORM_COUNTS = 0.8;

/** Distinct devices behind the address; where not all clicks were looked at, as many more as their time suggests. */
function crowdIn({ device, nowMs, windowHours }: Evidence, clicks: readonly SeenClick[]): number {
  const isOwn = ({ click }: SeenClick) => click.platform === device.platform;
  const seen =
    distinctDevices(clicks.filter(isOwn)) +
    OTHER_PLATFORM_COUNTS * distinctDevices(clicks.filter((one) => !isOwn(one)));
  const oldest = clicks.at(-1);
  if (oldest === undefined || clicks.length < MAX_CLICKS_FROM_ADDRESS) return seen;
  const spanMs = Math.max(SECOND_MS, nowMs - Date.parse(oldest.click.clicked_at));
  return (seen * windowHours.fingerprint * HOUR_MS) / spanMs;
}

/** A device that waits may click again, but not without end: more clicks that look the same are more devices. */
const CLICKS_OF_ONE_DEVICE = 3;

function distinctDevices(clicks: readonly SeenClick[]): number {
  const counts = new Map<string, number>();
  for (const { device } of clicks) counts.set(device, (counts.get(device) ?? 0) + 1);
  // Of the clicks without hints, one is the first of each device that sends hints since.
  for (const { deviceBefore } of new Map(clicks.map((one) => [one.device, one])).values())
    if (deviceBefore !== null) counts.set(deviceBefore, (counts.get(deviceBefore) ?? 0) - 1);
  return [...counts.values()]
    .filter((count) => count > 0)
    .reduce((sum, count) => sum + Math.max(1, count / CLICKS_OF_ONE_DEVICE), 0);
}

function candidatesOf(
  evidence: Evidence,
  seen: readonly SeenClick[],
  competing: readonly SeenClick[],
): Candidate[] {
  const claimedUntil = lastClaims(evidence, seen);
  return competing.map(({ click, device }) => ({
    clickId: click.id,
    linkId: click.link_id,
    clickedAtMs: Date.parse(click.clicked_at),
    signals: signalsOfRow(click),
    isOlderThanClaimed: click.clicked_at <= (claimedUntil.get(device) ?? ''),
  }));
}

/** Of each device, when it clicked what it claimed. */
function lastClaims({ claimant }: Evidence, clicks: readonly SeenClick[]): Map<string, string> {
  const claims = new Map<string, string>();
  for (const { click, device, deviceBefore } of clicks)
    for (const look of [device, deviceBefore ?? device])
      if (isClaimed(click, claimant) && click.clicked_at > (claims.get(look) ?? ''))
        claims.set(look, click.clicked_at);
  return claims;
}

/** A click without a platform may be a tool's, or an iPad's that asked for the desktop page. */
function isOfPlatform({ platform, user_agent }: ClickRow, device: DeviceReport): boolean {
  if (platform !== null) return platform === device.platform;
  const agent = readUserAgent(user_agent ?? '');
  return !agent.isDesktop || (agent.mayBeIpad && /^ipad/i.test(device.deviceModel ?? ''));
}
