/** A list of Overview as a page of its own: all rows, to search and to save. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head, Wide } from '../../components/page.tsx';
import { Pane, Refusal } from '../../components/pane.tsx';
import { formatCount } from '../../formats.ts';
import type { Search } from '../../search.ts';
import { columnOf } from '../../stats/columns.ts';
import { isAhead, periodOf } from '../../stats/period.ts';
import { NotYet, Unread } from '../../stats/period-notes.tsx';
import { PeriodPicker } from '../../stats/period-picker.tsx';
import { NotFound } from '../frame/no-page.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import { DIMENSION_NAMES, type DimensionName, dimensionOf, isCounted, rowName } from './dimensions.ts';
import { useExport } from './export-menu.tsx';
import { CopyView, useSet, ZonePicker } from './filter-bar.tsx';
import { FilterPicker, FilterTags } from './filters.tsx';
import { ListTable } from './list-table.tsx';
import { NoGroups, NotCounted } from './lists.tsx';
import { ComparedWith, Kept, noteOf, Younger } from './notes.tsx';
import type { OverviewSearch } from './overview-search.ts';
import { hasAnything, rowsOf, shownColumns, sortColumnOf } from './sort-groups.ts';
import { type ListStats, MAX_GROUPS, useList } from './use-stats.ts';

const route = getRouteApi('/$appId/lists/$list');

type ListSearch = OverviewSearch & Search<'q'>;

export function WholeList() {
  const { list } = route.useParams();
  const name = DIMENSION_NAMES.find((each) => each === list);
  return name === undefined ? <NotFound /> : <Page key={name} name={name} />;
}

function Page({ name }: { name: DimensionName }) {
  const { appId } = route.useParams();
  const search: ListSearch = route.useSearch();
  const dimension = dimensionOf(name);
  const period = periodOf(search);
  const { q: _, ...overview } = search;
  return (
    <>
      <Head
        title={dimension.name}
        above={
          <Link to="/$appId" params={{ appId }} search={overview} className="link">
            Overview
          </Link>
        }
      >
        <Bar name={name} search={search} />
      </Head>
      <Unread search={search} />
      {isAhead(period) ? <NotYet period={period} search={search} /> : <Numbers name={name} search={search} />}
    </>
  );
}

function Numbers({ name, search }: { name: DimensionName; search: ListSearch }) {
  const read = useList(search, name);
  const dimension = dimensionOf(name);
  return (
    <>
      {!isCounted(dimension, search) && <NotCounted search={search} />}
      <Pane read={read} rows={isCounted(dimension, search) ? 20 : 0}>
        {(stats) => (
          <>
            <ComparedWith stats={stats} />
            <Rows name={name} stats={stats} search={search} />
          </>
        )}
      </Pane>
      <div className="meta pt-4 empty:hidden">{noteOf(name)}</div>
      <Kept />
    </>
  );
}

function Bar({ name, search }: { name: DimensionName; search: ListSearch }) {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const set = useSet(search);
  const save = useExport(search);
  return (
    <>
      <Picker
        label="List"
        value={name}
        options={DIMENSION_NAMES.map((each) => [each, dimensionOf(each).name])}
        onPick={(list) =>
          void navigate({
            to: '/$appId/lists/$list',
            params: { appId, list },
            search: { ...search, q: undefined },
          })
        }
      />
      <PeriodPicker search={search} onPick={set} />
      <ColumnsMenu search={search} onPick={set} />
      <FilterPicker search={search} onPick={set} />
      <FilterTags search={search} onRemove={set} />
      <div className="flex flex-wrap items-center gap-1 phone:ml-auto">
        <ZonePicker search={search} onPick={set} />
        <CopyView search={search} />
        <button type="button" className="btn" onClick={() => save.run(name)}>
          Save as CSV
        </button>
      </div>
      <Refusal error={save.error} />
    </>
  );
}

function Rows({ name, stats, search }: { name: DimensionName; stats: ListStats; search: ListSearch }) {
  const navigate = useNavigate();
  const dimension = dimensionOf(name);
  const by = sortColumnOf(search, dimension);
  const column = columnOf(by);
  const all = rowsOf(stats.groups, search, { dimension, whole: stats });
  const q = search.q?.toLowerCase() ?? '';
  const found = all.filter(({ key, label }) => rowName(dimension, key, label).toLowerCase().includes(q));
  const isCut =
    stats.groups.length === MAX_GROUPS && hasAnything(stats.other, shownColumns(search, dimension));
  if (all.length === 0) return <NoGroups search={search} />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 pt-3">
        <input
          type="search"
          className="input max-w-72"
          aria-label={`Search ${dimension.name.toLowerCase()}`}
          placeholder="Search"
          defaultValue={search.q}
          onChange={({ target }) =>
            void navigate({
              to: '.',
              search: { ...search, q: target.value === '' ? undefined : target.value },
              replace: true,
              resetScroll: false,
            })
          }
        />
        <p className="meta" role="status">
          {q === '' ? 'Rows: ' : `Rows: ${formatCount(found.length)} of `}
          {formatCount(all.length)}
          {isCut &&
            `, those with most ${column.name.toLowerCase()}. The others are in one row, and no search finds them.`}
        </p>
      </div>
      {found.length === 0 ? (
        <Empty title={`Nothing has “${search.q}” in its name`} />
      ) : (
        <Wide name={`${dimension.name}, all rows`}>
          <ListTable name={name} groups={found} by={by} stats={stats} search={search} isWhole={q === ''} />
        </Wide>
      )}
      <Younger names={shownColumns(search, dimension)} />
    </>
  );
}
