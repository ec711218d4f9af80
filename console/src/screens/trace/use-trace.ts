/** The data of a trace: the install, its clicks, its events. */
import { listClicks, listEvents, listInstalls, readInstall } from '@generated/sdk.gen.ts';
import type { Click, Event, Install, InstallDetails } from '@generated/types.gen.ts';
import { useQueries } from '@tanstack/react-query';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { installsQuery, type RecordSearch } from '../records/record-search.ts';
import { timeOfId } from './trace-types.ts';

export function useInstall(installId: string): Read<InstallDetails> {
  return useRead(['installs', installId], (client, signal) =>
    readInstall({ client, path: { installId }, signal, throwOnError: true }),
  );
}

const AROUND_MS = 1_500;
/** The most that a list has. */
const LIMIT = 100;

function around(at: string): { from: string; to: string; limit: number } {
  const atMs = Date.parse(at);
  return {
    from: new Date(atMs - AROUND_MS).toISOString(),
    to: new Date(atMs + AROUND_MS).toISOString(),
    limit: LIMIT,
  };
}

/** Its item in the list of installs, which has the device, the link and the country; undefined until it is read. */
export function useInstallItem({ id, installedAt, sandbox }: InstallDetails): Install | null | undefined {
  const query = { ...around(installedAt), ...(sandbox && { sandbox: 'true' as const }) };
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
        const at = timeOfId(id);
        if (at === null) return null;
        for (const sandbox of ['false', 'true'] as const) {
          const query = { ...around(at), sandbox };
          const { data } = await listClicks({ client, query, signal, throwOnError: true });
          const found = data.find((click) => click.id === id);
          if (found !== undefined) return found;
        }
        return null;
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
  const filter = { ...installsQuery(search), ...(sandbox && { sandbox: 'true' as const }) };
  const older = useRead(['installs', id, 'older', filter], (client, signal) =>
    listInstalls({ client, query: { ...filter, before: id, limit: 1 }, signal, throwOnError: true }),
  );
  const newer = useRead(['installs', id, 'newer', filter], async (client, signal) => ({
    data: await findNewer(install, async (from, to) => {
      const query = { ...filter, from, to, limit: LIMIT };
      return (await listInstalls({ client, query, signal, throwOnError: true })).data;
    }),
  }));
  return { newerId: newer.data ?? null, olderId: older.data?.[0]?.id ?? null };
}

const FIRST_WINDOW_MS = 10_000;
const GROWTH = 16;

/** Lists have no order from old to new, so this looks through windows that grow, or shrink where one has too many. */
async function findNewer(
  { id, installedAt }: InstallDetails,
  list: (from: string, to: string) => Promise<readonly Install[]>,
): Promise<string | null> {
  const atMs = Date.parse(installedAt);
  let emptyMs = 0;
  let windowMs = FIRST_WINDOW_MS;
  for (;;) {
    const installs = await list(installedAt, new Date(atMs + windowMs).toISOString());
    const index = installs.findIndex((install) => install.id === id);
    const newer = index === -1 ? installs : installs.slice(0, index);
    const isCut = index === -1 && installs.length === LIMIT;
    if (isCut && windowMs - emptyMs > 1) {
      windowMs = Math.ceil((emptyMs + windowMs) / 2);
      continue;
    }
    const nearest = newer.at(-1);
    if (nearest !== undefined) return nearest.id;
    if (atMs + windowMs > Date.now()) return null;
    emptyMs = windowMs;
    windowMs *= GROWTH;
  }
}

export function useEvents({ id, sandbox }: InstallDetails): readonly Event[] {
  const query = { installId: id, limit: LIMIT, ...(sandbox && { sandbox: 'true' as const }) };
  const { data } = useRead(['installs', id, 'events'], (client, signal) =>
    listEvents({ client, query, signal, throwOnError: true }),
  );
  return data ?? [];
}
