import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Foundation } from '../../foundation.ts';
import { isSettled, type LinkRevisions } from './link-revisions.ts';
import type { Loaded } from './revised-cache.ts';

/** Reads a value of an app by its key. */
export type BatchedRead<T> = (appId: string, key: string) => Promise<Loaded<T>>;

interface Batch<T> {
  readonly keys: string[];
  readonly loaded: Promise<{ readonly values: ReadonlyMap<string, T>; readonly revision: number | null }>;
}

/** Reads all values of an app that are requested in one event-loop iteration at once. */
export function createBatchedReads<T>(
  { clock, revisions }: Pick<Foundation, 'clock'> & { readonly revisions: LinkRevisions },
  readAll: (appId: string, keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): BatchedRead<T> {
  const batches = new Map<string, Batch<T>>();

  function startBatch(appId: string): Batch<T> {
    const keys: string[] = [];
    const loaded = yieldToEventLoop().then(async () => {
      batches.delete(appId);
      // Before the values: a change during the read leads to a later revision.
      const revision = revisions.peek(appId);
      const isCertain = revision !== null && isSettled(revision, clock.nowMs());
      return { values: await readAll(appId, keys), revision: isCertain ? revision.number : null };
    });
    const batch = { keys, loaded };
    batches.set(appId, batch);
    return batch;
  }

  return async (appId, key) => {
    const batch = batches.get(appId) ?? startBatch(appId);
    batch.keys.push(key);
    const { values, revision } = await batch.loaded;
    return { value: values.get(key) ?? null, revision };
  };
}
