/** Who did what in the app. */
import { listAuditLog } from '@generated/sdk.gen.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Log } from '../../audit/log.tsx';
import { LogExport } from '../../audit/log-export.tsx';
import { APP_ACTIONS, LogFilters } from '../../audit/log-filters.tsx';
import { type LogSearch, PAGE, queryOf } from '../../audit/log-search.ts';
import { Head } from '../../components/page.tsx';

const route = getRouteApi('/$appId/audit-log');

export function AuditLog() {
  const search = route.useSearch();
  const { app } = use(AppContext);
  const navigate = useNavigate({ from: '/$appId/audit-log' });
  const query = { ...queryOf(search), limit: PAGE };
  const read = useRead(['audit-log', query], (client, signal) =>
    listAuditLog({ client, query, signal, throwOnError: true }),
  );
  const onSearch = (next: LogSearch) => void navigate({ search: next });
  return (
    <>
      <Head title="Audit log">
        <LogExport
          name={`audit-log-${app.name}`}
          read={async (client, accept, signal) => {
            const options = { client, query: queryOf(search), signal, headers: { Accept: accept } };
            return (await listAuditLog({ ...options, parseAs: 'stream', throwOnError: true })).data;
          }}
        />
      </Head>
      <LogFilters search={search} onSearch={onSearch} actions={APP_ACTIONS} entries={read.data ?? []} />
      <Log read={read} search={search} onSearch={onSearch} />
    </>
  );
}
