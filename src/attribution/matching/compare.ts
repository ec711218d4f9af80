import { LRUCache } from 'lru-cache';
import { baseLanguage, type Screen, type Signals } from '../../devices/index.ts';

/** The signals that are compared, each for itself. */
export const SIGNAL_NAMES = ['model', 'screen', 'osVersion', 'language', 'timezone'] as const;
export type SignalName = (typeof SIGNAL_NAMES)[number];

/**
 * How much a signal agrees. `close` is what one device may well say in two places: the same language for another region,
 * the same zone offset, an update within a version, a screen without its navigation bar.
 */
export type Agreement = 'same' | 'close' | 'different';

/** Only signals that both sides tell. */
export type Comparison = Partial<Record<SignalName, Agreement>>;

const COMPARE: Readonly<Record<SignalName, (click: Signals, device: Signals) => Agreement | null>> = {
  model: compareModels,
  screen: (click, device) => compareScreens(click.screen, device.screen),
  osVersion: compareVersions,
  language: (click, device) => compareLanguages(click.languages, device.languages),
  timezone: (click, device) => compareTimezones(click.timezone, device.timezone),
};

/** A device may have changed between its click and its install, so the order counts. */
export function compareSignals(click: Signals, device: Signals): Comparison {
  const comparison: Comparison = {};
  for (const name of SIGNAL_NAMES) {
    const agreement = COMPARE[name](click, device);
    if (agreement !== null) comparison[name] = agreement;
  }
  return comparison;
}

/** Why a click cannot be of the install's device, whatever else agrees. */
export type Veto = 'other_model' | 'older_system' | 'contradicts';

/** One signal may differ by chance or by a setting; two hardly ever do on one device within a day. */
const MAX_CONTRADICTIONS = 1;

/** Null where the install may be by the click's device. */
export function vetoOf(comparison: Comparison, click: Signals, device: Signals): Veto | null {
  if (comparison.model === 'different') return 'other_model';
  if (comparison.osVersion === 'different' && !isUpdate(click, device)) return 'older_system';
  const contradictions = Object.values(comparison).filter((agreement) => agreement === 'different').length;
  return contradictions > MAX_CONTRADICTIONS ? 'contradicts' : null;
}

/** Whether what was seen first and what was seen later cannot well be of one device. */
export function contradict(first: Signals, later: Signals): boolean {
  return SIGNAL_NAMES.some((name) => COMPARE[name](first, later) === 'different');
}

function compareModels(click: Signals, device: Signals): Agreement | null {
  if (click.family !== null && device.family !== null && click.family !== device.family) return 'different';
  if (click.model !== null && device.model !== null) {
    if (click.model === device.model) return 'same';
    return areOfTwoVocabularies(click.model, device.model) ? null : 'different';
  }
  return click.family !== null && device.family !== null ? 'close' : null;
}

/** Browsers name Samsung's phones by their code (`sm-s918b`), some SDKs by the name on the box (`galaxy s23 ultra`). */
function areOfTwoVocabularies(one: string, other: string): boolean {
  const names = [one, other];
  return names.some((name) => name.startsWith('sm-')) && names.some((name) => name.startsWith('galaxy '));
}

/** Division by the pixel ratio leaves up to a pixel of rounding. */
const ROUNDING = 1.5;
/** A navigation bar or a notch that one side leaves out of the longer side. */
const MAX_BAR_SHARE = 0.12;
const RATIO_TOLERANCE = 0.06;

function compareScreens(click: Screen | null, device: Screen | null): Agreement | null {
  if (click === null || device === null) return null;
  if (Math.abs(click.shorter - device.shorter) > ROUNDING) return 'different';
  const isSameRatio =
    click.pixelRatio === null ||
    device.pixelRatio === null ||
    Math.abs(click.pixelRatio - device.pixelRatio) <= RATIO_TOLERANCE;
  const apart = Math.abs(click.longer - device.longer);
  if (apart <= ROUNDING && isSameRatio) return 'same';
  return apart <= device.longer * MAX_BAR_SHARE ? 'close' : 'different';
}

/**
 * By as many numbers as both sides tell. Systems are updated and hardly ever set back, so a lower version is another
 * device's.
 */
function compareVersions(click: Signals, device: Signals): Agreement | null {
  if (click.osVersion === null || device.osVersion === null) return null;
  const [told, real] = [numbersIn(click.osVersion), numbersIn(device.osVersion)];
  const place = firstDifference(told, real);
  if (place === -1) return click.isMinorUnsure || areOfOneLength(told, real) ? 'same' : 'close';
  const isLater = isUpdate(click, device);
  if (place === 0) return (isLater ? click : device).mayBeFrozen ? null : 'different';
  if (click.isMinorUnsure || device.isMinorUnsure) return null;
  return isLater ? 'close' : 'different';
}

function firstDifference(told: readonly number[], real: readonly number[]): number {
  return told.findIndex((number, index) => index < real.length && number !== real[index]);
}

/** Whether the install's system is newer than the click's. */
function isUpdate(click: Signals, device: Signals): boolean {
  const [told, real] = [numbersIn(click.osVersion ?? ''), numbersIn(device.osVersion ?? '')];
  const place = firstDifference(told, real);
  return (real[place] ?? 0) > (told[place] ?? 0);
}

/** Whether only the first numbers of the versions can be compared. */
export function isCoarseVersion(click: Signals, device: Signals): boolean {
  const lengths = [click, device].map(({ osVersion }) => numbersIn(osVersion ?? '').length);
  return click.isMinorUnsure || device.isMinorUnsure || Math.min(...lengths) <= 1;
}

/** `17.5` is another version than `17.5.1`, or the same cut short; a first number alone is as much as that side tells. */
function areOfOneLength(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length || a.length === 1 || b.length === 1;
}

/** Behind a crowded address the same few versions are compared thousands of times. */
const knownVersions = new LRUCache<string, readonly number[]>({ max: 5_000 });

function numbersIn(version: string): readonly number[] {
  let numbers = knownVersions.get(version);
  if (numbers === undefined) {
    numbers = version.split('.').map(Number);
    knownVersions.set(version, numbers);
  }
  return numbers;
}

/** The device's language against the click's first one; further ones of the click count as close. */
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
  return offsetMinutes(click) === offsetMinutes(device) ? 'close' : 'different';
}

const offsets = new Map<string, number>();

/**
 * A zone's offset from UTC in January 2026: two names of one offset are often one place (`Europe/Zurich`,
 * `Europe/Berlin`), and a fixed day keeps the comparison the same all year.
 */
function offsetMinutes(timeZone: string): number {
  let offset = offsets.get(timeZone);
  if (offset === undefined) {
    const name = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
      .formatToParts(Date.UTC(2026, 0, 15))
      .find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(name ?? '') ?? [];
    offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
    offsets.set(timeZone, offset);
  }
  return offset;
}
