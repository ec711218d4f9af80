/** What the store and the networks on the phone tell of the install. */
import { faultOfText } from './event.ts';
import {
  MAX_APPLE_TOKEN_CHARACTERS,
  MAX_META_REFERRER_CHARACTERS,
  MAX_REFERRER_CHARACTERS,
} from './limits.ts';
import type { Log } from './log.ts';
import { readPort } from './session.ts';
import type { MetaReferrer, Ports, StoreReferrer } from './types.ts';

export type SourcePorts = Pick<Ports, 'referrer' | 'metaReferrer' | 'appleAdsToken'>;

/** @returns fields of `POST /v1/sdk/install`. */
export async function readSources(ports: SourcePorts, log: Log): Promise<object> {
  const [referrer, meta, token] = await Promise.all([
    readPort('referrer of the store', ports.referrer, log),
    readPort('referrer of Meta', ports.metaReferrer, log),
    readPort('token of Apple', ports.appleAdsToken, log),
  ]);
  /** A refused field would keep the install from being recorded. */
  const takes = (what: string, text: string, maxCharacters: number) => {
    const fault = faultOfText(what, text, maxCharacters);
    if (fault !== null) log('warn', `The install goes without it: ${fault}`);
    return fault === null;
  };
  return {
    ...(referrer && {
      ...timesOf(referrer),
      ...(referrer.installReferrer &&
        takes('the referrer of the store', referrer.installReferrer, MAX_REFERRER_CHARACTERS) && {
          installReferrer: referrer.installReferrer,
        }),
    }),
    ...(meta &&
      takes('the referrer of Meta', meta.installReferrer, MAX_META_REFERRER_CHARACTERS) && {
        metaReferrer: ofMeta(meta),
      }),
    ...(token && takes('the token of Apple', token, MAX_APPLE_TOKEN_CHARACTERS) && { appleAdsToken: token }),
  };
}

function timesOf(referrer: StoreReferrer): object {
  return {
    ...seconds('referrerClickTimestampSeconds', referrer.clickedAt),
    ...seconds('referrerClickTimestampServerSeconds', referrer.serverClickedAt),
    ...seconds('installBeginTimestampSeconds', referrer.installBeganAt),
    ...seconds('installBeginTimestampServerSeconds', referrer.serverInstallBeganAt),
  };
}

function ofMeta({ installReferrer, isClickThrough, actualTimestampSeconds: at }: MetaReferrer): object {
  return {
    installReferrer,
    isClickThrough: typeof isClickThrough === 'boolean' ? isClickThrough : null,
    actualTimestampSeconds: Number.isSafeInteger(at) && Number(at) > 0 ? at : null,
  };
}

function seconds(field: string, iso: string | undefined): Record<string, number> {
  const value = Math.floor(Date.parse(iso ?? '') / 1_000);
  return value > 0 ? { [field]: value } : {};
}
