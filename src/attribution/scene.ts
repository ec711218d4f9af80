import type { ClickRow } from '../clicks/index.ts';
import { type DeviceReport, readUserAgent, signalsOfDevice } from '../devices/index.ts';
import { HOUR_MS, SECOND_MS } from '../platform/clock.ts';
import type { Evidence } from './decide.ts';
import type { Candidate, Scene } from './matching/index.ts';
import { isClaimed, type Rejection, rejectionOf } from './rejection.ts';
import { signalsOfRow } from './row-signals.ts';

/** Of the clicks behind one address the newest so many are looked at: a bound on what a decision costs. */
export const MAX_CLICKS_FROM_ADDRESS = 300;

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
  const seen = clicks.map((click) => ({
    click,
    device: deviceOf(click),
    deviceBefore: click.device_model === null ? null : deviceOf(withoutHints(click)),
  }));
  const { candidates, rejected } = candidatesOf(evidence, seen);
  const scene = {
    device: signalsOfDevice(device),
    candidates,
    crowd: crowdIn(evidence, seen),
    nowMs,
    windowHours: windowHours.fingerprint,
    hasReferrer: evidence.hasReferrer,
  };
  return { scene, rejected };
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
  clicks: readonly SeenClick[],
): { candidates: Candidate[]; rejected: Excluded[] } {
  const claimedUntil = lastClaims(evidence, clicks);
  const candidates: Candidate[] = [];
  const rejected: Excluded[] = [];
  for (const { click, device } of clicks) {
    const reason =
      rejectionOf(click, evidence.windowHours.fingerprint, evidence) ??
      (isOfPlatform(click, evidence.device) ? null : 'other_platform');
    if (reason !== null) rejected.push({ clickId: click.id, reason });
    else
      candidates.push({
        clickId: click.id,
        clickedAtMs: Date.parse(click.clicked_at),
        signals: signalsOfRow(click),
        isOlderThanClaimed: click.clicked_at <= (claimedUntil.get(device) ?? ''),
      });
  }
  return { candidates, rejected };
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
