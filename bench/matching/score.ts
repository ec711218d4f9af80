/** Scores decisions on the installs that only a fingerprint can match: those without a referrer or click ID. */
import type { BacktestDecision } from '../../src/commands/backtest/replay.ts';
import type { Click, Install, Run } from '../../src/commands/traffic/touches.ts';
import { addressKey, ageMs } from './compare.ts';

/** A rule's decision on an install; `confidence` is null if the rule has none. */
export type Decision = Omit<BacktestDecision, 'reason'>;

export interface Score {
  readonly installs: number;
  /** Installs without referrer and click ID whose person clicked within the window. */
  readonly findable: number;
  /** Attributions by fingerprint. */
  readonly attributed: number;
  /** Of `attributed`: to a click of the same person. */
  readonly right: number;
  /** Of `right`: findable ones. */
  readonly found: number;
  /** right / attributed */
  readonly precision: number;
  /** found / findable */
  readonly recall: number;
  readonly f1: number;
  /** Share of installs without referrer and click ID that are attributed to another person's or a bot's click. */
  readonly wrongPersonRate: number;
  /** Expected calibration error over ten bins; null without confidences. */
  readonly calibrationError: number | null;
}

export interface Ceiling {
  readonly installs: number;
  readonly organic: number;
  readonly withIdentifier: number;
  readonly findable: number;
  /** Findable installs with a click from the same address: the maximum recall of rules that compare addresses. */
  readonly share: number;
}

const WINDOW_MS = 24 * 3_600_000;
const BINS = 10;

/** A run with the truth about its installs. */
export interface Evaluation {
  readonly run: Run;
  readonly clicks: ReadonlyMap<string, Click>;
  /** Ids of installs without referrer and click ID. */
  readonly undecided: ReadonlySet<string>;
  /** Ids of undecided installs whose person clicked within the window. */
  readonly findable: ReadonlySet<string>;
  readonly ceiling: Ceiling;
}

export function prepareEvaluation(run: Run): Evaluation {
  const clicks = new Map<string, Click>();
  const byPerson = new Map<number, Click[]>();
  const undecided = new Set<string>();
  const findable = new Set<string>();
  const counts = { installs: 0, organic: 0, withIdentifier: 0, sameAddress: 0 };
  for (const touch of run.touches) {
    const person = run.authors.get(touch.id)?.person ?? null;
    if (touch.type === 'click') {
      clicks.set(touch.id, touch);
      if (person !== null) byPerson.set(person, [...(byPerson.get(person) ?? []), touch]);
      continue;
    }
    counts.installs += 1;
    const own = person === null ? [] : (byPerson.get(person) ?? []);
    if (own.length === 0) counts.organic += 1;
    if (namedClick(touch) !== null) {
      counts.withIdentifier += 1;
      continue;
    }
    undecided.add(touch.id);
    const recent = own.filter((click) => ageMs(click, touch) <= WINDOW_MS);
    if (recent.length === 0) continue;
    findable.add(touch.id);
    counts.sameAddress += Number(recent.some((click) => isSameAddress(click, touch)));
  }
  const { sameAddress, ...rest } = counts;
  const ceiling = { ...rest, findable: findable.size, share: sameAddress / findable.size };
  return { run, clicks, undecided, findable, ceiling };
}

/** The click ID that an install reports, by itself or in its referrer. */
export function namedClick({ installReferrer, clickId }: Install): string | null {
  const referrer = installReferrer?.replace('%3D', '=');
  return referrer?.match(/(?:^|&)svc_click_id=([^&]+)/)?.[1] ?? clickId;
}

/** Ignores decisions on installs that report a click ID. */
export function score({ run, undecided, findable }: Evaluation, decisions: readonly Decision[]): Score {
  const judged = decisions
    .filter(({ installId, method }) => method === 'FINGERPRINT' && undecided.has(installId))
    .map(({ installId, clickId, confidence }) => ({
      installId,
      isRight: isSamePerson(run, installId, clickId),
      confidence: confidence === null ? null : Number(confidence),
    }));
  const attributed = judged.length;
  const right = judged.filter(({ isRight }) => isRight).length;
  const found = judged.filter(({ isRight, installId }) => isRight && findable.has(installId)).length;
  const precision = right / attributed;
  const recall = found / findable.size;
  return {
    installs: run.touches.filter(({ type }) => type === 'install').length,
    findable: findable.size,
    attributed,
    right,
    found,
    precision,
    recall,
    f1: found === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    wrongPersonRate: (attributed - right) / undecided.size,
    calibrationError: calibrationError(judged),
  };
}

/** Mean difference of confidence and precision, bins weighted by size. */
function calibrationError(judged: readonly { isRight: boolean; confidence: number | null }[]): number | null {
  const bins = Array.from({ length: BINS }, () => ({ count: 0, confidence: 0, right: 0 }));
  let count = 0;
  for (const { isRight, confidence } of judged) {
    const bin = confidence === null ? undefined : bins[Math.min(BINS - 1, Math.floor(confidence * BINS))];
    if (!bin || confidence === null) continue;
    bin.count += 1;
    bin.confidence += confidence;
    bin.right += Number(isRight);
    count += 1;
  }
  if (count === 0) return null;
  return bins.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right) / count, 0);
}

function isSamePerson({ authors }: Run, installId: string, clickId: string | null): boolean {
  const person = authors.get(installId)?.person ?? null;
  return person !== null && clickId !== null && authors.get(clickId)?.person === person;
}

function isSameAddress(click: Click, { fingerprint }: Install): boolean {
  return addressKey(click.ipAddress) === addressKey(fingerprint.ipAddress);
}
