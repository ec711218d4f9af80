/** The `utm_*` that Play's referrer has of an ad, a mail or a page that led straight to the store. */
import { withoutControls } from '../lib/text.ts';
import { utmIn } from '../stats/index.ts';
import { decodeAscii, metaBlockIn } from './meta.ts';

/** As of a click. */
const MAX_BYTES = 1_024;
/** Some install paths encode the referrer once or twice more. */
const MAX_DECODINGS = 2;

/** @returns as `installs.utm` has it; null without any, or of an install that Play's own pages led to. */
export function utmInReferrer(referrer: string): string | null {
  let text = referrer;
  for (let decoded = 0; decoded < MAX_DECODINGS && !/(?:^|[&?])utm_[a-z]+=/.test(text); decoded++)
    text = decodeAscii(text);
  const parameters = new Map(
    [...new URLSearchParams(text)].map(([name, value]) => [name, withoutControls(value)]),
  );
  if (parameters.get('utm_source') === 'google-play' && parameters.get('utm_medium') === 'organic')
    return null;
  const block = metaBlockIn(referrer);
  // Encrypted, and of no use once it is read.
  if (block !== null && block !== 'no_block') parameters.delete('utm_content');
  return utmIn(parameters, MAX_BYTES);
}
