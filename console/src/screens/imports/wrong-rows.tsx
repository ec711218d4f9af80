import { listImportFailures, listImportRows } from '@generated/sdk.gen.ts';
import type { Import } from '@generated/types.gen.ts';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { Section } from '../../components/page.tsx';
import { Refusal } from '../../components/pane.tsx';
import { exportRows } from '../../components/run-export.ts';
import { formatCount, plural } from '../../formats.ts';
import type { ReportedRow } from './pick-rows.ts';
import type { ReportRows } from './use-report-rows.ts';

const LARGE_ROWS = 10_000;

/** Conflicts and failures: the first as a table, all as files. */
export function WrongRows({ data, report }: { data: Import; report: ReportRows }) {
  const wrong = data.conflicts + data.failed;
  const { picked, isDone, error } = report;
  const isPart = picked.wrong.length < wrong;
  if (wrong === 0) return null;
  return (
    <Section title="Rows that need a look">
      <p className="py-2 text-ink-2 empty:hidden" role="status">
        {!isDone && picked.wrong.length === 0
          ? `Looking through ${plural(data.rows, 'row')}`
          : isPart
            ? `The first ${formatCount(picked.wrong.length)} of ${plural(wrong, 'row')}. The report has all.`
            : ''}
      </p>
      <Refusal error={error} />
      {picked.wrong.length > 0 && <WrongTable rows={picked.wrong} />}
      {data.failed > 0 && (
        <p className="pt-2 text-ink-2">
          To correct many rows: download the failed ones, correct them in a spreadsheet, and import that file.
        </p>
      )}
    </Section>
  );
}

function WrongTable({ rows }: { rows: readonly ReportedRow[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col" className="w-[30%]">
            Address
          </th>
          <th scope="col">Reason, and what to do</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ line, outcome, oldAddress, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line may have several
          <tr key={index}>
            <td className="whitespace-nowrap tabular-nums">
              <span className="phone:hidden">Line </span>
              {line}
              {outcome === 'conflict' && <span className="tag ml-2">conflict</span>}
            </td>
            <td data-name="Address" className="[overflow-wrap:anywhere]" dir="auto">
              {oldAddress}
            </td>
            <td className="[overflow-wrap:anywhere]" dir="auto">
              {reason}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const FILES = {
  rows: { read: listImportRows, name: 'report' },
  failures: { read: listImportFailures, name: 'failed rows' },
} as const;

/** The whole report, and the failed rows as the source wrote them. */
export function Downloads({ data: { id, source, rows, failed } }: { data: Import }) {
  const { client } = use(AppContext);
  const save = (file: keyof typeof FILES, total: number) => {
    const { name, read } = FILES[file];
    void exportRows({
      name: `${source} ${name} ${id.slice(0, 8)}.csv`,
      ...{ format: 'csv', total: formatCount(total), isLarge: total > LARGE_ROWS },
      read: async (signal) => {
        const call = {
          client,
          path: { id },
          signal,
          parseAs: 'stream' as const,
          throwOnError: true as const,
        };
        return (await read(call)).data as unknown as ReadableStream<Uint8Array>;
      },
    });
  };
  if (rows === 0) return null;
  return (
    <div className="flex flex-wrap gap-2">
      <button type="button" className="btn" onClick={() => save('rows', rows)}>
        Download the report
      </button>
      {failed > 0 && (
        <button type="button" className="btn" onClick={() => save('failures', failed)}>
          Download the failed rows
        </button>
      )}
    </div>
  );
}
