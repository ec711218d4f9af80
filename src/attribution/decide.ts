/**
 * Which click an install or an open belongs to. Pure: everything it looks at is in the evidence. The methods are tried
 * in order (Play referrer, click ID, fingerprint); what makes one fall through to the next is kept in the trace.
 */
import { CLAIMABLE_VISITORS, type Claimant, type ClickRow } from '../clicks/index.ts';
import {
  type DeviceReport,
  type PageReport,
  readUserAgent,
  type Signals,
  signalsOfClick,
  signalsOfDevice,
} from '../devices/index.ts';
import { HOUR_MS, SECOND_MS } from '../platform/clock.ts';
import type { DeviceColumns } from '../platform/db/index.ts';
import {
  type Candidate,
  type Knowledge,
  matchFingerprint,
  type Scene,
  type WeighedCandidate,
} from './matching/index.ts';

export type Method = 'INSTALL_REFERRER' | 'CLICK_ID' | 'FINGERPRINT' | 'ORGANIC';

/** A click that the app named, and what was found under that name. */
export interface NamedClick {
  readonly clickId: string;
  readonly click: ClickRow | null;
}

/** What can be looked up before it is known whether a fingerprint is needed. */
export interface NamedEvidence {
  readonly nowMs: number;
  readonly claimant: Claimant;
  /** Debug builds may claim sandbox clicks too. */
  readonly debugBuild: boolean;
  readonly windowHours: { readonly referrer: number; readonly clickId: number; readonly fingerprint: number };
  readonly fingerprintEnabled: boolean;
  readonly referrer: NamedClick | null;
  readonly explicit: NamedClick | null;
  /** When Play began to install the app; null where it is not known. No later click can have caused the install. */
  readonly installBeganAtMs: number | null;
  readonly device: DeviceReport;
}

export interface Evidence extends NamedEvidence {
  /** Clicks from the same address in the window, claimed ones too, newest first; null where no address is known. */
  readonly clicksFromAddress: readonly ClickRow[] | null;
}

/** Of the clicks behind one address the newest so many are looked at: a bound on what a decision costs. */
export const MAX_CLICKS_FROM_ADDRESS = 300;

/** A trace is stored with every install, so it has a bound. */
const MAX_TRACED_CANDIDATES = 5;
const MAX_TRACED_REJECTIONS = 20;

/** Why a click was not taken. `unknown` covers other apps' clicks: nobody is told that they exist. */
export type Rejection =
  | 'unknown'
  | 'not_claimable'
  | 'sandbox'
  | 'outside_window'
  | 'after_install_began'
  | 'already_claimed'
  | 'other_platform';

/** Identifiers and weights only, never a value of a signal. */
export interface Trace {
  readonly method: Method;
  readonly windowHours: Evidence['windowHours'];
  readonly rejections: readonly {
    readonly method: Method;
    readonly clickId: string;
    readonly reason: Rejection;
  }[];
  /** How many clicks were rejected in all: behind a crowded address only the first ones are listed. */
  readonly rejected: number;
  readonly fingerprint:
    | {
        readonly outcome: 'matched' | 'no_candidates' | 'nothing_agrees' | 'below_threshold' | 'ambiguous';
        /** Distinct devices of this platform behind the address within the window. */
        readonly crowd: number;
        /** How many clicks competed; the most probable ones are listed. */
        readonly considered: number;
        readonly candidates: readonly WeighedCandidate[];
      }
    | { readonly outcome: 'not_needed' | 'disabled' | 'no_address' };
}

export interface Decision {
  readonly method: Method;
  readonly click: ClickRow | null;
  /** Posterior of a fingerprint match; null for every other method. */
  readonly confidence: number | null;
  readonly trace: Trace;
}

type Rejected = { readonly method: Method; readonly clickId: string; readonly reason: Rejection };

/** The first click that is named and may be taken, if any, and why those before it may not. */
export function takeNamed(evidence: NamedEvidence): {
  taken: { method: Method; click: ClickRow } | null;
  rejections: Rejected[];
} {
  const { referrer, explicit, windowHours } = evidence;
  const rejections: Rejected[] = [];
  for (const [method, named, hours] of [
    ['INSTALL_REFERRER', referrer, windowHours.referrer],
    ['CLICK_ID', explicit, windowHours.clickId],
  ] as const) {
    if (named === null) continue;
    const { clickId, click } = named;
    const reason = click === null ? 'unknown' : rejectionOf(click, hours, evidence);
    if (click !== null && reason === null) return { taken: { method, click }, rejections };
    rejections.push({ method, clickId, reason: reason ?? 'unknown' });
  }
  return { taken: null, rejections };
}

export function decide(evidence: Evidence, knowledge: Knowledge): Decision {
  const { taken, rejections } = takeNamed(evidence);
  const outcome = (
    method: Method,
    click: ClickRow | null,
    confidence: number | null,
    fingerprint: Trace['fingerprint'],
  ): Decision => ({
    method,
    click,
    confidence,
    trace: {
      method,
      windowHours: evidence.windowHours,
      rejections: rejections.slice(0, MAX_TRACED_REJECTIONS),
      rejected: rejections.length,
      fingerprint,
    },
  });

  if (taken !== null) return outcome(taken.method, taken.click, null, { outcome: 'not_needed' });
  if (!evidence.fingerprintEnabled) return outcome('ORGANIC', null, null, { outcome: 'disabled' });
  const clicks = evidence.clicksFromAddress;
  if (clicks === null) return outcome('ORGANIC', null, null, { outcome: 'no_address' });
  const scene = sceneOf(evidence, clicks, (clickId, reason) =>
    rejections.push({ method: 'FINGERPRINT', clickId, reason }),
  );
  const match = matchFingerprint(scene, knowledge);
  const compared = {
    crowd: Math.round(scene.crowd * 10) / 10,
    considered: match.candidates.length,
    candidates: match.candidates.slice(0, MAX_TRACED_CANDIDATES),
  };
  if (match.clickId === null) return outcome('ORGANIC', null, null, { outcome: match.reason, ...compared });
  const click = clicks.find(({ id }) => id === match.clickId) ?? null;
  return outcome('FINGERPRINT', click, match.probability, { outcome: 'matched', ...compared });
}

/** Play's clock and ours, and what lies between a tap and its click's record. */
const CLOCK_TOLERANCE_MS = 5 * SECOND_MS;

function rejectionOf(click: ClickRow, windowHours: number, evidence: NamedEvidence): Rejection | null {
  const clickedAtMs = Date.parse(click.clicked_at);
  if (!CLAIMABLE_VISITORS.some((kind) => kind === click.visitor)) return 'not_claimable';
  if (click.sandbox === 1 && !evidence.debugBuild) return 'sandbox';
  if (evidence.nowMs - clickedAtMs > windowHours * HOUR_MS) return 'outside_window';
  if (evidence.installBeganAtMs !== null && clickedAtMs > evidence.installBeganAtMs + CLOCK_TOLERANCE_MS)
    return 'after_install_began';
  if (isClaimed(click, evidence.claimant)) return 'already_claimed';
  return null;
}

function isClaimed(click: ClickRow, claimant: Claimant): boolean {
  return (claimant === 'install' ? click.claimed_by_install : click.claimed_by_open) !== null;
}

/** What the matching looks at: the clicks that may be claimed, and how many devices there are besides. */
function sceneOf(
  evidence: Evidence,
  clicks: readonly ClickRow[],
  reject: (clickId: string, reason: Rejection) => void,
): Scene {
  const { device, nowMs, windowHours } = evidence;
  return {
    platform: device.platform,
    device: signalsOfDevice(device),
    candidates: candidatesOf(evidence, clicks, reject),
    crowd: crowdIn(evidence, clicks),
    nowMs,
    windowHours: windowHours.fingerprint,
  };
}

/** What a device of the other platform, or a computer, tells of the crowd, against one of the same platform. */
const OTHER_PLATFORM_COUNTS = 0.8;

/** Distinct devices behind the address; where not all clicks were looked at, as many more as their time suggests. */
function crowdIn({ device, nowMs, windowHours }: Evidence, clicks: readonly ClickRow[]): number {
  const isOwn = ({ platform }: ClickRow) => platform === device.platform;
  const seen =
    distinctDevices(clicks.filter(isOwn)) +
    OTHER_PLATFORM_COUNTS * distinctDevices(clicks.filter((click) => !isOwn(click)));
  const oldest = clicks.at(-1);
  if (oldest === undefined || clicks.length < MAX_CLICKS_FROM_ADDRESS) return seen;
  const spanMs = Math.max(SECOND_MS, nowMs - Date.parse(oldest.clicked_at));
  return (seen * windowHours.fingerprint * HOUR_MS) / spanMs;
}

/** A device that waits may click again, but not without end: more clicks that look the same are more devices. */
const CLICKS_OF_ONE_DEVICE = 3;

function distinctDevices(clicks: readonly ClickRow[]): number {
  const counts = new Map<string, number>();
  for (const click of clicks) counts.set(deviceOf(click), (counts.get(deviceOf(click)) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.max(1, count / CLICKS_OF_ONE_DEVICE), 0);
}

/** What a device clicked before the click that it claimed is no longer anybody's. */
function candidatesOf(
  evidence: Evidence,
  clicks: readonly ClickRow[],
  reject: (clickId: string, reason: Rejection) => void,
): Candidate[] {
  const spentUntil = new Map<string, string>();
  for (const click of clicks.filter((one) => isClaimed(one, evidence.claimant))) {
    const until = spentUntil.get(deviceOf(click)) ?? '';
    if (click.clicked_at > until) spentUntil.set(deviceOf(click), click.clicked_at);
  }
  return clicks.flatMap((click) => {
    const reason =
      rejectionOf(click, evidence.windowHours.fingerprint, evidence) ??
      (click.clicked_at <= (spentUntil.get(deviceOf(click)) ?? '') ? 'already_claimed' : null) ??
      (isOfPlatform(click, evidence.device) ? null : 'other_platform');
    if (reason !== null) {
      reject(click.id, reason);
      return [];
    }
    return [{ clickId: click.id, clickedAtMs: Date.parse(click.clicked_at), signals: signalsOfRow(click) }];
  });
}

/** A click without a platform may be a tool's, or an iPad's that asked for the desktop page. */
function isOfPlatform({ platform, user_agent }: ClickRow, device: DeviceReport): boolean {
  if (platform !== null) return platform === device.platform;
  const agent = readUserAgent(user_agent ?? '');
  return !agent.isDesktop || (agent.mayBeIpad && /^ipad/i.test(device.deviceModel ?? ''));
}

/** What an install or an open told of its device, from its row. */
export function reportOfRow(row: DeviceColumns): DeviceReport {
  return {
    ...(row.fingerprint === null ? {} : (JSON.parse(row.fingerprint) as Partial<DeviceReport>)),
    platform: row.platform === 'IOS' ? 'IOS' : 'ANDROID',
    userAgent: row.user_agent,
    deviceModel: row.device_model,
    osVersion: row.os_version,
    locale: row.locale,
  };
}

export function signalsOfRow(click: ClickRow): Signals {
  const page = click.fingerprint === null ? null : (JSON.parse(click.fingerprint) as PageReport);
  return signalsOfClick({
    userAgent: click.user_agent,
    acceptLanguage: click.accept_language,
    page: click.device_model === null ? page : { ...page, model: click.device_model },
  });
}

/** Two clicks are of one device as far as anybody can tell when all that was seen of it is the same. */
function deviceOf(click: ClickRow): string {
  return JSON.stringify([click.user_agent, click.accept_language, click.device_model, click.fingerprint]);
}
