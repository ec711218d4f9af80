/** Replays recorded traffic through the matching, with the time of each line as the clock. */
import { THRESHOLD_PERCENT, WINDOW_DEFAULT_HOURS } from '../../apps/index.ts';
import { confidenceText } from '../../attribution/answer.ts';
import { installBeganAtMs, platformIn } from '../../attribution/attribution-request.ts';
import { clickIdInReferrer, readClickIdField } from '../../attribution/click-id.ts';
import { type Decision, decide, type Evidence, type FoundReference } from '../../attribution/decide.ts';
import type { Method } from '../../attribution/index.ts';
import { MAX_CLICKS_READ, selectClicks } from '../../attribution/match-input.ts';
import type { ClickRow } from '../../click-log/index.ts';
import { normaliseAddress } from '../../lib/address.ts';
import { HOUR_MS, isoTime } from '../../lib/clock.ts';
import { CLAIMABLE_VISITORS, classifyVisitor } from '../../redirect/visitors/index.ts';
import type { ClickTouch, InstallTouch } from './touches.ts';

/** A line of the backtest's output. */
export interface BacktestDecision {
  readonly installId: string;
  readonly method: Method;
  readonly clickId: string | null;
  /** Decimal from 0 to 1; null unless FINGERPRINT. */
  readonly confidence: string | null;
  /** `named` for a click ID; else the outcome of the fingerprint, and in brackets why the click ID was rejected. */
  readonly reason: string;
}

/** Decides as a service that starts with the first line of one app's traffic. */
export class Backtest {
  readonly #clicks = new Map<string, ClickRow>();
  readonly #clicksByAddress = new Map<string, ClickRow[]>();
  readonly #installIds = new Set<string>();
  readonly #threshold: number;
  readonly #watch: (decision: Decision, evidence: Evidence) => void;
  #nowMs = Number.NEGATIVE_INFINITY;

  /**
   * @param threshold least probability of a fingerprint match.
   * @param watch sees each decision, before its click is claimed.
   */
  constructor(
    threshold: number = THRESHOLD_PERCENT.default / 100,
    watch: (decision: Decision, evidence: Evidence) => void = () => undefined,
  ) {
    this.#threshold = threshold;
    this.#watch = watch;
  }

  /**
   * @returns null for a click and for a repeated install, which the service does not record again.
   * @throws Error if the touch is older than the one before it.
   */
  take(touch: ClickTouch | InstallTouch): BacktestDecision | null {
    const atMs = Date.parse(touch.at);
    if (atMs < this.#nowMs)
      throw new Error(`at is before ${isoTime(this.#nowMs)} of an earlier line; sort the lines by time`);
    this.#nowMs = atMs;
    if (touch.type === 'click') {
      this.#record(touch);
      return null;
    }
    const installId = touch.id.toLowerCase();
    if (this.#installIds.has(installId)) return null;
    this.#installIds.add(installId);
    return this.#decide(touch);
  }

  #record(touch: ClickTouch): void {
    const click = toClickRow(touch);
    if (this.#clicks.has(click.id)) return;
    this.#clicks.set(click.id, click);
    if (click.ip_hash === null) return;
    const clicks = this.#clicksByAddress.get(click.ip_hash);
    if (clicks === undefined) this.#clicksByAddress.set(click.ip_hash, [click]);
    else clicks.push(click);
  }

  #decide(touch: InstallTouch): BacktestDecision {
    const evidence = this.#evidenceOf(touch);
    const decision = decide(evidence);
    this.#watch(decision, evidence);
    const { click } = decision;
    if (click !== null) click.claimed_by_install = touch.id;
    return {
      installId: touch.id,
      method: decision.method,
      clickId: click?.id ?? null,
      confidence: confidenceText(decision),
      reason: reasonOf(decision),
    };
  }

  #evidenceOf(touch: InstallTouch): Evidence {
    const nowMs = this.#nowMs;
    const address = normaliseAddress(touch.fingerprint.ipAddress ?? undefined);
    const since = isoTime(nowMs - WINDOW_DEFAULT_HOURS.fingerprint * HOUR_MS);
    return {
      nowMs,
      claimant: 'install',
      debugBuild: false,
      windowHours: WINDOW_DEFAULT_HOURS,
      fingerprintEnabled: true,
      fingerprintThreshold: this.#threshold,
      deterministicOnly: false,
      hasReferrer: Boolean(touch.installReferrer),
      referrer: this.#find(clickIdInReferrer(touch.installReferrer)),
      explicit: this.#find(readClickIdField(touch.clickId)?.toLowerCase() ?? null),
      installBeganAtMs: installBeganAtMs(touch, nowMs),
      device: { ...touch.fingerprint, platform: platformIn(touch.fingerprint) },
      clicksFromAddress:
        address === null ? null : newestSince(this.#clicksByAddress.get(address) ?? [], since),
    };
  }

  #find(clickId: string | null): FoundReference | null {
    return clickId === null ? null : { clickId, click: this.#clicks.get(clickId) ?? null, token: 'none' };
  }
}

function toClickRow(touch: ClickTouch): ClickRow {
  const { kind, reason, platform } = classifyVisitor('GET', { 'user-agent': touch.userAgent ?? undefined });
  return {
    app_id: '',
    id: touch.id.toLowerCase(),
    // Recordings have no links; the campaign is the closest.
    link_id: touch.campaignId ?? '',
    campaign_id: touch.campaignId ?? null,
    sandbox: 0,
    visitor: kind,
    visitor_reason: reason,
    platform,
    // Not hashed, since nothing is stored.
    ip_hash: normaliseAddress(touch.ipAddress ?? undefined),
    user_agent: touch.userAgent ?? null,
    accept_language: touch.acceptLanguage ?? null,
    device_model: null,
    fingerprint: touch.signals ? JSON.stringify(touch.signals) : null,
    signals_at: null,
    clicked_at: isoTime(Date.parse(touch.at)),
    claimed_by_install: null,
    claimed_by_open: null,
    country: null,
    referrer: null,
    utm: null,
    query: null,
    erased: null,
    erased_at: null,
    rule_id: null,
    path_rest: null,
  };
}

/** As `listClicksByAddress` and `selectClicks` do for the service. */
function newestSince(clicks: readonly ClickRow[], since: string): readonly ClickRow[] {
  const first = clicks.findLastIndex(({ clicked_at }) => clicked_at < since) + 1;
  const newest = clicks
    .slice(first)
    .filter(({ visitor }) => CLAIMABLE_VISITORS.some((kind) => kind === visitor))
    .slice(-MAX_CLICKS_READ)
    .reverse();
  return selectClicks(newest);
}

function reasonOf({ trace }: Decision): string {
  const [rejection] = trace.rejections.filter(({ method }) => method !== 'FINGERPRINT');
  if (trace.fingerprint.outcome === 'not_needed') return 'named';
  return rejection === undefined
    ? trace.fingerprint.outcome
    : `${trace.fingerprint.outcome} (${rejection.method} ${rejection.reason})`;
}
