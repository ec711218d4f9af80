/** Sign-ins, and what was done to accounts and to the service. */
import { listServiceAuditLog } from '@generated/sdk.gen.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { Log } from '../../audit/log.tsx';
import { LogFilters, SERVICE_ACTIONS } from '../../audit/log-filters.tsx';
import { type LogSearch, PAGE, queryOf } from '../../audit/log-search.ts';
import { ExportRows } from '../../components/export-rows.tsx';

const route = getRouteApi('/$appId/operator');

export function ServiceLog() {
  const { tab, ...search } = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/operator' });
  const query = { ...queryOf(search), limit: PAGE };
  const read = useRead(['service-log', query], (client, signal) =>
    listServiceAuditLog({ client, query, signal, throwOnError: true }),
  );
  const onSearch = (next: LogSearch) => void navigate({ search: { tab, ...next } });
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 pt-3">
        <LogFilters search={search} onSearch={onSearch} actions={SERVICE_ACTIONS} entries={read.data ?? []} />
        <div className="ml-auto">
          <ExportRows
            name="audit-log-of-the-service"
            read={(call) => listServiceAuditLog({ ...call, query: queryOf(search), throwOnError: true })}
          />
        </div>
      </div>
      <Log read={read} search={search} onSearch={onSearch} />
    </>
  );
}
