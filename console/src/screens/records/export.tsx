import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { ExportRows } from '../../components/export-rows.tsx';
import { filtersOf, type Kind, type RecordSearch } from './record-search.ts';
import { callList, useTotal } from './use-records.ts';

/** Of exactly what the filters say, on all pages. */
export function Export({ kind, search }: { kind: Kind; search: RecordSearch }) {
  const { app } = use(AppContext);
  const total = useTotal(kind, search);
  return (
    <ExportRows
      name={`${app.name} ${kind} ${nameOfDates(search)}`}
      total={total.text}
      isLarge={total.isLarge}
      read={(call) => callList(kind, filtersOf(search), {}, call)}
    >
      <p className="meta max-w-[260px] px-2 pb-1">
        {total.text === null ? `All ${kind}` : `The ${total.text}`} that the filters let through, oldest
        first. Times are in UTC.
      </p>
    </ExportRows>
  );
}

function nameOfDates({ from, to }: RecordSearch): string {
  const days = [from, to ?? new Date().toISOString()].map((at) => at?.slice(0, 10));
  return days.filter((day) => day !== undefined).join(' to ');
}
