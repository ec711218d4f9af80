import type { DestinationType } from '../destination-type.ts';
import { amplitude } from './amplitude.ts';
import { http } from './http.ts';
import { mixpanel } from './mixpanel.ts';
import { posthog } from './posthog.ts';
import { segment } from './segment.ts';

/** In the order in which people see them. The caller has checked a config by the type’s own schema. */
export const DESTINATION_TYPES: readonly DestinationType<never>[] = [
  amplitude,
  mixpanel,
  posthog,
  segment,
  http,
];
