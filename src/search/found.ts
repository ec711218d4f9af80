import type { Result } from './schemas.ts';

/** Of one type, so that the minute that an id begins with leaves room for others. */
export const MAX_OF_TYPE = 10;

export interface Found {
  /** The text is all of its id, not the beginning alone. */
  readonly isWhole: boolean;
  readonly result: Result;
}
