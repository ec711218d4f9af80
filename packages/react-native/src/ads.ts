import type { Ports } from '@throughline/core';
import { Platform } from 'react-native';
import type { Modules } from './modules.ts';

/** What ad networks tell the phone, by the module for ads. @param facebookAppId the app's number in Meta's dashboard. */
export function adPortsOf({ ads }: Modules, facebookAppId: string | undefined): Ports {
  if (ads === null) return {};
  if (Platform.OS === 'ios')
    return {
      appleAdsToken: () => ads.readAppleAdsToken(),
      conversion: ({ fine, coarse, lock }) => ads.setConversionValue(fine, coarse, lock),
    };
  if (Platform.OS === 'android' && facebookAppId !== undefined)
    return { metaReferrer: () => ads.readMetaReferrer(facebookAppId) };
  return {};
}
