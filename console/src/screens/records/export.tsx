import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { type ExportFormat, exportRows } from '../../components/exporting.ts';
import { Caret, Menu, MenuItem } from '../../components/menu.tsx';
import { filtersOf, type Kind, type RecordSearch } from './record-search.ts';
import { callList, useTotal } from './use-records.ts';

const FORMATS = [
  ['csv', 'CSV, for spreadsheets', 'text/csv'],
  ['ndjson', 'NDJSON, an object a line', 'application/x-ndjson'],
] as const;

/** Of exactly what the filters say, on all pages. */
export function Export({ kind, search }: { kind: Kind; search: RecordSearch }) {
  const { app, client } = use(AppContext);
  const total = useTotal(kind, search);
  const start = (format: ExportFormat, accept: string) =>
    exportRows({
      name: `${app.name} ${kind} ${nameOfDates(search)}.${format}`.replace(/[^\p{L}\p{N}. _-]+/gu, ' '),
      format,
      total: total.text,
      isLarge: total.isLarge,
      read: async (signal) => {
        const call = { client, signal, headers: { Accept: accept }, parseAs: 'stream' } as const;
        const { data } = await callList(kind, filtersOf(search), {}, call);
        return data as unknown as ReadableStream<Uint8Array>;
      },
    });
  return (
    <Menu
      align="end"
      trigger={
        <>
          Export <Caret />
        </>
      }
    >
      <p className="meta max-w-[260px] px-2 pb-1">
        {total.text === null ? `All ${kind}` : `The ${total.text}`} that the filters let through, oldest
        first. Times are in UTC.
      </p>
      {FORMATS.map(([format, name, accept]) => (
        <MenuItem key={format} onSelect={() => void start(format, accept)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}

function nameOfDates({ from, to }: RecordSearch): string {
  const days = [from, to ?? new Date().toISOString()].map((at) => at?.slice(0, 10));
  return days.filter((day) => day !== undefined).join(' to ');
}
