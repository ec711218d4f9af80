/**
 * How good decisions are, measured on what only a fingerprint can decide: installs without a referrer or click ID
 * that names a click of the run.
 */
import { addressKey, ageMs } from './compare.ts';
import type { Click, Decision, Install, Run } from './touches.ts';

export interface Score {
  readonly installs: number;
  /** Installs whose person clicked within the window, without referrer and click ID: what there is to find */
  readonly findable: number;
  /** Attributions by fingerprint */
  readonly attributed: number;
  /** Of those, to a click of the person who installed */
  readonly right: number;
  /** Of those, findable */
  readonly found: number;
  /** right / attributed */
  readonly precision: number;
  /** found / findable */
  readonly recall: number;
  readonly f1: number;
  /** Installs without referrer and click ID credited to somebody else's click, or a machine's, of all such */
  readonly wrongPersonRate: number;
  /** Expected calibration error over ten bins; null where no confidences are given */
  readonly calibrationError: number | null;
}

export interface Ceiling {
  readonly installs: number;
  readonly organic: number;
  readonly withIdentifier: number;
  readonly findable: number;
  /** Findable installs with an own click under the same address key: no rule that needs the address finds more */
  readonly share: number;
}

const WINDOW_MS = 24 * 3_600_000;
const BINS = 10;

/** A run with what scoring needs to know of each install. */
export interface Exam {
  readonly run: Run;
  readonly clicks: ReadonlyMap<string, Click>;
  /** Ids of installs without referrer and click ID */
  readonly undecided: ReadonlySet<string>;
  /** Ids of installs whose person clicked within the window, among the undecided */
  readonly findable: ReadonlySet<string>;
  readonly ceiling: Ceiling;
}

export function prepareExam(run: Run): Exam {
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

/** The click an install names itself, by its click ID or its referrer. */
export function namedClick({ installReferrer, clickId }: Install): string | null {
  const referrer = installReferrer?.replace('%3D', '=');
  return referrer?.match(/(?:^|&)svc_click_id=([^&]+)/)?.[1] ?? clickId;
}

/** Decisions for installs that name their click are left out, whatever they say. */
export function score({ run, undecided, findable }: Exam, decisions: readonly Decision[]): Score {
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

/** Mean distance of what was claimed from what came true, each bin by its size. */
function calibrationError(judged: readonly { isRight: boolean; confidence: number | null }[]): number | null {
  const bins = Array.from({ length: BINS }, () => ({ count: 0, claimed: 0, right: 0 }));
  let count = 0;
  for (const { isRight, confidence } of judged) {
    const bin = confidence === null ? undefined : bins[Math.min(BINS - 1, Math.floor(confidence * BINS))];
    if (!bin || confidence === null) continue;
    bin.count += 1;
    bin.claimed += confidence;
    bin.right += Number(isRight);
    count += 1;
  }
  if (count === 0) return null;
  return bins.reduce((sum, { claimed, right }) => sum + Math.abs(claimed - right) / count, 0);
}

function isSamePerson({ authors }: Run, installId: string, clickId: string | null): boolean {
  const person = authors.get(installId)?.person ?? null;
  return person !== null && clickId !== null && authors.get(clickId)?.person === person;
}

function isSameAddress(click: Click, { fingerprint }: Install): boolean {
  return addressKey(click.ipAddress) === addressKey(fingerprint.ipAddress);
}
