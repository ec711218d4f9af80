/** The two consents that Google Analytics and Google Ads take with a record. */
import { consentOf, mappedValue } from '../ads.ts';
import { present } from '../analytics.ts';
import type { ForwardedRecord, Mapping } from '../destination-type.ts';

/** Fields that a mapping may name. Without one the person has not answered. */
export const CONSENTS = { ad_user_data: '', ad_personalization: '' } as const;

/** @returns the person's answers in Google's words; empty without any. */
export function consentsOf(
  record: ForwardedRecord,
  mapping: Mapping,
  { granted, denied }: { granted: string; denied: string },
): Record<string, string> {
  const answerTo = (name: keyof typeof CONSENTS) => {
    const told = mappedValue(record, name, { mappable: CONSENTS, mapping });
    const isGranted = record.deterministicOnly ? false : consentOf(told);
    return isGranted === null ? null : isGranted ? granted : denied;
  };
  return present({
    ad_user_data: answerTo('ad_user_data'),
    ad_personalization: answerTo('ad_personalization'),
  });
}
