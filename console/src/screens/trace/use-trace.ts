/** The data of a trace: the install, its clicks, its events. */
import { listEvents, listInstalls, readClick, readInstall } from '@generated/sdk.gen.ts';
import type { Click, Event, Install, InstallDetails } from '@generated/types.gen.ts';
import { useQueries } from '@tanstack/react-query';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { toApiError } from '../../api/error.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { filtersOf, queryOf, type RecordSearch } from '../records/record-search.ts';

/** Stands for a value until it is read: it has the height of one. */
export const NOT_READ = '…';

/** The most that a list has. */
const LIMIT = 100;

export function useInstall(installId: string): Read<InstallDetails> {
  return useRead(['installs', installId], (client, signal) =>
    readInstall({ client, path: { installId }, signal, throwOnError: true }),
  );
}

/** Its item in the list of installs, which has the device, the link and the country; undefined until it is read. */
export function useInstallItem({ id, installedAt, sandbox }: InstallDetails): Install | null | undefined {
  const to = new Date(Date.parse(installedAt) + 1).toISOString();
  const query = { from: installedAt, to, limit: LIMIT, ...(sandbox && { sandbox: 'true' as const }) };
  const { data } = useRead(['installs', id, 'item'], (client, signal) =>
    listInstalls({ client, query, signal, throwOnError: true }),
  );
  return data === undefined ? undefined : (data.find((install) => install.id === id) ?? null);
}

/** By ID; null for a deleted click, nothing for one that is not read yet. */
export type Clicks = ReadonlyMap<string, Click | null>;

export function useClicks(ids: readonly string[]): Clicks {
  const { app, client } = use(AppContext);
  const results = useQueries({
    queries: ids.map((id) => ({
      queryKey: [app.id, 'clicks', id],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        try {
          return (await readClick({ client, path: { id }, signal, throwOnError: true })).data;
        } catch (error) {
          if (toApiError(error).status === 404) return null;
          throw error;
        }
      },
    })),
  });
  return new Map(
    ids.flatMap((id, index) => {
      const data = results[index]?.data;
      return data === undefined ? [] : [[id, data] as const];
    }),
  );
}

export interface Neighbours {
  readonly newerId: string | null;
  readonly olderId: string | null;
}

/** The installs before and after this one in the list that `search` narrows down. */
export function useNeighbours(install: InstallDetails, search: RecordSearch): Neighbours {
  const { id, sandbox } = install;
  const filter = { ...queryOf('installs', filtersOf(search)), ...(sandbox && { sandbox: 'true' as const }) };
  const older = useRead(['installs', id, 'older', filter], (client, signal) =>
    listInstalls({ client, query: { ...filter, before: id, limit: 1 }, signal, throwOnError: true }),
  );
  const newer = useRead(['installs', id, 'newer', filter], (client, signal) => {
    const query = { ...filter, order: 'asc', after: id, limit: 1 } as const;
    return listInstalls({ client, query, signal, throwOnError: true });
  });
  return { newerId: newer.data?.[0]?.id ?? null, olderId: older.data?.[0]?.id ?? null };
}

export function useEvents({ id, sandbox }: InstallDetails): readonly Event[] {
  const query = { installId: id, limit: LIMIT, ...(sandbox && { sandbox: 'true' as const }) };
  const { data } = useRead(['installs', id, 'events'], (client, signal) =>
    listEvents({ client, query, signal, throwOnError: true }),
  );
  return data ?? [];
}
