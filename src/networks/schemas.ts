import { Type } from 'typebox';
import { Named, Nullable } from '../server/schemas.ts';

const Seconds = (description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), { description }));

/** What networks and stores told the app about the ad. */
export const networkFields = {
  appleAdsToken: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 4_096 }), {
      description:
        'Of Apple’s AdServices: `AAAttribution.attributionToken()`. Exchanged in the background if the app has `appleAds`, and not kept otherwise; the answer never waits for it',
    }),
  ),
  referrerClickTimestampSeconds: Seconds(
    'When the person tapped the ad or link to Play, by the device’s clock: `clickedAt` of the network in Play’s referrer',
  ),
  referrerClickTimestampServerSeconds: Seconds('The same by Google’s clock, which takes precedence'),
  metaReferrer: Type.Optional(
    Nullable(
      Named('MetaReferrer', {
        installReferrer: Type.String({ minLength: 1, maxLength: 8_192, description: 'Encrypted by Meta' }),
        isClickThrough: Type.Optional(Nullable(Type.Boolean(), { description: 'Tapped, or only seen' })),
        actualTimestampSeconds: Seconds('When that was'),
      }),
      {
        description:
          'From the content provider of Meta’s apps. Decrypted if the app has a `metaReferrerKey`, and not kept',
      },
    ),
  ),
};
