/** Reads of the chosen app, cached by their key. */
import type { Client } from '@generated/client/index.ts';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { use } from 'react';
import { AppContext } from './app-context.ts';
import { ApiError, toApiError } from './error.ts';

export interface ReadOptions {
  readonly enabled?: boolean;
  readonly refetchMs?: number;
}

/** What a pane shows: the data, old ones too, and the error of the latest read. */
export interface Read<T> {
  readonly data: T | undefined;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  readonly isStale: boolean;
  /** When `data` were read. */
  readonly readAtMs: number;
  readonly retry: () => void;
}

/** @param key tells this read from all others of the app. */
export function useRead<T>(
  key: readonly unknown[],
  read: (client: Client, signal: AbortSignal) => Promise<{ data: T }>,
  { enabled = true, refetchMs }: ReadOptions = {},
): Read<T> {
  const { app, client } = use(AppContext);
  const query = useQuery({
    queryKey: [app.id, ...key],
    queryFn: async ({ signal }) => (await read(client, signal)).data,
    placeholderData: keepPreviousData,
    enabled,
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  });
  return {
    data: query.data,
    error: query.error === null ? null : toApiError(query.error),
    isLoading: query.isPending && enabled,
    isStale: query.isPlaceholderData,
    readAtMs: query.dataUpdatedAt,
    retry: () => void query.refetch(),
  };
}

/** Drops the data of a key, and of all keys that begin with it. */
export function useRefresh(): (...key: readonly unknown[]) => Promise<void> {
  const { app } = use(AppContext);
  const queries = useQueryClient();
  return async (...key) => await queries.invalidateQueries({ queryKey: [app.id, ...key] });
}

/** Whether trying again may help. */
export function mayRetry(failures: number, error: Error): boolean {
  if (failures >= 2) return false;
  return error instanceof ApiError && (error.status === null || error.status >= 500);
}
