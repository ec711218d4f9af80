import type { Ports } from '@throughline/core';
import { Platform } from 'react-native';
import type { Modules } from './modules.ts';

/** What ad networks tell the phone, by the module for ads. @param metaAppId of the app at Meta. */
export function adPortsOf({ ads }: Modules, metaAppId: string | undefined): Ports {
  if (ads === null) return {};
  if (Platform.OS === 'ios')
    return {
      appleAdsToken: () => ads.readAppleAdsToken(),
      conversion: ({ fine, coarse, lock }) => ads.setConversionValue(fine, coarse, lock),
    };
  if (Platform.OS === 'android' && metaAppId !== undefined)
    return { metaReferrer: () => ads.readMetaReferrer(metaAppId) };
  return {};
}
