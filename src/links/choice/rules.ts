/** What a rule of a link asks of a visitor, and which rule wins. Pure, and without Node: the console tries rules with it. */

export const MAX_RULES = 20;
export const RULE_PLATFORMS = ['IOS', 'ANDROID', 'OTHER'] as const;
export type RulePlatform = (typeof RULE_PLATFORMS)[number];

/** Versions by platform, as dotted numbers. */
export interface AppVersions {
  readonly ios?: string;
  readonly android?: string;
}

/** All that are given must hold. */
export interface RuleConditions {
  readonly platform?: RulePlatform;
  /** Both inclusive, compared on the numbers given. */
  readonly osVersion?: { readonly min?: string; readonly max?: string };
  /** Tags; `de` holds for `de-AT`. */
  readonly language?: string | string[];
  /** ISO 3166 codes. */
  readonly country?: string | string[];
  /** Values by name; null for any. */
  readonly query?: Readonly<Record<string, string | null>>;
  /** ISO times: inclusive, exclusive. */
  readonly from?: string;
  readonly to?: string;
  /** Of those who reach the rule, 0 to 100. */
  readonly percent?: number;
}

/** What replaces the fields of the link. */
export interface RuleOutcome {
  readonly iosDestination?: string;
  readonly androidDestination?: string;
  readonly fallbackUrl?: string;
  readonly deepLinkPath?: string;
  readonly deepLinkParams?: Readonly<Record<string, unknown>>;
  readonly campaignId?: string;
}

export interface LinkRule {
  readonly name?: string;
  readonly when: RuleConditions;
  readonly then: RuleOutcome;
}

/** A version of a system as far as it is known: `17.5.1` is that one, `17` with `most: '17.999'` any 17. */
export interface KnownVersion {
  readonly least: string;
  /** Null if there is no bound: the system may be any newer one. */
  readonly most: string | null;
}

/** What rules ask about. Null for what is unknown: no condition about it holds. */
export interface RuleVisit {
  /** `OTHER` for computers and whatever else is neither of the two; null for an app that does not tell. */
  readonly platform: RulePlatform | null;
  readonly osVersion: KnownVersion | null;
  /** The most preferred language, as `de-AT`, in any case. */
  readonly language: string | null;
  /** Two capital letters. */
  readonly country: string | null;
  /** Parameters of the tapped address by name. */
  readonly query: ReadonlyMap<string, string>;
  readonly atMs: number;
  /** Of the click: percentages are drawn from it. */
  readonly id: string;
}

/**
 * The index of the first rule whose conditions all hold; null if none does.
 * @param rules not to be changed in place later: what is costly is worked out once.
 */
export function chooseRule(rules: readonly LinkRule[], visit: RuleVisit): number | null {
  if (rules.length === 0) return null;
  const facts = new Facts(visit);
  const all = compiled(rules);
  for (let place = 0; place < all.length; place++) if (holdsAll(all[place] ?? [], facts)) return place;
  return null;
}

function holdsAll(tests: readonly Test[], facts: Facts): boolean {
  for (const holds of tests) if (!holds(facts)) return false;
  return true;
}

/** Whether one condition of a rule holds. */
type Test = (facts: Facts) => boolean;

/** What several rules compare, worked out once. */
class Facts {
  readonly visit: RuleVisit;
  #subtags: readonly string[] | null | undefined;
  #version: { readonly least: readonly number[]; readonly most: readonly number[] | null } | null | undefined;
  #seeds: readonly [number, number] | null = null;

  constructor(visit: RuleVisit) {
    this.visit = visit;
  }

  get subtags() {
    if (this.#subtags === undefined) {
      const { language } = this.visit;
      this.#subtags = language === null ? null : subtagsOf(language);
    }
    return this.#subtags;
  }

  get version() {
    if (this.#version === undefined) {
      const { osVersion } = this.visit;
      this.#version =
        osVersion === null
          ? null
          : { least: numbersOf(osVersion.least) ?? [], most: numbersOf(osVersion.most ?? undefined) };
    }
    return this.#version;
  }

  /** From 0 to below 100: uniform over ids, independent for each place of a rule, and the same for the same id. */
  draw(place: number): number {
    this.#seeds ??= hashesOf(this.visit.id);
    const combined = this.#seeds[0] + Math.imul(this.#seeds[1], 2 * place + 1);
    return ((mix(combined ^ Math.imul(place + 1, 0x9e_37_79_b1)) >>> 0) / RANGE) * 100;
  }
}

const compiledRules = new WeakMap<readonly LinkRule[], readonly (readonly Test[])[]>();

function compiled(rules: readonly LinkRule[]): readonly (readonly Test[])[] {
  let tests = compiledRules.get(rules);
  if (tests === undefined) {
    tests = rules.map(({ when }, index) => testsOf(when, index));
    compiledRules.set(rules, tests);
  }
  return tests;
}

/** The cheapest first. */
function testsOf(when: RuleConditions, index: number): Test[] {
  const { platform, country, language, osVersion, query, percent } = when;
  const tests: Test[] = [];
  if (platform !== undefined) tests.push(({ visit }) => visit.platform === platform);
  const times = { fromMs: timeOf(when.from, -Infinity), toMs: timeOf(when.to, Infinity) };
  if (when.from !== undefined || when.to !== undefined)
    tests.push(({ visit: { atMs } }) => times.fromMs <= atMs && atMs < times.toMs);
  if (country !== undefined) {
    const countries = new Set([country].flat().map((code) => code.toUpperCase()));
    tests.push(({ visit }) => visit.country !== null && countries.has(visit.country));
  }
  if (percent !== undefined) tests.push((facts) => facts.draw(index) < percent);
  if (language !== undefined) {
    const ranges = [language].flat().map(subtagsOf);
    tests.push(({ subtags }) => subtags !== null && ranges.some((range) => isInRange(range, subtags)));
  }
  if (query !== undefined) {
    const wanted = Object.entries(query);
    tests.push(({ visit }) => wanted.every(([name, value]) => hasParameter(visit.query, name, value)));
  }
  if (osVersion !== undefined) tests.push(versionTest(osVersion));
  return tests;
}

function timeOf(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Date.parse(text);
}

function hasParameter(query: ReadonlyMap<string, string>, name: string, value: string | null): boolean {
  return value === null ? query.has(name) : query.get(name) === value;
}

/** Codes that ISO 639 replaced, which phones still send. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['iw', 'he'],
  ['in', 'id'],
  ['ji', 'yi'],
  ['no', 'nb'],
]);

export function subtagsOf(tag: string): string[] {
  const [language = '', ...others] = tag.toLowerCase().replaceAll('_', '-').split('-');
  return [ALIASES.get(language) ?? language, ...others];
}

/** Extended filtering (RFC 4647, section 3.3.2): `zh-TW` holds for `zh-Hant-TW`. */
export function isInRange(range: readonly string[], tags: readonly string[]): boolean {
  if (range[0] !== tags[0]) return false;
  let place = 1;
  for (let index = 1; index < range.length; index++) {
    const wanted = range[index];
    // After a single character come extensions, which say nothing of language, script or region.
    while (place < tags.length && tags[place] !== wanted && (tags[place] ?? '').length > 1) place++;
    if (tags[place] !== wanted) return false;
    place++;
  }
  return true;
}

/** Holds if it holds for every version that the visitor may have. */
function versionTest({ min, max }: NonNullable<RuleConditions['osVersion']>): Test {
  const [lower, upper] = [numbersOf(min), numbersOf(max)];
  return ({ version }) => {
    if (version === null || (lower !== null && compare(version.least, lower) < 0)) return false;
    return upper === null || (version.most !== null && compare(version.most, upper) <= 0);
  };
}

export function numbersOf(version: string | undefined): readonly number[] | null {
  return version === undefined ? null : version.split('.').map(Number);
}

/** On as many numbers as the bound has; a number that the version lacks is 0. */
function compare(version: readonly number[], bound: readonly number[]): number {
  for (let place = 0; place < bound.length; place++) {
    const difference = (version[place] ?? 0) - (bound[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** 2 to the power of 32. */
const RANGE = 0x1_0000_0000;

/** Two hashes of the id, after cyrb53; a draw combines them with the place and mixes as MurmurHash3 ends. */
function hashesOf(id: string): readonly [number, number] {
  let [one, two] = [0xde_ad_be_ef, 0x41_c6_ce_57];
  for (let index = 0; index < id.length; index++) {
    const code = id.charCodeAt(index);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  return [mix(one), mix(two)];
}

/** The finalizer of MurmurHash3: each bit of the input changes half of those of the output. */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85_eb_ca_6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2_b2_ae_35);
  return mixed ^ (mixed >>> 16);
}
