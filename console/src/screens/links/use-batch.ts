/** Changes or deletes many links, some in each call, and says how far it is. */
import type { Client } from '@generated/client/index.ts';
import { use, useRef, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { type ApiError, toApiError } from '../../api/error.ts';
import { useRefresh } from '../../api/use-read.ts';

/** So that the progress moves. */
const LINKS_OF_CALL = 100;

interface Failure {
  readonly shortCode: string;
  readonly text: string;
}

export interface BatchState {
  readonly state: 'ready' | 'running' | 'done';
  readonly done: number;
  readonly total: number;
  readonly failures: readonly Failure[];
  /** Why it stopped before the end. */
  readonly error: ApiError | null;
}

const READY: BatchState = { state: 'ready', done: 0, total: 0, failures: [], error: null };

interface Item {
  readonly shortCode: string;
}
type Send<T> = (
  client: Client,
  items: readonly T[],
) => Promise<readonly { readonly status: number; readonly error?: string }[]>;

export function useBatch<T extends Item>(send: Send<T>) {
  const { client } = use(AppContext);
  const refresh = useRefresh();
  const [state, setState] = useState(READY);
  const isBusy = useRef(false);

  /** Goes on where an error stopped it. */
  async function run(items: readonly T[]): Promise<void> {
    if (isBusy.current) return;
    isBusy.current = true;
    let { done, failures } = state.state === 'done' && state.error === null ? READY : state;
    const show = (change: Partial<BatchState>) =>
      setState({ state: 'running', total: items.length, done, failures, error: null, ...change });
    show({});
    try {
      while (done < items.length) {
        const some = items.slice(done, done + LINKS_OF_CALL);
        const results = await send(client, some);
        failures = [
          ...failures,
          ...results.flatMap(({ status, error = `Status ${status}` }, place) =>
            status < 300 ? [] : [{ shortCode: some[place]?.shortCode ?? '', text: error }],
          ),
        ];
        done += some.length;
        show({});
      }
      show({ state: 'done' });
    } catch (error) {
      show({ state: 'done', error: toApiError(error) });
    } finally {
      isBusy.current = false;
      await refresh('links');
    }
  }

  return { ...state, run, reset: () => setState(READY) };
}
