import type { DestinationType } from '../destination-type.ts';
import { http } from './http.ts';
import { segment } from './segment.ts';

/** In the order in which people see them. The caller has checked a config by the type’s own schema. */
export const DESTINATION_TYPES: readonly DestinationType<never>[] = [segment, http];
