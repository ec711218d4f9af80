/** Calls with several links, each of which has an outcome of its own. */
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { toAppError } from '../../server/error-response.ts';

export type Outcome<T> = T | AppError;

/** Other writers wait for a transaction of as many links some 10 ms. */
const LINKS_OF_TRANSACTION = 50;

/**
 * Works on items in their order, in parts.
 * @param items an AppError for each that was refused before.
 * @param run `start` is the place of the first one among all. Returns the outcomes of as many as it did, at least one.
 * @returns an outcome for each, in order. An error that is of no item is that of all that are left.
 * @throws such an error of the first part.
 */
export async function inParts<Item extends object, Done>(
  { log }: Pick<Foundation, 'log'>,
  items: readonly Outcome<Item>[],
  run: (part: readonly Item[], start: number) => Promise<readonly Outcome<Done>[]>,
): Promise<Outcome<Done>[]> {
  const placed = items.flatMap((item, place) => (item instanceof AppError ? [] : [{ item, place }]));
  const outcomes: Outcome<Done>[] = [];
  while (outcomes.length < placed.length) {
    const part = placed.slice(outcomes.length, outcomes.length + LINKS_OF_TRANSACTION);
    try {
      outcomes.push(
        ...(await run(
          part.map(({ item }) => item),
          part[0]?.place ?? 0,
        )),
      );
    } catch (thrown) {
      if (outcomes.length === 0) throw thrown;
      const error = toAppError(thrown);
      const left = placed.length - outcomes.length;
      log.error({ err: error, items: left }, 'Links of a batch failed');
      outcomes.push(...Array.from({ length: left }, () => error));
    }
  }
  return inPlaces(items, outcomes);
}

/** What a request is worth, or why it is refused. */
export async function outcomeOf<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error;
    throw error;
  }
}

/** Does work for the items that were not refused. @returns an outcome for each item, in order. */
export async function forAccepted<Item extends object, Done>(
  items: readonly Outcome<Item>[],
  work: (accepted: readonly Item[]) => Promise<readonly Outcome<Done>[]>,
): Promise<Outcome<Done>[]> {
  const accepted = items.filter((item) => !(item instanceof AppError)) as Item[];
  return inPlaces(items, accepted.length === 0 ? [] : await work(accepted));
}

/** The outcomes of those that were not refused, and the refusals of the others, in order. */
function inPlaces<Item extends object, Done>(
  items: readonly Outcome<Item>[],
  done: readonly Outcome<Done>[],
): Outcome<Done>[] {
  const next = done.values();
  return items.map((item) => (item instanceof AppError ? item : (next.next().value as Outcome<Done>)));
}
