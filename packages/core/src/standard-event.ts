/** Events whose names networks know. */
import type { JsonObject, Revenue } from './types.ts';

/** An event for `track`, made by the functions of `StandardEvent`. */
export interface StandardEvent {
  readonly name: string;
  readonly properties?: JsonObject | undefined;
  readonly revenue?: Revenue | undefined;
}
