import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Read } from '../../api/use-read.ts';
import { Empty, Section, Wide } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import type { ColumnName } from '../../stats/columns.ts';
import { ColumnHeads, MAX_COLUMNS_OF_HALVES } from './column-heads.tsx';
import { type DimensionName, dimensionOf, isCounted } from './dimensions.ts';
import { filterName } from './filters.tsx';
import { GroupRows } from './group-rows.tsx';
import { noteOf } from './notes.tsx';
import { columnsOf, hasFilters, NO_FILTERS, type OverviewSearch, singleFilterOf } from './overview-search.ts';
import { rowsOf, shownColumns, sortColumnOf, type Whole } from './sort-groups.ts';
import { type Groups as GroupsOfList, type OverviewStats, SHOWN, useGroups } from './use-stats.ts';

const route = getRouteApi('/$appId/');

interface ListProps {
  readonly search: OverviewSearch;
  readonly overview: Read<OverviewStats>;
}

/** The tabs of each list. */
const LISTS: readonly (readonly DimensionName[])[] = [
  ['links', 'inviters'],
  ['campaigns', 'network-campaigns', 'sources', 'referrers'],
  ['countries', 'platforms'],
  ['methods', 'networks', 'versions', 'app-versions'],
];

export function Lists(props: ListProps) {
  const isOfHalves = columnsOf(props.search).names.length <= MAX_COLUMNS_OF_HALVES;
  return (
    <div className={`grid gap-x-12 ${isOfHalves ? 'lists-halves' : ''}`}>
      {LISTS.map((tabs) => (
        <List key={tabs[0]} tabs={tabs} {...props} />
      ))}
    </div>
  );
}

function List({ tabs, search, overview }: ListProps & { tabs: readonly DimensionName[] }) {
  const { appId } = route.useParams();
  const [tab, setTab] = useState(tabs[0] ?? 'links');
  const dimension = dimensionOf(tab);
  const columns = shownColumns(search, dimension);
  const read = useGroups(search, overview, tab);
  const whole = wholeOf(read, overview);
  const isWide = columns.length > MAX_COLUMNS_OF_HALVES;
  const heads = (
    <ColumnHeads columns={columns} by={sortColumnOf(search, dimension)} whole={whole} search={search} />
  );
  return (
    <Section
      title={tabs.length === 1 ? dimension.name : <Tabs tabs={tabs} chosen={tab} onPick={setTab} />}
      aside={isWide ? undefined : heads}
    >
      <ListFrame name={isWide ? dimension.name : null}>
        {isWide && heads}
        {isCounted(dimension, search) ? (
          <Groups key={tab} name={tab} columns={columns} search={search} read={read} whole={whole} />
        ) : (
          <NotCounted search={search} />
        )}
      </ListFrame>
      <div className="meta flex justify-between gap-4 pt-2">
        <Link to="/$appId/lists/$list" params={{ appId, list: tab }} search={search} className="link">
          {tab === 'methods' ? 'All methods' : `All ${lowered(dimension.name)}`}
        </Link>
        {noteOf(tab)}
        {(tab === 'campaigns' || tab === 'network-campaigns') && (
          <Link to="/$appId/costs" params={{ appId }} className="link">
            Costs of campaigns
          </Link>
        )}
      </div>
    </Section>
  );
}

/** The rows; with a name they scroll sideways in themselves, for keyboards too. */
function ListFrame({ name, children }: { name: string | null; children: ReactNode }) {
  if (name === null) return <div className="list-rows">{children}</div>;
  return <Wide name={name}>{children}</Wide>;
}

/** By which the list ranks currencies; null while it is read. */
function wholeOf({ data }: Read<GroupsOfList>, overview: Read<OverviewStats>): Whole | null {
  if (data === undefined || overview.data === undefined) return null;
  const { totals, previous } = overview.data;
  return { totals, previous, groups: data.groups };
}

/** Within a sentence; abbreviations stay. */
function lowered(name: string): string {
  return name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

function Tabs({
  tabs,
  chosen,
  onPick,
}: {
  tabs: readonly DimensionName[];
  chosen: DimensionName;
  onPick: (tab: DimensionName) => void;
}) {
  return (
    <h2 className="tabs gap-3">
      {tabs.map((tab) => (
        <button key={tab} type="button" aria-pressed={tab === chosen} onClick={() => onPick(tab)}>
          {tab === 'methods' ? 'Methods' : dimensionOf(tab).name}
        </button>
      ))}
    </h2>
  );
}

function Groups({
  name,
  columns,
  search,
  read,
  whole,
}: Pick<ListProps, 'search'> & {
  name: DimensionName;
  columns: readonly ColumnName[];
  read: Read<GroupsOfList>;
  whole: Whole | null;
}) {
  if (whole === null)
    return (
      <Pane read={read} rows={SHOWN}>
        {() => null}
      </Pane>
    );
  return (
    <Pane read={read} rows={SHOWN}>
      {({ groups }, isOld) => {
        const shown = rowsOf(groups, search, { dimension: dimensionOf(name), whole }).slice(0, SHOWN);
        if (shown.length === 0) return <NoGroups search={search} />;
        return (
          <GroupRows
            name={name}
            groups={shown}
            columns={columns}
            search={search}
            whole={whole}
            isOld={isOld}
          />
        );
      }}
    </Pane>
  );
}

export function NoGroups({ search }: { search: OverviewSearch }) {
  return (
    <Empty title={hasFilters(search) ? 'Nothing fits' : 'Nothing in these days'}>
      {hasFilters(search) && (
        <Link to="." search={{ ...search, ...NO_FILTERS }} className="btn">
          Remove the filters
        </Link>
      )}
    </Empty>
  );
}

/** Cells have one dimension each, so some lists cannot be narrowed down by some filters. */
export function NotCounted({ search }: { search: OverviewSearch }) {
  const name = singleFilterOf(search);
  if (name === undefined) return null;
  return (
    <Empty title={`Not counted for one ${name === 'method' ? 'method' : lowered(filterName(name))}`}>
      <p className="text-ink-2">
        This list is counted for the whole app, a link, a campaign or a platform. Lists of records take all
        filters.
      </p>
      <Link to="." search={{ ...search, [name]: undefined }} className="btn">
        Remove the filter
      </Link>
    </Empty>
  );
}
