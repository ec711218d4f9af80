import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Mark } from '../../components/mark.tsx';
import { type Compared, changeOf, compare, formatAmount, isNoLoss } from '../../stats/amounts.ts';
import { type Column, type ColumnName, columnOf } from '../../stats/columns.ts';
import { DIMENSION_NAMES, dimensionOf } from './dimensions.ts';
import { ChangeSign, Counted } from './figure.tsx';
import { type OverviewSearch, singleFilterOf } from './overview-search.ts';
import { recordsOf } from './records-of.ts';
import { currenciesOf } from './sort-groups.ts';
import type { OverviewStats } from './use-stats.ts';

const route = getRouteApi('/$appId/');

const STRIP = [
  ...(['clicks', 'installs', 'attributed', 'payingInstalls'] as const),
  ...(['opens', 'events', 'revenue'] as const),
] as const satisfies readonly ColumnName[];
/** Where there are any. */
const OF_NETWORKS = ['networkInstalls'] as const satisfies readonly ColumnName[];
const OF_COSTS = ['cost', 'returnOnAdSpend'] as const satisfies readonly ColumnName[];

export function namesOf({ totals, previous }: OverviewStats): readonly ColumnName[] {
  const hasCosts = [totals, previous].some(({ cost = [] }) => cost.length > 0);
  const hasNetworks = [totals, previous].some(({ networkInstalls }) => networkInstalls > 0);
  return [...STRIP, ...(hasNetworks ? OF_NETWORKS : []), ...(hasCosts ? OF_COSTS : [])];
}

/** What the chart shows: a metric, and of money a currency. */
export interface Chosen {
  readonly name: ColumnName;
  readonly currency: string | null;
}

interface StripProps {
  readonly stats: OverviewStats;
  readonly chosen: Chosen;
  readonly search: OverviewSearch;
}

export function chosenOf(search: OverviewSearch, stats: OverviewStats): Chosen {
  const { metric, currency } = search;
  const name = namesOf(stats).find((each) => each === metric) ?? (hasClicks(search) ? 'clicks' : 'installs');
  const amounts = amountsOf(columnOf(name), stats);
  const known = amounts.find((each) => each.currency === currency) ?? amounts[0];
  return { name, currency: known?.currency ?? null };
}

/** Whether clicks have values of what the page is filtered by. */
function hasClicks(search: OverviewSearch): boolean {
  const filter = singleFilterOf(search);
  return !DIMENSION_NAMES.map(dimensionOf).some((each) => each.filter === filter && each.isOfInstalls);
}

function amountsOf(column: Column, { totals, previous, groupings }: OverviewStats): Compared[] {
  const groups = groupings.flatMap((each) => each.groups);
  return compare(column.amountsOf(totals), column.amountsOf(previous), {
    unit: column.unit,
    order: currenciesOf(column, { totals, previous, groups }),
  });
}

/** The totals; the name of one picks the chart, its number opens the records. */
export function Strip(props: StripProps) {
  const names = namesOf(props.stats);
  return (
    <section aria-label="Totals" className="strip-frame mt-3 border-t border-line">
      <div className="strip" style={{ '--cells': cellsOf(names.length) }}>
        {names.map((name) => (
          <Cell key={name} name={name} {...props} />
        ))}
      </div>
    </section>
  );
}

/** In a row. */
function cellsOf(count: number): number {
  return count > STRIP.length ? Math.ceil(count / 2) : count;
}

function Cell({ name, ...props }: StripProps & { name: ColumnName }) {
  const column = columnOf(name);
  const [first, ...others] = amountsOf(column, props.stats);
  const figure =
    first === undefined
      ? ''
      : formatAmount({ value: first.now, currency: first.currency }, column.unit, column.digits);
  const isChosen = name === props.chosen.name;
  const records = recordsOf(name, props.search);
  // The records of several currencies are in one list, which no sum of one counts.
  const isOne = others.length === 0;
  return (
    <div className="strip-cell">
      {isChosen && <span aria-hidden="true" className="strip-chosen" />}
      <Picking name={name} currency={first?.currency ?? null} isChosen={isChosen} search={props.search}>
        {column.mark !== undefined && <Mark kind={column.mark} />}
        {column.name}
      </Picking>
      {first !== undefined && (
        <>
          <span
            className="strip-figure font-semibold tracking-[-.02em]"
            style={{ '--characters': figure.length }}
          >
            <Counted
              records={isOne && first.now !== null && first.now !== 0 ? records : null}
              className="decoration-1 underline-offset-4 hover:underline"
            >
              {figure}
            </Counted>
          </span>
          <span className="meta">
            <ChangeLine amounts={first} column={column} />
            {others.map((each) => (
              <Other key={each.currency} name={name} amounts={each} column={column} {...props} />
            ))}
            {!isOne && records !== null && (
              <span className="block">
                <Counted records={records} className="link">
                  Events with revenue
                </Counted>
              </span>
            )}
          </span>
        </>
      )}
    </div>
  );
}

/** A further currency, which is compared with itself and has a chart of its own. */
function Other({
  name,
  amounts,
  column: { unit, digits },
  chosen,
  search,
  column,
}: Omit<StripProps, 'stats'> & { name: ColumnName; amounts: Compared; column: Column }) {
  const { currency, now } = amounts;
  return (
    <span className="block pt-1">
      <Picking
        name={name}
        currency={currency}
        isChosen={name === chosen.name && currency === chosen.currency}
        search={search}
      >
        <b>{formatAmount({ value: now, currency }, unit, digits)}</b>
      </Picking>
      <ChangeLine amounts={amounts} column={column} />
    </span>
  );
}

function ChangeLine({ amounts, column }: { amounts: Compared; column: Column }) {
  const { unit, digits } = column;
  const change = changeOf(amounts, unit);
  if (change === null || change.text === 'new') return 'nothing before';
  const before = formatAmount({ value: amounts.before, currency: amounts.currency }, unit, digits);
  if (isNoLoss(change, column)) return `${before} before`;
  return (
    <>
      <span className="text-ink">
        <ChangeSign change={change} />
      </span>{' '}
      from {before}
    </>
  );
}

function Picking({
  name,
  currency,
  isChosen,
  search,
  children,
}: Chosen & { isChosen: boolean; search: OverviewSearch; children: ReactNode }) {
  const { appId } = route.useParams();
  return (
    <Link
      to="/$appId"
      params={{ appId }}
      search={{ ...search, metric: name, currency: currency ?? undefined }}
      replace
      resetScroll={false}
      activeOptions={{ exact: true, includeSearch: true }}
      aria-current={isChosen ? 'true' : undefined}
      title={columnOf(name).help}
      className={`flex w-fit items-center gap-1.5 leading-4 hover:text-accent ${isChosen ? 'font-semibold text-accent' : 'text-ink-2'}`}
    >
      {children}
    </Link>
  );
}
