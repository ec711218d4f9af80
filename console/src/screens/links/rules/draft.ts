/** A rule as its form has it, which may be incomplete, and as the service takes it. */
import type { LinkRule, RuleConditions, RuleOutcome } from '@generated/types.gen.ts';
import { parseParams } from '../link-fields.ts';

export interface WhenDraft {
  readonly platform?: NonNullable<RuleConditions['platform']>;
  readonly osVersion?: { readonly min: string; readonly max: string };
  readonly language?: readonly string[];
  readonly country?: readonly string[];
  /** Null: whatever its value. */
  readonly query?: readonly { readonly name: string; readonly value: string | null }[];
  /** ISO times; empty without. */
  readonly time?: { readonly from: string; readonly to: string };
  readonly percent?: string;
}
export type ConditionKind = keyof WhenDraft;

const OUTCOMES = [
  ...(['iosDestination', 'androidDestination', 'fallbackUrl'] as const),
  ...(['deepLinkPath', 'deepLinkParams', 'campaignId'] as const),
];
type OutcomeName = (typeof OUTCOMES)[number];
export type ThenDraft = Readonly<Record<OutcomeName, string>>;

export interface RuleDraft {
  /** Of the form alone: the rule keeps it wherever it moves. */
  readonly key: string;
  readonly name: string;
  readonly when: WhenDraft;
  readonly then: ThenDraft;
}

const NOTHING = Object.fromEntries(OUTCOMES.map((name) => [name, ''])) as ThenDraft;
let keys = 0;

function nextKey(): string {
  keys += 1;
  return `rule-${keys}`;
}

export function newDraft(): RuleDraft {
  return { key: nextKey(), name: '', when: {}, then: NOTHING };
}

export function copyOf(draft: RuleDraft): RuleDraft {
  return { ...draft, key: nextKey(), name: draft.name === '' ? '' : `${draft.name} (copy)`.slice(0, 64) };
}

/** Of drafts that nobody changed: these stay as they are stored, to the order of their fields. */
const stored = new WeakMap<RuleDraft, LinkRule>();

export function draftOf(rule: LinkRule): RuleDraft {
  const draft = opened(rule);
  stored.set(draft, rule);
  return draft;
}

function opened({ name = '', when, then }: LinkRule): RuleDraft {
  const { osVersion, language, country, query, from, to, percent, ...others } = when;
  const { deepLinkParams, ...texts } = then;
  return {
    key: nextKey(),
    name,
    when: {
      ...others,
      ...(osVersion && { osVersion: { min: osVersion.min ?? '', max: osVersion.max ?? '' } }),
      ...(language !== undefined && { language: [language].flat() }),
      ...(country !== undefined && { country: [country].flat() }),
      ...(query && { query: Object.entries(query).map(([each, value]) => ({ name: each, value })) }),
      ...((from !== undefined || to !== undefined) && { time: { from: from ?? '', to: to ?? '' } }),
      ...(percent !== undefined && { percent: String(percent) }),
    },
    then: {
      ...NOTHING,
      ...texts,
      ...(deepLinkParams && { deepLinkParams: JSON.stringify(deepLinkParams, null, 2) }),
    },
  };
}

/** What is incomplete holds for nobody. */
export function ruleOf(draft: RuleDraft): LinkRule {
  const { name, when, then } = draft;
  const rule = { when: conditionsOf(when), then: outcomeOf(then) };
  return stored.get(draft) ?? (name.trim() === '' ? rule : { name: name.trim(), ...rule });
}

function conditionsOf({
  osVersion,
  language,
  country,
  query,
  time,
  percent,
  ...others
}: WhenDraft): RuleConditions {
  const given = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([key, text]) => (text.trim() === '' ? [] : [[key, text.trim()]])),
    );
  return {
    ...others,
    ...(osVersion && { osVersion: given(osVersion) }),
    ...(language && { language: [...language] }),
    ...(country && { country: [...country] }),
    ...(query && { query: Object.fromEntries(query.map((each) => [each.name.trim(), each.value])) }),
    ...(time && given(time)),
    ...(percent !== undefined && { percent: percent.trim() === '' ? Number.NaN : Number(percent) }),
  };
}

function outcomeOf({ deepLinkParams, ...texts }: ThenDraft): RuleOutcome {
  const params = parseParams(deepLinkParams.trim() === '' ? null : deepLinkParams);
  const given = Object.entries(texts).flatMap(([name, text]) =>
    text.trim() === '' ? [] : [[name, text.trim()]],
  );
  return { ...Object.fromEntries(given), ...(params != null && { deepLinkParams: params }) };
}

export interface Wrong {
  /** The name of a control in the form. */
  readonly field: string;
  readonly text: string;
}

/** The first thing that the service would refuse without naming what the form calls it; null if there is none. */
export function wrongIn(drafts: readonly RuleDraft[]): Wrong | null {
  for (const [place, draft] of drafts.entries()) {
    const wrong = wrongOf(draft);
    if (wrong !== null) return { field: `rules.${place}.${wrong.field}`, text: wrong.text };
  }
  return null;
}

/** Where visitors lead, by what the rule asks for. */
const PLACE_OF = { IOS: 'iosDestination', ANDROID: 'androidDestination', OTHER: 'fallbackUrl' } as const;
const VERSION = /^\d{1,9}(?:\.\d{1,9}){0,3}$/;

function wrongOf({ when, then }: RuleDraft): Wrong | null {
  const { osVersion, language, country, query, time, percent } = when;
  const wrong = (field: string, text: string): Wrong => ({ field, text });
  if (osVersion) {
    if (osVersion.min.trim() === '' && osVersion.max.trim() === '')
      return wrong(
        'when.osVersion.min',
        'Write the lowest version, the highest, or both; or remove the condition.',
      );
    for (const side of ['min', 'max'] as const) {
      const text = wrongVersion(osVersion[side]);
      if (text !== null) return wrong(`when.osVersion.${side}`, text);
    }
  }
  if (language?.length === 0) return wrong('when.language', 'Choose a language, or remove the condition.');
  if (country?.length === 0) return wrong('when.country', 'Choose a country, or remove the condition.');
  for (const [index, { name }] of (query ?? []).entries()) {
    if (name.trim() === '')
      return wrong(`when.query.${index}`, 'Write the name of the parameter, such as ref.');
    if (query?.findIndex((each) => each.name.trim() === name.trim()) !== index)
      return wrong(`when.query.${index}`, 'This parameter is asked twice. Remove one.');
  }
  if (time?.from === '' && time.to === '')
    return wrong('when.from', 'Choose when it begins, when it ends, or both; or remove the condition.');
  const wrongEnd = time === undefined ? null : wrongEndOf(time);
  if (wrongEnd !== null) return wrong('when.to', wrongEnd);
  if (percent !== undefined && (percent.trim() === '' || wrongPercent(percent) !== null))
    return wrong('when.percent', NO_PERCENT);
  if (then.deepLinkParams.trim() !== '' && parseParams(then.deepLinkParams) === undefined)
    return wrong('then.deepLinkParams', 'This is no JSON object, such as { "colour": "red" }.');
  if (OUTCOMES.every((name) => then[name].trim() === ''))
    return wrong(
      `then.${PLACE_OF[when.platform ?? 'OTHER']}`,
      'Say what these visitors get: fill in at least one of these fields.',
    );
  return null;
}

const NO_PERCENT = 'Write a number from 0 to 100.';

/** These say at once what is wrong beside the field; null for what the service takes, and for an empty field. */
export function wrongPercent(text: string): string | null {
  return Number(text) >= 0 && Number(text) <= 100 ? null : NO_PERCENT;
}

export function wrongVersion(text: string): string | null {
  return text.trim() === '' || VERSION.test(text.trim()) ? null : 'Write numbers with dots, such as 17.5.';
}

export function wrongEndOf({ from, to }: { readonly from: string; readonly to: string }): string | null {
  const isWrong = from !== '' && to !== '' && Date.parse(from) >= Date.parse(to);
  return isWrong ? 'The end must be later than the beginning.' : null;
}

/** In the viewer's zone, as fields of a date and time take it. */
export function localOf(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted
    .toISOString()
    .slice(0, -1)
    .replace(/(?::00)?\.000$/, '');
}

export function isoOf(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
