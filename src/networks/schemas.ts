import { Type } from 'typebox';
import { Named, Nullable, Seconds } from '../server/schemas.ts';

export const MAX_APPLE_TOKEN_CHARACTERS = 4_096;
export const MAX_META_REFERRER_CHARACTERS = 8_192;

/** What networks and stores told the app about the ad. `dropWrongExtras` has emptied what is of a wrong form. */
export const networkFields = {
  appleAdsToken: Type.Optional(
    Nullable(Type.String({ maxLength: MAX_APPLE_TOKEN_CHARACTERS }), {
      description:
        'Of Apple’s AdServices: `AAAttribution.attributionToken()`. Exchanged in the background if the app has `appleAds`, and not kept otherwise; the answer never waits for it. One of a wrong form is dropped, and the trace says so',
    }),
  ),
  referrerClickTimestampSeconds: Seconds(
    'When the person tapped the ad or link to Play, by the device’s clock: `clickedAt` of the network in Play’s referrer',
  ),
  referrerClickTimestampServerSeconds: Seconds('The same by Google’s clock, which takes precedence'),
  metaReferrer: Type.Optional(
    Nullable(
      Named('MetaReferrer', {
        installReferrer: Type.String({
          maxLength: MAX_META_REFERRER_CHARACTERS,
          description: 'Encrypted by Meta',
        }),
        isClickThrough: Type.Optional(Nullable(Type.Boolean(), { description: 'Tapped, or only seen' })),
        actualTimestampSeconds: Seconds('When that was'),
      }),
      {
        description:
          'From the content provider of Meta’s apps. Decrypted if the app has a `metaReferrerKey`, and not kept. What is of a wrong form is dropped',
      },
    ),
  ),
};
