import { AppError } from '../errors.ts';
import { createTurns } from '../lib/turns.ts';

const MAX_WAITING = 20;
const RETRY_AFTER_SECONDS = 5;

/** Runs some of an app's reads at a time in this process, so that its many at once delay its own and no other app's. */
export type ReadInTurn = <T>(appId: string, read: () => Promise<T>) => Promise<T>;

/** Whose reads throw AppError `rate.limited` while too many of the app wait. @param maxAtOnce of an app. */
export function createReadTurns(maxAtOnce: number): ReadInTurn {
  return createTurns(maxAtOnce, { max: MAX_WAITING, refusal });
}

function refusal(): AppError {
  return new AppError('rate.limited', {
    message: `${MAX_WAITING} requests of the app wait for others like them, as many as may. Try again after Retry-After seconds.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
