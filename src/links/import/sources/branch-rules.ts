import type { RuleOutcome } from '../../choice/rules.ts';
import { deepLinkOf } from '../addresses.ts';
import type { Draft, PhonePlatform } from '../draft.ts';
import { textOf } from '../values.ts';
import type { BranchData } from './branch.ts';

const COUNTRY_KEY = /^[$](ios|android|fallback)_url_([a-z]{2})$/;

const PHONES = [
  { platform: 'IOS', name: 'ios', field: 'iosDestination' },
  { platform: 'ANDROID', name: 'android', field: 'androidDestination' },
] as const;

/**
 * Branch's choices by platform and country as rules. The first rule that holds is the only one, so that those for a country
 * have what holds for the platform too.
 */
export function fillBranchRules(draft: Draft, data: BranchData): void {
  const links: Record<PhonePlatform, string | undefined> = {
    IOS: textOf(data.$ios_deeplink_path),
    ANDROID: textOf(data.$android_deeplink_path),
  };
  const isOne = links.IOS !== undefined && links.IOS === links.ANDROID;
  if (isOne && textOf(data.$deeplink_path) === undefined) {
    draft.setPlatformDeepLinks(links);
    links.IOS = undefined;
    links.ANDROID = undefined;
  }
  const countries = countriesOf(data);
  for (const { platform, name, field } of PHONES) {
    const link = links[platform];
    const outcome: RuleOutcome = link === undefined ? {} : draft.deepLinkOutcome(deepLinkOf(link));
    const own = draft.input[field];
    const outcomes = [...countries].flatMap(([country, { [name]: address, fallback }]) => {
      const destination = address ?? (own === undefined ? fallback : undefined);
      return destination === undefined ? [] : [[country, { ...outcome, [field]: destination }] as const];
    });
    draft.addCountries(outcomes, { platform });
    if (link !== undefined) draft.addRule({ platform }, outcome);
  }
  const others = [...countries].flatMap(([country, { fallback }]) =>
    fallback === undefined ? [] : [[country, { fallbackUrl: fallback }] as const],
  );
  draft.addCountries(others, { platform: 'OTHER' });
}

type Addresses = Partial<Record<'ios' | 'android' | 'fallback', string>>;

function countriesOf(data: BranchData): Map<string, Addresses> {
  const countries = new Map<string, Addresses>();
  for (const [key, value] of Object.entries(data)) {
    const [, name, code = ''] = COUNTRY_KEY.exec(key) ?? [];
    const address = textOf(value);
    if (name === undefined || address === undefined) continue;
    const country = code.toUpperCase();
    countries.set(country, { ...countries.get(country), [name]: address });
  }
  return countries;
}
