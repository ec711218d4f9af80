/**
 * Bounds of events, which the validation and the OpenAPI document share. `@throughline/core` has a copy: what the service
 * would refuse, its `track` refuses at once. Characters are code points; sizes are those of UTF-8.
 */
export {
  MAX_BATCH_BYTES,
  MAX_COMMAS as MAX_BATCH_COMMAS,
  MAX_DEPTH,
  MAX_FIELDS_OF_LIST as MAX_BATCH_FIELDS,
} from '../server/json-body.ts';

export const MAX_BATCH_EVENTS = 500;
export const MAX_EVENT_NAME_CHARACTERS = 255;
export const MAX_USER_ID_CHARACTERS = 255;
export const MAX_TRANSACTION_ID_CHARACTERS = 255;
export const MAX_IDENTIFIER_CHARACTERS = 256;
/** As JSON without spaces. */
export const MAX_PROPERTIES_BYTES = 32 * 1024;
/** A phone's clock may differ this much from the service's before the times of its events are corrected. */
export const CLOCK_TOLERANCE_MS = 60_000;
