import { useState } from 'react';
import { FilterFrame, type FilterFrameProps } from '../../components/filter-frame.tsx';
import { formatCount } from '../../formats.ts';
import { periodOf } from '../../stats/period.ts';
import { useStats } from '../../stats/use-stats.ts';
import { DIMENSIONS, type DimensionName } from './dimensions.ts';
import { filterName, textOf } from './filters.tsx';
import { FILTERS, type Filter, type Filters, type OverviewSearch, withFilter } from './overview-search.ts';

interface Suggestion {
  readonly key: Filter;
  readonly value: string;
  readonly text: string;
  readonly clicks: number | null;
}

const SUGGESTED: readonly DimensionName[] = [
  ...(['links', 'campaigns', 'sources', 'referrers', 'countries', 'networks'] as const),
];
const OFFERED: readonly Suggestion[] = [
  { key: 'platform', value: 'IOS', text: 'iOS', clicks: null },
  { key: 'platform', value: 'ANDROID', text: 'Android', clicks: null },
  { key: 'sandbox', value: 'true', text: 'sandbox', clicks: null },
];

function groupOf(name: DimensionName): string {
  return DIMENSIONS[name].groupBy;
}

/** A list to type in. */
export function FilterPopup({
  frame,
  search,
  onPick,
}: {
  frame: FilterFrameProps;
  search: OverviewSearch;
  onPick: (change: Filters) => void;
}) {
  return (
    <FilterFrame {...frame}>
      <Suggestions
        search={search}
        onPick={({ key, value }) => {
          onPick(withFilter(key, value) ?? {});
          frame.onOpen(false);
        }}
      />
    </FilterFrame>
  );
}

function Suggestions({
  search,
  onPick,
}: {
  search: OverviewSearch;
  onPick: (suggestion: Suggestion) => void;
}) {
  const [text, setText] = useState('');
  const sandbox = search.sandbox === 'true' ? { sandbox: 'true' as const } : {};
  const { data } = useStats(
    { ...periodOf(search), ...sandbox, groupBy: SUGGESTED.map(groupOf).join(','), limit: 100 },
    ['groupings'],
  );
  const all: Suggestion[] = [
    ...OFFERED,
    ...SUGGESTED.flatMap((name) => {
      const { groupBy, filter } = DIMENSIONS[name];
      const groups = data?.groupings.find((each) => each.groupBy === groupBy)?.groups ?? [];
      return groups.flatMap(({ key: value, clicks }) =>
        value === null || filter === null
          ? []
          : [{ key: filter, value, text: textOf(filter, value), clicks: clicks || null }],
      );
    }),
  ];
  const found = all.filter((each) => each.text.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <input
        className="input"
        aria-label="Filter by"
        placeholder="Link, campaign, source, country"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter' && found[0] !== undefined) onPick(found[0]);
        }}
      />
      <div className="max-h-[50vh] overflow-y-auto pt-1">
        {found.length === 0 && <p className="meta p-2">Nothing has “{text}” in its name.</p>}
        {FILTERS.map((key) => (
          <Group
            key={key}
            name={filterName(key)}
            found={found.filter((each) => each.key === key)}
            onPick={onPick}
          />
        ))}
      </div>
    </>
  );
}

function Group({
  name,
  found,
  onPick,
}: {
  name: string;
  found: readonly Suggestion[];
  onPick: (suggestion: Suggestion) => void;
}) {
  if (found.length === 0) return null;
  return (
    <section aria-label={name}>
      <p className="meta px-2 pt-1.5">{name}</p>
      {found.map((each) => (
        <button
          key={each.value}
          type="button"
          className="menu-item w-full text-left hover:bg-accent-soft"
          onClick={() => onPick(each)}
        >
          <span className="min-w-0 truncate">{each.text}</span>
          {each.clicks !== null && <span className="meta">{formatCount(each.clicks)}</span>}
        </button>
      ))}
    </section>
  );
}
