/** Recorded traffic through the same decisions, with the clock of each line. */
import { WINDOW_DEFAULT_HOURS } from '../apps/index.ts';
import { CLAIMABLE_VISITORS, type ClickRow, classifyVisitor } from '../clicks/index.ts';
import { normaliseAddress } from '../platform/address.ts';
import { HOUR_MS, isoTime } from '../platform/clock.ts';
import { confidenceText } from './answer.ts';
import { type Decision, decide, type Evidence, type Method, type NamedClick } from './decide.ts';
import { clickIdInReferrer, nameInClickId } from './named-click.ts';
import { installBeganAtMs, platformIn } from './question.ts';
import { MAX_CLICKS_READ, selectClicks } from './scene.ts';
import type { ClickTouch, InstallTouch } from './touches.ts';

/** What would have been decided on one install: a line of the backtest's output. */
export interface BacktestDecision {
  readonly installId: string;
  readonly method: Method;
  readonly clickId: string | null;
  /** Decimal from 0 to 1; null unless FINGERPRINT. */
  readonly confidence: string | null;
  /** `named` by a referrer or a click ID; else what the fingerprint came to, and in brackets why a named click was not taken. */
  readonly reason: string;
}

/** One app's traffic, in time order: what a service that started with the first line would have decided. */
export class Backtest {
  readonly #clicks = new Map<string, ClickRow>();
  readonly #clicksByAddress = new Map<string, ClickRow[]>();
  readonly #installIds = new Set<string>();
  #nowMs = Number.NEGATIVE_INFINITY;

  /**
   * @returns the decision on an install; null for a click, and for an install that was decided before: the service gives
   * a retry its first answer and records nothing.
   * @throws Error when the touch is older than the one before it.
   */
  take(touch: ClickTouch | InstallTouch): BacktestDecision | null {
    this.#advance(touch);
    if (touch.type === 'click') this.#record(touch);
    else if (this.#isNew(touch)) return this.#decide(touch);
    return null;
  }

  #advance({ at }: ClickTouch | InstallTouch): void {
    const atMs = Date.parse(at);
    if (atMs < this.#nowMs)
      throw new Error(
        `at is before ${isoTime(this.#nowMs)} of an earlier line, and lines stand in time order`,
      );
    this.#nowMs = atMs;
  }

  #isNew({ id }: InstallTouch): boolean {
    const before = this.#installIds.size;
    return this.#installIds.add(id.toLowerCase()).size > before;
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
    const decision = decide(this.#gatherEvidence(touch));
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

  #gatherEvidence(touch: InstallTouch): Evidence {
    const nowMs = Date.parse(touch.at);
    const address = normaliseAddress(touch.fingerprint.ipAddress ?? undefined);
    const since = isoTime(nowMs - WINDOW_DEFAULT_HOURS.fingerprint * HOUR_MS);
    return {
      nowMs,
      claimant: 'install',
      debugBuild: false,
      windowHours: WINDOW_DEFAULT_HOURS,
      fingerprintEnabled: true,
      hasReferrer: Boolean(touch.installReferrer),
      referrer: this.#named(clickIdInReferrer(touch.installReferrer)),
      explicit: this.#named(nameInClickId(touch.clickId)?.toLowerCase() ?? null),
      installBeganAtMs: installBeganAtMs(touch, nowMs),
      device: { ...touch.fingerprint, platform: platformIn(touch.fingerprint) },
      clicksFromAddress:
        address === null ? null : newestSince(this.#clicksByAddress.get(address) ?? [], since),
    };
  }

  #named(clickId: string | null): NamedClick | null {
    return clickId === null ? null : { clickId, click: this.#clicks.get(clickId) ?? null, token: 'none' };
  }
}

function toClickRow(touch: ClickTouch): ClickRow {
  const { kind, reason, platform } = classifyVisitor('GET', { 'user-agent': touch.userAgent ?? undefined });
  return {
    app_id: '',
    id: touch.id.toLowerCase(),
    // A recording names no link; a campaign is the nearest to one.
    link_id: touch.campaignId ?? '',
    campaign_id: touch.campaignId ?? null,
    sandbox: 0,
    visitor: kind,
    visitor_reason: reason,
    platform,
    // Nothing is kept, so nothing needs to be hashed.
    ip_hash: normaliseAddress(touch.ipAddress ?? undefined),
    user_agent: touch.userAgent ?? null,
    accept_language: touch.acceptLanguage ?? null,
    device_model: null,
    fingerprint: touch.signals ? JSON.stringify(touch.signals) : null,
    signals_at: null,
    clicked_at: isoTime(Date.parse(touch.at)),
    claimed_by_install: null,
    claimed_by_open: null,
  };
}

/** As the service reads them: only clicks that can be claimed. */
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
