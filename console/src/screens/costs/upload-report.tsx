import type { CostsStored } from '@generated/types.gen.ts';
import type { ReactNode } from 'react';
import { formatMoney, plural } from '../../formats.ts';
import { formatCostDay } from './cost.ts';
import { CostCampaign } from './cost-campaign.tsx';

type Preview = NonNullable<CostsStored['costs']>;
type Outcome = Preview[number]['outcome'];

const OUTCOMES: Readonly<Record<Outcome, readonly [before: string, after: string]>> = {
  created: ['new', 'added'],
  replaced: ['replaces another amount', 'replaced'],
  unchanged: ['stored before', 'stored before'],
};

/** What becomes of the rows of a file, or became of them. */
export function UploadReport({ report, isStored }: { report: CostsStored; isStored: boolean }) {
  const { failed, failures, unknownCampaigns, ignoredColumns, costs = [] } = report;
  return (
    <>
      <Numbers report={report} isStored={isStored} />
      {unknownCampaigns.length > 0 && (
        <div className="note">
          <b>{plural(unknownCampaigns.length, 'unknown campaign')}</b>
          <p className="min-w-0 break-words">
            No link or network has {listed(unknownCampaigns)}. Check the names, or make the links later.
          </p>
        </div>
      )}
      {ignoredColumns.length > 0 && (
        <p className="meta break-words">Ignored columns: {ignoredColumns.join(', ')}</p>
      )}
      {failed > 0 && (
        <Table caption={isStored ? 'Not stored' : 'Will not be stored'} columns={['Line', 'Reason']}>
          {failures.map(({ row, message }) => (
            <tr key={row}>
              <LineOf row={row} />
              <td data-name="Reason" className="break-words">
                {message.replace(/^cost\./, '')}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {costs.length > 0 && <Understood costs={costs} report={report} />}
    </>
  );
}

function Numbers({ report, isStored }: { report: CostsStored; isStored: boolean }) {
  const names = Object.entries(OUTCOMES) as [Outcome, readonly [string, string]][];
  const parts = names
    .filter(([outcome]) => report[outcome] > 0)
    .map(([outcome, [before, after]]) => `${plural(report[outcome], 'row')} ${isStored ? after : before}`);
  if (report.failed > 0) parts.push(`${plural(report.failed, 'row')} wrong`);
  return (
    <p role="status">
      <b>{parts.join(', ')}.</b>
    </p>
  );
}

function Understood({ costs, report }: { costs: Preview; report: CostsStored }) {
  const all = report.created + report.replaced + report.unchanged;
  const caption =
    costs.length < all ? `The first ${costs.length} of ${plural(all, 'cost')}` : 'What was understood';
  return (
    <Table caption={caption} columns={['Line', 'Day', 'Campaign', 'Cost', '']}>
      {costs.map(({ row, date, cost, outcome, ...of }) => (
        <tr key={row}>
          <LineOf row={row} />
          <td data-name="Day" className="whitespace-nowrap">
            {formatCostDay(date)}
          </td>
          <td data-name="Campaign" className="break-words">
            <CostCampaign {...of} />
          </td>
          <td data-name="Cost" className="num whitespace-nowrap">
            {formatMoney(cost)}
          </td>
          <td className="text-ink-3">{OUTCOMES[outcome][0]}</td>
        </tr>
      ))}
    </Table>
  );
}

/** On a phone no head of a column says what the number is. */
function LineOf({ row }: { row: number }) {
  return (
    <td className="whitespace-nowrap">
      <span className="phone:hidden">Line </span>
      {row}
    </td>
  );
}

function Table({
  caption,
  columns,
  children,
}: {
  caption: string;
  columns: readonly string[];
  children: ReactNode;
}) {
  return (
    <table className="table">
      <caption className="pb-1 text-left font-semibold">{caption}</caption>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col" className={name === 'Cost' ? 'num' : ''}>
              {name === '' ? <span className="sr-only">Outcome</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

const NAMED = 5;

function listed(names: readonly string[]): string {
  const first = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${first} and ${names.length - NAMED} more` : first;
}
