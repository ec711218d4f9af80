import type { RuleConditions } from '../../choice/rules.ts';
import { Draft, type PhonePlatform } from '../draft.ts';
import { isObject } from '../json-items.ts';
import { textOf, timeOf } from '../values.ts';

const PHONES: Readonly<Record<string, readonly PhonePlatform[]>> = {
  ios: ['IOS'],
  android: ['ANDROID'],
  mobile: ['IOS', 'ANDROID'],
};

/** Rules in the order of their priority; a rule with a condition that rules here do not know is left out whole. */
export function fillRedirectRules(draft: Draft, value: unknown, isPromised: boolean): void {
  if (!Array.isArray(value)) {
    if (isPromised)
      draft.note(
        'Shlink has redirect rules for the link, which the file lacks. Add redirectRules of the API’s answer to the row.',
      );
    return;
  }
  const rules = value.filter(isObject).sort((a, b) => Number(a.priority ?? 0) - Number(b.priority ?? 0));
  for (const rule of rules) {
    const address = textOf(rule.longUrl);
    const conditions = Array.isArray(rule.conditions) ? rule.conditions : [];
    const all = toConditions(conditions);
    if (address === undefined || conditions.length === 0)
      draft.note('A redirect rule without address or conditions is left out.');
    else if (typeof all === 'string')
      draft.note(`A redirect rule with the condition “${all}” is left out: rules here have none like it.`);
    else for (const when of all) draft.addRule(when, Draft.page(address));
  }
}

/** One set of conditions for each platform; the type of a condition that cannot be held. */
function toConditions(conditions: readonly unknown[]): RuleConditions[] | string {
  let when: RuleConditions = {};
  let platforms: readonly PhonePlatform[] | null = null;
  for (const condition of conditions) {
    const { type, matchKey, matchValue } = isObject(condition) ? condition : {};
    const [name, key, text] = [textOf(type) ?? 'unknown', textOf(matchKey), textOf(matchValue)];
    if (name === 'device') {
      const next: readonly PhonePlatform[] | undefined = PHONES[text?.toLowerCase() ?? ''];
      if (next === undefined) return `${name} ${text ?? ''}`.trim().slice(0, 40);
      platforms = platforms === null ? next : platforms.filter((platform) => next?.includes(platform));
      continue;
    }
    const added = toCondition(name, key, text, when);
    if (added === null) return name.slice(0, 40);
    when = { ...when, ...added };
  }
  return platforms === null ? [when] : platforms.map((platform) => ({ platform, ...when }));
}

/** What a condition adds; null if it cannot be held together with the others. */
function toCondition(
  type: string,
  key: string | undefined,
  text: string | undefined,
  { language, country, query, from, to }: RuleConditions,
): RuleConditions | null {
  const isQuery = key !== undefined && query?.[key] === undefined;
  switch (type) {
    case 'language':
      return text !== undefined && language === undefined && isLanguage(text)
        ? { language: text.replace('_', '-') }
        : null;
    case 'geolocation-country-code':
      return text !== undefined && country === undefined && /^[a-z]{2}$/i.test(text)
        ? { country: text.toUpperCase() }
        : null;
    case 'query-param':
      return isQuery && text !== undefined ? { query: { ...query, [key]: text } } : null;
    case 'any-value-query-param':
      return isQuery ? { query: { ...query, [key]: null } } : null;
    case 'after-date':
      return from === undefined ? momentOf('from', text) : null;
    case 'before-date':
      return to === undefined ? momentOf('to', text) : null;
    default:
      return null;
  }
}

function isLanguage(text: string): boolean {
  return /^[a-z]{2,3}([-_][a-z0-9]{2,8}){0,3}$/i.test(text);
}

function momentOf(field: 'from' | 'to', text: string | undefined): RuleConditions | null {
  const time = timeOf(text ?? '');
  return time === null ? null : { [field]: time.iso };
}
