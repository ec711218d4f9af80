/** Rules that no visitor can get. Pure, and without Node. */
import { isInRange, type LinkRule, numbersOf, type RuleConditions, subtagsOf } from './rules.ts';

export interface IdleRule {
  readonly place: number;
  readonly why: 'over' | 'percent' | 'version' | 'covered';
  /** The earlier rule that gets all its visitors. */
  readonly coveredBy: number | null;
}

/** Rules that can never win from now on: their time is over, they have 0 percent or an impossible version, or an earlier rule gets all their visitors. */
export function rulesThatNeverWin(rules: readonly LinkRule[], nowMs: number): IdleRule[] {
  return rules.flatMap(({ when }, place): IdleRule[] => {
    if (isOver(when, nowMs)) return [{ place, why: 'over', coveredBy: null }];
    if (when.percent === 0) return [{ place, why: 'percent', coveredBy: null }];
    if (hasNoVersion(when)) return [{ place, why: 'version', coveredBy: null }];
    const earlier = rules.slice(0, place).findIndex((rule) => covers(rule.when, when, nowMs));
    return earlier === -1 ? [] : [{ place, why: 'covered', coveredBy: earlier }];
  });
}

function isOver({ to }: RuleConditions, nowMs: number): boolean {
  return to !== undefined && Date.parse(to) <= nowMs;
}

/** Only iOS and Android tell a version that rules compare. */
function hasNoVersion({ platform, osVersion }: RuleConditions): boolean {
  return osVersion !== undefined && (platform === 'OTHER' || isEmptyRange(osVersion));
}

/** 17 to 17 has 17.5; 17.5 to 17.4 has none. */
export function isEmptyRange({ min, max }: NonNullable<RuleConditions['osVersion']>): boolean {
  const [least, most] = [numbersOf(min), numbersOf(max)];
  return least !== null && most !== null && compare(least, most, 0) > 0;
}

/** Whether all that is asked holds wherever the conditions of `narrow` do. */
function covers(wide: RuleConditions, narrow: RuleConditions, nowMs: number): boolean {
  return (
    (wide.percent === undefined || wide.percent === 100) &&
    (wide.platform === undefined || wide.platform === narrow.platform) &&
    (wide.country === undefined || isSubset(narrow.country, wide.country, (a, b) => a === b)) &&
    (wide.language === undefined || isSubset(narrow.language, wide.language, isWithinLanguage)) &&
    coversVersions(wide.osVersion, narrow.osVersion) &&
    coversQuery(wide.query, narrow.query) &&
    startOf(wide) <= Math.max(startOf(narrow), nowMs) &&
    endOf(wide) >= endOf(narrow)
  );
}

type Values = string | string[];

function isSubset(
  narrow: Values | undefined,
  wide: Values,
  isWithin: (one: string, other: string) => boolean,
): boolean {
  if (narrow === undefined) return false;
  return [narrow].flat().every((one) => [wide].flat().some((other) => isWithin(one, other)));
}

function isWithinLanguage(tag: string, range: string): boolean {
  return isInRange(subtagsOf(range), subtagsOf(tag));
}

function coversVersions(wide: RuleConditions['osVersion'], narrow: RuleConditions['osVersion']): boolean {
  if (wide === undefined) return true;
  if (narrow === undefined) return false;
  return (
    isFrom(numbersOf(narrow.min), numbersOf(wide.min)) && isUpTo(numbersOf(narrow.max), numbersOf(wide.max))
  );
}

type Numbers = readonly number[] | null;

function isFrom(narrow: Numbers, wide: Numbers): boolean {
  return wide === null || (narrow !== null && compare(narrow, wide, 0) >= 0);
}

/** 17 as an upper bound is beyond 17.5. */
function isUpTo(narrow: Numbers, wide: Numbers): boolean {
  return wide === null || (narrow !== null && compare(narrow, wide, Number.POSITIVE_INFINITY) <= 0);
}

function compare(one: readonly number[], other: readonly number[], missing: number): number {
  for (const [place, number] of other.entries()) {
    const mine = one[place] ?? missing;
    if (mine !== number) return mine < number ? -1 : 1;
  }
  return 0;
}

function coversQuery(wide: RuleConditions['query'] = {}, narrow: RuleConditions['query'] = {}): boolean {
  return Object.entries(wide).every(
    ([name, value]) => Object.hasOwn(narrow, name) && (value === null || narrow[name] === value),
  );
}

function startOf({ from }: RuleConditions): number {
  return from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
}

function endOf({ to }: RuleConditions): number {
  return to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to);
}
