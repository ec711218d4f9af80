/** Who gets what: rules tried on one visitor, with the code by which the service chooses. */
import type { App, Link, LinkRule, RuleConditions } from '@generated/types.gen.ts';
import { addParametersTo, passedOf } from '../../../../../src/links/choice/passed-parameters.ts';
import { chooseRule, type RuleVisit } from '../../../../../src/links/choice/rules.ts';
import { formatCountry, formatMoment } from '../../../formats.ts';
import { conditionWords, DEVICES, formatLanguage } from './words.ts';

export interface Visitor {
  readonly platform: NonNullable<RuleConditions['platform']>;
  /** These are empty if the visitor does not tell. */
  readonly osVersion: string;
  readonly language: string;
  readonly country: string;
  /** Such as ref=mail&utm_source=poster. */
  readonly query: string;
  /** An ISO time. */
  readonly at: string;
}

/** What one of several visitors who are alike gets, by the chance of `percent`. */
interface Share {
  /** Of the rule; null for the link without one. */
  readonly place: number | null;
  readonly percent: number;
}

export interface Trial {
  readonly shares: readonly Share[];
  /** Why each rule has none of these visitors, by place; null for one that has some. */
  readonly reasons: readonly (string | null)[];
}

/** @param wrong why the service would refuse a rule, by place; such a rule has no visitors. */
export function tryRules(
  rules: readonly LinkRule[],
  visitor: Visitor,
  wrong: readonly (string | null)[] = [],
): Trial {
  const visit = visitOf(visitor);
  const shares: Share[] = [];
  const reasons: (string | null)[] = [];
  let left = 100;
  for (const [place, rule] of rules.entries()) {
    const refusal = wrong[place] ?? null;
    if (refusal !== null) {
      reasons.push(`Left out, since it cannot be saved like this. ${refusal}`);
      continue;
    }
    const { percent = 100, ...certain } = rule.when;
    const failing = failingOf(rule, visit, visitor);
    const isReached = chooseRule([{ ...rule, when: certain }], visit) !== null;
    const own = isReached ? (left * (percent || 0)) / 100 : 0;
    reasons.push(
      own > 0 ? null : (failing ?? (left === 0 ? 'Earlier rules have all of them.' : 'It has 0 %.')),
    );
    if (own > 0) shares.push({ place, percent: own });
    left -= own;
  }
  if (left > 0) shares.push({ place: null, percent: left });
  return { shares, reasons };
}

export function visitOf({ platform, osVersion, language, country, query, at }: Visitor): RuleVisit {
  const version = /^\d+(?:\.\d+)*$/.test(osVersion.trim()) && platform !== 'OTHER' ? osVersion.trim() : null;
  return {
    platform,
    osVersion: version === null ? null : { least: version, most: version },
    language: language.trim() || null,
    country: country.trim().toUpperCase() || null,
    query: new Map(new URLSearchParams(query.trim().replace(/^\?/, ''))),
    atMs: Date.parse(at),
    id: '',
  };
}

/** Each condition by itself, so that all that do not hold are named; null if all hold. */
function failingOf({ when, then }: LinkRule, visit: RuleVisit, visitor: Visitor): string | null {
  const { platform, osVersion, language, country, query, from, to } = when;
  const times = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const holds = (some: RuleConditions) => chooseRule([{ when: some, then }], visit) !== null;
  const reasons = [
    ...(platform === undefined || holds({ platform })
      ? []
      : [`it is for ${DEVICES[platform].replace(/^C/, 'c')}`]),
    ...(osVersion === undefined || holds({ osVersion })
      ? []
      : [
          `it is for those ${conditionWords(when, 'osVersion')}, ${told(visit.osVersion?.least ?? null, (version) => `not for ${version}`)}`,
        ]),
    ...(language === undefined || holds({ language })
      ? []
      : [
          `it is for those ${conditionWords(when, 'language')}, ${told(visit.language, (tag) => `not ${formatLanguage(tag)}`)}`,
        ]),
    ...(country === undefined || holds({ country })
      ? []
      : [
          `it is for those ${conditionWords(when, 'country')}, ${told(visit.country, (code) => `not in ${formatCountry(code)}`)}`,
        ]),
    ...(query === undefined || holds({ query }) ? [] : [`it is for those ${conditionWords(when, 'query')}`]),
    ...(from === undefined && to === undefined ? [] : holds(times) ? [] : [timeReason(times, visitor)]),
  ];
  if (reasons.length === 0) return null;
  const text = reasons.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function told(value: string | null, words: (value: string) => string): string {
  return value === null ? 'and this visitor’s is not known' : words(value);
}

function timeReason({ from, to }: { from?: string; to?: string }, { at }: Visitor): string {
  const isEarly = from !== undefined && Date.parse(at) < Date.parse(from);
  const when = (iso: string | undefined) => (iso === undefined ? '' : formatMoment(iso, { seconds: false }));
  return isEarly ? `it begins ${when(from)}` : `it was over ${when(to)}`;
}

/** As much of a link as decides where it leads. */
export type TriedLink = Pick<
  Link,
  | 'deepLinkPath'
  | 'deepLinkParams'
  | 'campaignId'
  | 'iosDestination'
  | 'androidDestination'
  | 'fallbackUrl'
  | 'passQuery'
  | 'expiresAt'
  | 'expiredUrl'
  | 'goneWhenExpired'
>;

export interface Outcome {
  /** Null: nowhere. */
  readonly destination: string | null;
  readonly deepLinkPath: string;
  readonly deepLinkParams: Readonly<Record<string, unknown>>;
  readonly campaignId: string | null;
  readonly isExpired: boolean;
}

type Places = Pick<App, 'iosDestination' | 'androidDestination' | 'fallbackUrl'>;

/** What a visitor gets by a rule, or by the link without one. */
export function outcomeOf(link: TriedLink, rule: LinkRule | null, app: Places, visitor: Visitor): Outcome {
  const { then = {} } = rule ?? {};
  const visit = visitOf(visitor);
  const passed = passedOf(link.passQuery, visit.query);
  const given = (name: keyof Places) => then[name] ?? link[name] ?? app[name];
  const isExpired = link.expiresAt !== null && Date.parse(link.expiresAt) <= visit.atMs;
  const own = { IOS: given('iosDestination'), ANDROID: given('androidDestination'), OTHER: null }[
    visitor.platform
  ];
  const others = isExpired ? (link.expiredUrl ?? given('fallbackUrl')) : given('fallbackUrl');
  const destination =
    isExpired && link.goneWhenExpired ? null : ((isExpired ? null : own) ?? withParameters(others, passed));
  return {
    ...{ destination, isExpired },
    deepLinkPath: then.deepLinkPath ?? link.deepLinkPath,
    deepLinkParams: { ...Object.fromEntries(passed), ...(then.deepLinkParams ?? link.deepLinkParams) },
    campaignId: then.campaignId ?? link.campaignId,
  };
}

function withParameters(address: string | null, passed: ReturnType<typeof passedOf>): string | null {
  const url = address === null ? null : URL.parse(address);
  if (url === null) return address;
  addParametersTo(url, passed);
  return url.href;
}

/** What the tester says of a version that is not given. */
export function versionHelp(platform: Visitor['platform']): string {
  if (platform === 'OTHER') return 'Computers tell none.';
  return platform === 'ANDROID'
    ? 'If empty: not told, as by Chrome at the first tap.'
    : 'If empty: not told.';
}

/** The version that a usual visitor with such a device tells; empty for none. */
export function usualVersion(platform: Visitor['platform']): string {
  return USUAL.find((usual) => usual.platform === platform)?.osVersion ?? '';
}

/** Devices that most visitors have; the tester begins with the first of each platform. */
export const USUAL: readonly (Pick<Visitor, 'platform' | 'osVersion'> & { readonly name: string })[] = [
  { name: 'iPhone with iOS 18.5', platform: 'IOS', osVersion: '18.5' },
  { name: 'iPhone with iOS 15.8', platform: 'IOS', osVersion: '15.8' },
  // Its frozen user agent says Android 10 on every phone: the version comes with client hints, from the second tap on.
  { name: 'Android, Chrome, first tap (version not told)', platform: 'ANDROID', osVersion: '' },
  { name: 'Android 15 (version told)', platform: 'ANDROID', osVersion: '15' },
  { name: 'Android 10 (version told)', platform: 'ANDROID', osVersion: '10' },
  { name: 'Computer', platform: 'OTHER', osVersion: '' },
];
