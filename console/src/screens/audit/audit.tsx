/** Who did what in the app. */
import { listAuditLog } from '@generated/sdk.gen.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Log } from '../../audit/log.tsx';
import { APP_ACTIONS, LogFilters } from '../../audit/log-filters.tsx';
import { type LogSearch, PAGE, queryOf } from '../../audit/log-search.ts';
import { ExportRows } from '../../components/export-rows.tsx';
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
        <div className="ml-auto">
          <ExportRows
            name={`audit-log-${app.name}`}
            read={(call) => listAuditLog({ ...call, query: queryOf(search), throwOnError: true })}
          />
        </div>
      </Head>
      <LogFilters search={search} onSearch={onSearch} actions={APP_ACTIONS} entries={read.data ?? []} />
      <Log read={read} search={search} onSearch={onSearch} />
    </>
  );
}
