import type { Link } from '@generated/types.gen.ts';
import type { Taken } from './take-apart.ts';

/** The fields of the form that an address is taken apart into. */
export type FormTexts = Required<Taken>;

export function textsOf(link: Link | null): FormTexts {
  const params = link === null ? {} : link.deepLinkParams;
  return {
    deepLinkPath: link?.deepLinkPath ?? '',
    deepLinkParams: Object.keys(params).length === 0 ? '' : JSON.stringify(params, null, 2),
    campaignId: link?.campaignId ?? '',
    iosDestination: link?.iosDestination ?? '',
    androidDestination: link?.androidDestination ?? '',
    fallbackUrl: link?.fallbackUrl ?? '',
  };
}

/** A campaign and parameters that are there already stay. */
export function withTaken(texts: FormTexts, taken: Taken): FormTexts {
  return {
    ...{ ...texts, deepLinkPath: '', ...taken },
    campaignId: texts.campaignId || (taken.campaignId ?? ''),
    deepLinkParams: texts.deepLinkParams || (taken.deepLinkParams ?? ''),
  };
}
