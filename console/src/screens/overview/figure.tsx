import type { StatsMetrics } from '@generated/types.gen.ts';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { plural } from '../../formats.ts';
import {
  type Change,
  type Compared,
  changeOf,
  compare,
  formatAmount,
  isNoLoss,
} from '../../stats/amounts.ts';
import type { Column } from '../../stats/columns.ts';
import type { RecordSearch } from '../records/record-search.ts';
import type { Records } from './records-of.ts';

/** More would make a row higher than it is readable. */
const MAX_CURRENCIES = 3;

/** A cell of a list: the number, which opens its records, and its change; each currency by itself. */
export function Figure({
  column,
  numbers,
  before,
  order,
  records,
  isLong = false,
}: {
  column: Column;
  numbers: StatsMetrics;
  before: StatsMetrics | undefined;
  /** Of the currencies. */
  order: readonly string[];
  records: Records | null;
  /** Whether the number before is written out. */
  isLong?: boolean;
}) {
  const { unit, digits, amountsOf } = column;
  const all = compare(amountsOf(numbers), before === undefined ? [] : amountsOf(before), {
    ...{ unit, order },
  });
  // The records of several currencies are in one list, which no sum of one counts.
  const hasRecords = all.length === 1 && Boolean(all[0]?.now);
  const figureOf = (amounts: Compared) => (
    <span key={amounts.currency} className="figure">
      <Counted records={hasRecords ? records : null}>
        {formatAmount({ value: amounts.now, currency: amounts.currency }, unit, digits)}
      </Counted>
      {before !== undefined && <ChangeText amounts={amounts} column={column} isLong={isLong} />}
    </span>
  );
  const others = all.slice(MAX_CURRENCIES);
  return (
    <>
      {all.slice(0, MAX_CURRENCIES).map(figureOf)}
      {others.length > 0 && (
        <details className="figure-others">
          <summary className="link">{plural(others.length, 'more currency', 'more currencies')}</summary>
          {others.map(figureOf)}
        </details>
      )}
    </>
  );
}

/** The link to the records that a number counts, where a list has exactly these. */
export function Counted({
  records,
  className = 'hover:underline',
  children,
}: {
  records: Records | null;
  className?: string;
  children: ReactNode;
}) {
  const { appId } = useParams({ from: '/$appId' });
  if (records === null) return <span>{children}</span>;
  return (
    <Link to={records.to} params={{ appId }} search={records.search as RecordSearch} className={className}>
      {children}
    </Link>
  );
}

function ChangeText({ amounts, column, isLong }: { amounts: Compared; column: Column; isLong: boolean }) {
  const { unit, digits } = column;
  const change = changeOf(amounts, unit);
  if (change === null) return null;
  const before = formatAmount({ value: amounts.before, currency: amounts.currency }, unit, digits);
  if (isNoLoss(change, column)) return <span className="figure-change">{before} before</span>;
  const isNew = change.text === 'new';
  return (
    <span className="figure-change" title={isNew ? 'nothing before' : `${before} before`}>
      <ChangeSign change={change} />
      {isLong && !isNew ? ` from ${before}` : <span className="sr-only">, {before} before</span>}
    </span>
  );
}

/** `↗ 12.4 %` */
export function ChangeSign({ change: { direction, text } }: { change: Change }) {
  const [sign, word] = { up: ['↗', 'up'], down: ['↘', 'down'], same: ['→', 'unchanged'] }[direction];
  if (text === 'new') return text;
  return (
    <>
      <span aria-hidden="true">{sign}</span>
      <span className="sr-only">{word}</span> {direction !== 'same' && text}
    </>
  );
}
