/** All records of a user, the newest first, page by page; and the sums of their revenue. */
import { listEvents, listInstalls, listOpens } from '@generated/sdk.gen.ts';
import type { Event, Install, Open } from '@generated/types.gen.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { type ApiError, toApiError } from '../../api/error.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { add, type Sums } from './decimals.ts';

export type Moment =
  | { readonly kind: 'install'; readonly at: string; readonly record: Install }
  | { readonly kind: 'open'; readonly at: string; readonly record: Open }
  | { readonly kind: 'event'; readonly at: string; readonly record: Event };

interface Recorded {
  readonly moment: Moment;
  /** The order of its list. */
  readonly recordedAt: string;
}

export interface User {
  readonly id: string;
  readonly isSandbox: boolean;
}

export interface Timeline {
  readonly moments: readonly Moment[];
  readonly isLoading: boolean;
  readonly error: ApiError | null;
  readonly retry: () => void;
  /** Null at the end. */
  readonly showOlder: (() => void) | null;
  readonly isReadingOlder: boolean;
}

const PAGE = 50;

/** Those older than the last that was read of a list may have others of that list between them: they wait. */
export function useTimeline({ id, isSandbox }: User): Timeline {
  const { client } = use(AppContext);
  const queryOf = (before: string | null) => ({
    userId: id,
    limit: PAGE,
    ...(before !== null && { before }),
    ...(isSandbox && { sandbox: 'true' as const }),
  });
  const key = [id, isSandbox];
  const lists = [
    useList(['installs', ...key], async (before, signal) => {
      const query = queryOf(before);
      const { data } = await listInstalls({ client, query, signal, throwOnError: true });
      return data.map((record): Recorded => {
        const at = record.installedAt;
        return { moment: { kind: 'install', at, record }, recordedAt: at };
      });
    }),
    useList(['opens', ...key], async (before, signal) => {
      const query = queryOf(before);
      const { data } = await listOpens({ client, query, signal, throwOnError: true });
      return data.map((record): Recorded => {
        const at = record.openedAt;
        return { moment: { kind: 'open', at, record }, recordedAt: at };
      });
    }),
    useList(['events', ...key], async (before, signal) => {
      const query = queryOf(before);
      const { data } = await listEvents({ client, query, signal, throwOnError: true });
      return data.map((record): Recorded => {
        const { occurredAt: at, createdAt } = record;
        return { moment: { kind: 'event', at, record }, recordedAt: createdAt };
      });
    }),
  ];
  const unread = lists.filter(({ hasNextPage }) => hasNextPage);
  const frontier =
    unread
      .map((list) => oldestOf(list.read))
      .toSorted()
      .at(-1) ?? '';
  const failed = lists.find(({ error }) => error !== null);
  return {
    moments: lists
      .flatMap(({ read }) => read)
      .filter(({ recordedAt }) => recordedAt >= frontier)
      .map(({ moment }) => moment)
      .toSorted((a, b) => b.at.localeCompare(a.at)),
    isLoading: lists.some(({ isLoading }) => isLoading),
    error: failed?.error ?? null,
    retry: () => {
      for (const { error, retry } of lists) if (error !== null) retry();
    },
    showOlder:
      unread.length === 0
        ? null
        : () => {
            for (const list of unread) if (oldestOf(list.read) >= frontier) list.readOlder();
          },
    isReadingOlder: lists.some(({ isReadingOlder }) => isReadingOlder),
  };
}

function oldestOf(read: readonly Recorded[]): string {
  return read.at(-1)?.recordedAt ?? '';
}

function useList(
  key: readonly unknown[],
  readPage: (before: string | null, signal: AbortSignal) => Promise<Recorded[]>,
) {
  const { app } = use(AppContext);
  const query = useInfiniteQuery({
    queryKey: [app.id, 'user', ...key],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => await readPage(pageParam, signal),
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.moment.record.id),
  });
  return {
    read: query.data?.pages.flat() ?? [],
    hasNextPage: query.hasNextPage,
    isLoading: query.isPending,
    isReadingOlder: query.isFetchingNextPage,
    error: query.error === null ? null : toApiError(query.error),
    retry: () => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch()),
    readOlder: () => void query.fetchNextPage(),
  };
}

/** Of the revenue of all their events, however many: as a stream, in one call. */
export function useSums({ id, isSandbox }: User): Read<Sums> {
  const query = { userId: id, hasRevenue: 'true' as const, ...(isSandbox && { sandbox: 'true' as const }) };
  return useRead(['user', 'sums', query], async (client, signal) => {
    const { data } = await listEvents({
      client,
      query,
      signal,
      headers: { Accept: 'application/x-ndjson' },
      parseAs: 'stream',
      throwOnError: true,
    });
    return { data: await sumsOf(data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>) };
  });
}

async function sumsOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Sums> {
  let sums: Sums = new Map();
  let rest = '';
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return sums;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { revenue }: Event = JSON.parse(line);
      if (revenue !== null) sums = add(sums, revenue);
    }
  }
}
