import { LRUCache } from 'lru-cache';
import { baseLanguage, type Screen, type Signals } from '../../devices/index.ts';
import type { Agreement, Comparison, SignalName, Veto } from '../trace.ts';
import { compareModelNames } from './compare-models.ts';

export const SIGNAL_NAMES = [
  'model',
  'screen',
  'osVersion',
  'language',
  'timezone',
] as const satisfies readonly SignalName[];

const COMPARE: Readonly<Record<SignalName, (click: Signals, device: Signals) => Agreement | null>> = {
  model: compareModels,
  screen: (click, device) => compareScreens(click.screen, device.screen),
  osVersion: compareVersions,
  language: (click, device) => compareLanguages(click.languages, device.languages),
  timezone: (click, device) => compareTimezones(click.timezone, device.timezone),
};

/** Not symmetric: a device may be updated between its click and its install, never downgraded. */
export function compareSignals(click: Signals, device: Signals): Comparison {
  const comparison: Comparison = {};
  for (const name of SIGNAL_NAMES) {
    const agreement = COMPARE[name](click, device);
    if (agreement !== null) comparison[name] = agreement;
  }
  return comparison;
}

/** One signal may differ by chance or by a setting; two rarely do on one device within a day, but for a folded phone. */
const MAX_CONTRADICTIONS = 1;
const MAX_CONTRADICTIONS_OF_ONE_MODEL = 2;

/** @returns null if the click may belong to the install's device. */
export function vetoOf(comparison: Comparison, click: Signals, device: Signals): Veto | null {
  if (comparison.model === 'different' && !areUnlike(click, device)) return 'other_model';
  if (comparison.osVersion === 'different' && !isUpdate(click, device)) return 'older_system';
  const contradictions = Object.values(comparison).filter((agreement) => agreement === 'different').length;
  const isOneModel = comparison.model === 'same';
  const allowed = isOneModel ? MAX_CONTRADICTIONS_OF_ONE_MODEL : MAX_CONTRADICTIONS;
  return contradictions > allowed ? 'contradicts' : null;
}

/** Whether an earlier and a later click are unlikely to come from one device. */
export function contradict(earlier: Signals, later: Signals): boolean {
  // Browsers write one name of a phone; SDKs may write another.
  const areOtherNames = later.family === null && compareNames(earlier, later) === 'other_form';
  return areOtherNames || SIGNAL_NAMES.some((name) => COMPARE[name](earlier, later) === 'different');
}

function compareModels(click: Signals, device: Signals): Agreement | null {
  const { model, family } = click;
  if (click.mayBeComputer) return device.family === 'ipad' ? 'close' : null;
  const areApples = family !== null && device.family !== null;
  if (areApples && family !== device.family) return 'different';
  if (model === null || device.model === null) return areApples ? 'close' : null;
  if (areApples) return model === device.model ? 'same' : 'different';
  const agreement = compareNames(click, device);
  if (agreement === 'unlike') return 'different';
  return agreement === 'other_form' ? 'close' : agreement;
}

function compareNames(click: Signals, device: Signals): ReturnType<typeof compareModelNames> {
  if (click.model === null || device.model === null) return null;
  return compareModelNames(
    { model: click.model, maker: click.maker },
    { model: device.model, maker: device.maker },
  );
}

/** Whether the names of two models differ, but not surely: a weight, no veto. */
function areUnlike(click: Signals, device: Signals): boolean {
  return device.family === null && compareNames(click, device) === 'unlike';
}

/** Dividing by the pixel ratio rounds by up to a pixel. */
const ROUNDING = 1.5;
/** Largest share of the longer side that a navigation bar or a notch takes. */
const MAX_BAR_SHARE = 0.12;
const RATIO_TOLERANCE = 0.06;

function compareScreens(click: Screen | null, device: Screen | null): Agreement | null {
  if (click === null || device === null) return null;
  if (Math.abs(click.shorter - device.shorter) > ROUNDING) return 'different';
  const isSameRatio =
    click.pixelRatio === null ||
    device.pixelRatio === null ||
    Math.abs(click.pixelRatio - device.pixelRatio) <= RATIO_TOLERANCE;
  const difference = Math.abs(click.longer - device.longer);
  if (difference <= ROUNDING && isSameRatio) return 'same';
  return difference <= device.longer * MAX_BAR_SHARE ? 'close' : 'different';
}

/** Compares as many components as both sides report. A lower version at the install means another device. */
function compareVersions(click: Signals, device: Signals): Agreement | null {
  if (click.osVersion === null || device.osVersion === null) return null;
  const [atClick, atInstall] = [componentsOf(click.osVersion), componentsOf(device.osVersion)];
  const index = firstDifference(atClick, atInstall);
  if (index === -1) return click.isMinorUnsure || haveSamePrecision(atClick, atInstall) ? 'same' : 'close';
  const isLater = isUpdate(click, device);
  if (index === 0) return (isLater ? click : device).mayBeFrozen ? null : 'different';
  // Safari may be older than its system, never newer.
  return isLater || device.isMinorUnsure ? 'close' : 'different';
}

function firstDifference(a: readonly number[], b: readonly number[]): number {
  return a.findIndex((component, index) => index < b.length && component !== b[index]);
}

/** Whether the system at the install is newer than at the click. */
function isUpdate(click: Signals, device: Signals): boolean {
  const [atClick, atInstall] = [componentsOf(click.osVersion ?? ''), componentsOf(device.osVersion ?? '')];
  const index = firstDifference(atClick, atInstall);
  return (atInstall[index] ?? 0) > (atClick[index] ?? 0);
}

/** Whether one side reports fewer numbers of the same version: Chrome on iOS says `17.5` for `17.5.1`, some sources only `17`. */
export function isCoarseVersion(click: Signals, device: Signals): boolean {
  const [atClick, atInstall] = [componentsOf(click.osVersion ?? ''), componentsOf(device.osVersion ?? '')];
  if (Math.min(atClick.length, atInstall.length) <= 1) return true;
  return atClick.length !== atInstall.length && firstDifference(atClick, atInstall) === -1;
}

/** `17.5` may be `17.5.1` cut short, or an older version. A major version alone is all that some sources report. */
function haveSamePrecision(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length || a.length === 1 || b.length === 1;
}

/** Cached because hundreds of clicks behind one address repeat the same few versions. */
const versions = new LRUCache<string, readonly number[]>({
  max: 5_000,
  memoMethod: (version) => version.split('.').map(Number),
});

function componentsOf(version: string): readonly number[] {
  return versions.memo(version);
}

/** Compares the device's language with the click's first one; further languages of the click count as close. */
function compareLanguages(click: readonly string[], device: readonly string[]): Agreement | null {
  const [preferred] = device;
  if (preferred === undefined || click[0] === undefined) return null;
  if (click[0] === preferred) return 'same';
  const base = baseLanguage(preferred);
  return click.some((tag) => baseLanguage(tag) === base) ? 'close' : 'different';
}

function compareTimezones(click: string | null, device: string | null): Agreement | null {
  if (click === null || device === null) return null;
  if (click === device) return 'same';
  return offsets.memo(click) === offsets.memo(device) ? 'close' : 'different';
}

/**
 * Zone to offset from UTC, such as `GMT+01:00`. One place may have two names (`Europe/Zurich`, `Europe/Berlin`); a fixed
 * day makes the comparison independent of daylight saving time.
 */
const offsets = new LRUCache<string, string>({
  max: 1_000,
  memoMethod: (timeZone) =>
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
      .formatToParts(Date.UTC(2026, 0, 15))
      .find(({ type }) => type === 'timeZoneName')?.value ?? '',
});
