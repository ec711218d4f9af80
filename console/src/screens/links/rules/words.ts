/** A rule as one sentence. */
import type { LinkRule, RuleConditions, RuleOutcome } from '@generated/types.gen.ts';
import { formatCountry, formatMoment, formatShare, LOCALE, plural } from '../../../formats.ts';

const ONE_OF = new Intl.ListFormat('en', { type: 'disjunction' });
const ALL_OF = new Intl.ListFormat('en', { type: 'conjunction' });
const LANGUAGES = new Intl.DisplayNames([LOCALE], { type: 'language', fallback: 'code' });

export const DEVICES = {
  IOS: 'iPhones and iPads',
  ANDROID: 'Android phones',
  OTHER: 'Computers and others',
} as const;
const NOUNS = { IOS: DEVICES.IOS, ANDROID: DEVICES.ANDROID, OTHER: 'computers and other devices' } as const;
const SYSTEMS = { IOS: 'iOS ', ANDROID: 'Android ', OTHER: '' } as const;

export function formatLanguage(tag: string): string {
  try {
    return LANGUAGES.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

export function formatPercent(percent: number): string {
  const digits = String(Math.round(percent * 100) / 100).split('.')[1]?.length ?? 0;
  return formatShare(percent / 100, digits);
}

/**
 * Such as “iPhones and iPads with iOS 17 or later in Austria go to shop.example/at”.
 * @param place from 0 on: a share of a later rule is one of those whom earlier rules leave.
 */
export function ruleSentence({ when, then }: LinkRule, place: number): string {
  const isOne = when.platform === undefined && when.percent === undefined;
  const text = `${whoOf(when, { isOne, place })} ${whatOf(then, when.platform, isOne)}.`;
  // Apple's name of its phones keeps its first letter.
  return text.startsWith('iP') ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function ruleName({ name }: Pick<LinkRule, 'name'>, place: number): string {
  return name === undefined || name === '' ? `Rule ${place + 1}` : `Rule ${place + 1}, ${name}`;
}

function whoOf(when: RuleConditions, { isOne, place }: { isOne: boolean; place: number }): string {
  const { percent, platform } = when;
  const conditions = CONDITIONS.flatMap((kind) => conditionWords(when, kind) ?? []);
  if (isOne) return ['everybody', ...conditions].join(' ').replace('who prefer ', 'who prefers ');
  const share =
    percent === undefined ? '' : `${percent >= 0 && percent <= 100 ? formatPercent(percent) : '…'} of `;
  const isOfOthers = percent !== undefined && place > 0;
  const those = isOfOthers ? 'the others' : conditions.length === 0 ? 'all visitors' : 'those';
  const noun = platform === undefined ? those : `${isOfOthers ? 'the remaining ' : ''}${NOUNS[platform]}`;
  return [`${share}${noun}`, ...conditions].join(' ');
}

const CONDITIONS = ['osVersion', 'language', 'country', 'query', 'time'] as const;

/** Behind the name of the visitors; null for a condition that the rule has not. */
export function conditionWords(when: RuleConditions, kind: (typeof CONDITIONS)[number]): string | null {
  const { platform, osVersion, language, country, query, from, to } = when;
  switch (kind) {
    case 'osVersion':
      if (osVersion === undefined) return null;
      return platform === undefined
        ? `whose system has version ${versionWords('', osVersion)}`
        : `with ${versionWords(SYSTEMS[platform], osVersion)}`;
    case 'language':
      return language === undefined ? null : `who prefer ${listOf([language].flat().map(formatLanguage))}`;
    case 'country':
      return country === undefined
        ? null
        : `in ${listOf([country].flat().map((code) => formatCountry(code)))}`;
    case 'query':
      return query === undefined
        ? null
        : `with ${ALL_OF.format(Object.entries(query).map(parameterWords))} in the address`;
    case 'time':
      return from === undefined && to === undefined ? null : timeWords(from, to);
  }
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? '…' : ONE_OF.format(names);
}

function versionWords(system: string, { min, max }: NonNullable<RuleConditions['osVersion']>): string {
  if (min === undefined && max === undefined) return `${system}…`;
  if (min === undefined) return `${system}${max} or earlier`;
  if (max === undefined) return `${system}${min} or later`;
  return min === max ? `${system}${min}` : `${system}${min} to ${max}`;
}

function parameterWords([name, value]: [string, string | null]): string {
  if (name === '') return '…';
  return value === null ? name : `${name}=${value}`;
}

function timeWords(from: string | undefined, to: string | undefined): string {
  const at = (iso: string) => formatMoment(iso, { seconds: false });
  return [from === undefined ? [] : [`from ${at(from)}`], to === undefined ? [] : [`until ${at(to)}`]]
    .flat()
    .join(' ');
}

type PlatformOfRule = RuleConditions['platform'];

function whatOf(then: RuleOutcome, platform: PlatformOfRule, isOne: boolean): string {
  const { deepLinkPath, deepLinkParams, campaignId } = then;
  const verb = (word: string) => `${word}${isOne ? (word === 'go' ? 'es' : 's') : ''}`;
  const places = placesOf(then, platform);
  const params = deepLinkParams === undefined ? 0 : Object.keys(deepLinkParams).length;
  const app = [
    ...(deepLinkPath === undefined ? [] : [deepLinkPath]),
    ...(deepLinkParams === undefined ? [] : [params === 0 ? 'no parameters' : plural(params, 'parameter')]),
  ];
  const parts = [
    ...(places.length === 0 ? [] : [`${verb('go')} to ${ALL_OF.format(places)}`]),
    ...(app.length === 0 ? [] : [`${verb('get')} ${app.join(' with ')} in the app`]),
    ...(campaignId === undefined ? [] : [`${verb('count')} for the campaign ${campaignId}`]),
  ];
  return parts.length === 0 ? `${verb('get')} nothing else yet` : ALL_OF.format(parts);
}

function placesOf(then: RuleOutcome, platform: PlatformOfRule): string[] {
  const { iosDestination: ios, androidDestination: android, fallbackUrl: others } = then;
  const own = platform === 'IOS' ? ios : platform === 'ANDROID' ? android : undefined;
  if (own !== undefined) return [placeName(own)];
  if (platform === 'OTHER') return others === undefined ? [] : [placeName(others)];
  if (platform !== undefined)
    return others === undefined ? [] : [`${placeName(others)} if neither link nor app has a place for them`];
  return [
    ...(ios === undefined ? [] : [`${placeName(ios)} on iPhones`]),
    ...(android === undefined ? [] : [`${placeName(android)} on Android phones`]),
    ...(others === undefined ? [] : [`${placeName(others)} on other devices`]),
  ];
}

const SHOWN_CHARACTERS = 60;

/** Stores by their names, other places by their address. */
export function placeName(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  if (url.host === 'apps.apple.com') return 'the App Store';
  if (url.host === 'play.google.com') return 'Google Play';
  const text = /^https?:$/.test(url.protocol)
    ? `${url.host}${url.pathname === '/' ? '' : url.pathname}`
    : address;
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
