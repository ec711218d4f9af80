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

const SUM_PAGE = 100;
const SUM_PAGES = 20;

interface UserSums {
  readonly sums: Sums;
  /** Of the newest events alone, as there are more than are read; else null. */
  readonly last: number | null;
}

/** Of the revenue of their events, page by page: an export would be in the audit log. */
export function useSums({ id, isSandbox }: User): Read<UserSums> {
  const query = { userId: id, hasRevenue: 'true' as const, ...(isSandbox && { sandbox: 'true' as const }) };
  return useRead(['user', 'sums', query], async (client, signal): Promise<{ data: UserSums }> => {
    let sums: Sums = new Map();
    let before: string | undefined;
    for (let page = 0; page < SUM_PAGES; page++) {
      const of = { ...query, limit: SUM_PAGE, ...(before !== undefined && { before }) };
      const { data } = await listEvents({ client, query: of, signal, throwOnError: true });
      for (const { revenue } of data) if (revenue !== null) sums = add(sums, revenue);
      if (data.length < SUM_PAGE) return { data: { sums, last: null } };
      before = data.at(-1)?.id;
    }
    return { data: { sums, last: SUM_PAGE * SUM_PAGES } };
  });
}
