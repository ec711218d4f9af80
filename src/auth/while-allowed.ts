import { AppError } from '../errors.ts';
import { monotonicMs, SECOND_MS } from '../lib/clock.ts';

/** With the age of the key cache, the streams of a revoked key end within 5 s, as its requests do. */
export const CHECK_EVERY_MS = 2 * SECOND_MS;

/**
 * Ends in an error, which cuts the connection, once the caller may not read any more. Without the database a stream goes on.
 * @param check of the route, as `FastifyRequest.checkAgain`.
 */
export async function* whileAllowed<T>(
  pieces: AsyncIterable<T>,
  check: () => Promise<void>,
): AsyncGenerator<T> {
  let checkedMs = monotonicMs();
  for await (const piece of pieces) {
    if (monotonicMs() - checkedMs >= CHECK_EVERY_MS) {
      const refusal = await refusalOf(check);
      if (refusal !== null) throw refusal;
      checkedMs = monotonicMs();
    }
    yield piece;
  }
}

/** Null also where it cannot be known, as without the database. */
export async function refusalOf(check: () => Promise<void>): Promise<AppError | null> {
  try {
    await check();
    return null;
  } catch (error) {
    return error instanceof AppError && error.status < 500 ? error : null;
  }
}
