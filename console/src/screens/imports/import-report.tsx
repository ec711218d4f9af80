import type { Import } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { formatCount, plural } from '../../formats.ts';
import { fieldName } from './fields.ts';
import { ImportKept } from './import-kept.tsx';
import { NextSteps } from './next-steps.tsx';
import { OutcomeBar } from './outcome-bar.tsx';
import type { ReportedRow } from './pick-rows.ts';
import { useReportRows } from './use-report-rows.ts';
import { verdictOf } from './words.ts';
import { Downloads, WrongRows } from './wrong-rows.tsx';

const route = getRouteApi('/$appId');

/** Of an import that has ended: numbers, the next step, and what each row and column became. */
export function ImportReport({ data }: { data: Import }) {
  const report = useReportRows(data);
  const hasFailed = data.status === 'failed';
  const isStored = !hasFailed && !data.dryRun && data.created + data.unchanged > 0;
  const { good } = report.picked;
  return (
    <div className="max-w-[960px]">
      <div className="grid gap-4 pt-5">
        {hasFailed && <Failed data={data} />}
        {(!hasFailed || data.rows > 0) && (
          <>
            {!hasFailed && (
              <p role="status" className="text-page">
                {verdictOf(data)}
              </p>
            )}
            <OutcomeBar data={data} />
          </>
        )}
        {data.dryRun && !hasFailed && data.created > 0 && <ImportKept data={data} />}
        <Downloads data={data} />
      </div>
      {isStored && <NextSteps first={good[0]?.shortUrl || null} />}
      <WrongRows data={data} report={report} />
      <Notes notes={data.notes} />
      <Addresses rows={good} all={data.created + data.unchanged} />
      <Columns columns={data.columns} />
    </div>
  );
}

function Failed({ data: { error, source, created, dryRun, rows } }: { data: Import }) {
  const { appId } = route.useParams();
  return (
    <>
      <div className="note note-bad" role="alert">
        <b>{rows === 0 ? 'File refused' : dryRun || created === 0 ? 'Nothing imported' : 'Ended early'}</b>
        <p className="min-w-0 break-words">
          {error} {!dryRun && created > 0 && `${plural(created, 'link')} stored before that.`}
        </p>
      </div>
      <p>
        <Link to="/$appId/links/import" params={{ appId }} search={{ source }} className="btn">
          Choose a file
        </Link>
      </p>
    </>
  );
}

function Notes({ notes }: { notes: Import['notes'] }) {
  if (notes.length === 0) return null;
  return (
    <Section title="What the rows had and the links have not">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Note</th>
            <th scope="col" className="num">
              Rows
            </th>
          </tr>
        </thead>
        <tbody>
          {notes.map(({ message, rows }) => (
            <tr key={message}>
              <td className="break-words" dir="auto">
                {message}
              </td>
              <td data-name="Rows" className="num">
                {formatCount(rows)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Addresses({ rows, all }: { rows: readonly ReportedRow[]; all: number }) {
  if (rows.length === 0) return null;
  return (
    <Section title={rows.length < all ? `Addresses, the first ${rows.length}` : 'Addresses'}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Before</th>
            <th scope="col">Here</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, oldAddress, shortUrl }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line may have several
            <tr key={`${line} ${index}`}>
              <td className="[overflow-wrap:anywhere]">{oldAddress}</td>
              <td data-name="Here" className="[overflow-wrap:anywhere]">
                {shortUrl}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Columns({ columns }: { columns: Import['columns'] }) {
  const names = Object.entries(columns);
  if (names.length === 0) return null;
  return (
    <details className="pt-8">
      <summary className="cursor-pointer">{plural(names.length, 'column')} read</summary>
      <dl className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-x-4 gap-y-1 pt-2">
        {names.map(([header, field]) => (
          <div key={header} className="contents">
            <dt className="break-words" dir="auto">
              {header}
            </dt>
            <dd className="break-words text-ink-2">{fieldName(field)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
