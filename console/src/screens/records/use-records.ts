/** Reads of the lists of records. */
import type { Client } from '@generated/client/index.ts';
import { listClicks, listEvents, listInstalls, listOpens } from '@generated/sdk.gen.ts';
import type { Click, Event, Install, Open } from '@generated/types.gen.ts';
import { useSearch } from '@tanstack/react-router';
import { type Read, useRead } from '../../api/use-read.ts';
import { formatCount, plural } from '../../formats.ts';
import { filtersOf, type Kind, queryOf, type RecordSearch, searchOf } from './record-search.ts';

export const PAGE = 50;

export interface Items {
  readonly clicks: Click;
  readonly installs: Install;
  readonly opens: Open;
  readonly events: Event;
}

interface Call {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly parseAs?: 'stream';
}

/** With the parameters of a page or of its total, which all lists have in common. */
export function callList(
  kind: Kind,
  search: RecordSearch,
  more: { limit?: number; include?: 'total' },
  call: Call,
) {
  const common = { ...call, throwOnError: true } as const;
  switch (kind) {
    case 'clicks':
      return listClicks({ ...common, query: { ...queryOf(kind, search), ...more } });
    case 'installs':
      return listInstalls({ ...common, query: { ...queryOf(kind, search), ...more } });
    case 'opens':
      return listOpens({ ...common, query: { ...queryOf(kind, search), ...more } });
    case 'events':
      return listEvents({ ...common, query: { ...queryOf(kind, search), ...more } });
  }
}

/** Without what the list does not take, which an address may have as well. */
export function useListSearch(kind: Kind): RecordSearch {
  return searchOf(kind)(useSearch({ strict: false }));
}

export function useRecords<K extends Kind>(kind: K, search: RecordSearch): Read<readonly Items[K][]> {
  return useRead([kind, queryOf(kind, search)], async (client, signal) => {
    const { data } = await callList(kind, search, { limit: PAGE }, { client, signal });
    return { data: data as unknown as readonly Items[K][] };
  });
}

interface Total {
  /** Such as `1,284 installs`; null until it is read. */
  readonly text: string | null;
  /** More than the service counts one by one. */
  readonly isLarge: boolean;
}

const COUNTED = /^(\d+)(\+?)$/;

/** Of all pages. */
export function useTotal(kind: Kind, search: RecordSearch): Total {
  const filters = filtersOf(search);
  const { data, isStale } = useRead([kind, 'total', queryOf(kind, filters)], async (client, signal) => {
    const { response } = await callList(kind, filters, { limit: 1, include: 'total' }, { client, signal });
    return { data: response.headers.get('X-Total-Count') ?? '' };
  });
  const [, digits, more] = COUNTED.exec(isStale ? '' : (data ?? '')) ?? [];
  if (digits === undefined) return { text: null, isLarge: true };
  const count = Number(digits);
  const isLarge = more === '+';
  const one = kind.slice(0, -1);
  return { text: isLarge ? `${formatCount(count)}+ ${kind}` : plural(count, one), isLarge };
}
