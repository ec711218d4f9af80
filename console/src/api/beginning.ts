/** Whether an app has anything yet: a new one is led to its set-up. */
import type { Client } from '@generated/client/index.ts';
import { listClicks, listInstalls, listLinks } from '@generated/sdk.gen.ts';
import type { QueryClient } from '@tanstack/react-query';
import { clientOf } from './client.ts';

/** No link, no click and no install. Asked once for each app that has begun. */
export async function isNew(queries: QueryClient, appId: string): Promise<boolean> {
  const client = clientOf(appId);
  const hasBegun = await queries.fetchQuery({
    queryKey: [appId, 'has-begun'],
    queryFn: async () => (await hasLinks(client)) || (await hasRecords(client)),
    staleTime: ({ state }) => (state.data === true ? Number.POSITIVE_INFINITY : 0),
  });
  return !hasBegun;
}

async function hasLinks(client: Client): Promise<boolean> {
  return (await listLinks({ client, query: { limit: 1 }, throwOnError: true })).data.length > 0;
}

/** A click or an install, live or in the sandbox, that is not deleted by age. */
export async function hasRecords(client: Client): Promise<boolean> {
  const reads = (['false', 'true'] as const).flatMap((sandbox) => {
    const options = { client, query: { limit: 1, sandbox }, throwOnError: true } as const;
    return [listClicks(options), listInstalls(options)];
  });
  return (await Promise.all(reads)).some(({ data }) => data.length > 0);
}
