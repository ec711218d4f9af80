import type { DestinationType } from '../destination-type.ts';
import { amplitude } from './amplitude.ts';
import { ga4 } from './ga4.ts';
import { googleAds } from './google-ads.ts';
import { http } from './http.ts';
import { meta } from './meta.ts';
import { mixpanel } from './mixpanel.ts';
import { posthog } from './posthog.ts';
import { segment } from './segment.ts';
import { tiktok } from './tiktok.ts';

/** In the order in which people see them. The caller has checked a config by the type’s own schema. */
export const DESTINATION_TYPES: readonly DestinationType<never>[] = [
  ga4,
  meta,
  tiktok,
  googleAds,
  amplitude,
  mixpanel,
  posthog,
  segment,
  http,
];
