import { useState } from 'react';
import { FilterFrame, type FilterFrameProps } from '../../components/filter-frame.tsx';
import { Finder, type Found } from '../../components/finder.tsx';
import { formatCount } from '../../formats.ts';
import { addDays, todayIn } from '../../stats/period.ts';
import { type StatsQuery, useStats } from '../../stats/use-stats.ts';
import { choicesOf, FILTER_NAMES, NAMED, type Named, valueText } from './filter-names.ts';
import { isList, type Kind, mayBeNone, type RecordSearch, takes, valuesOf } from './record-search.ts';

interface PopupProps {
  readonly kind: Kind;
  readonly search: RecordSearch;
  readonly onChange: (change: RecordSearch) => void;
}

/** First the filters, then the values of one. */
export function FilterPopup({ frame, ...props }: PopupProps & { frame: FilterFrameProps }) {
  return (
    <FilterFrame {...frame}>
      <Steps {...props} onDone={() => frame.onOpen(false)} />
    </FilterFrame>
  );
}

function Steps({ onDone, ...props }: PopupProps & { onDone: () => void }) {
  const [filter, setFilter] = useState<Named | null>(null);
  if (filter === null) return <Filters kind={props.kind} onPick={setFilter} />;
  return (
    <Values
      {...props}
      filter={filter}
      onChange={(change) => {
        props.onChange(change);
        if (!isList(filter)) onDone();
      }}
    />
  );
}

function Filters({ kind, onPick }: { kind: Kind; onPick: (filter: Named) => void }) {
  const [text, setText] = useState('');
  const found = NAMED.filter((name) => takes(kind, name) && includes(FILTER_NAMES[name], text)).map(
    (name) => ({ key: name, name, text: FILTER_NAMES[name] }),
  );
  return (
    <Finder
      label="Filter by"
      placeholder="Filter by …"
      text={text}
      found={found}
      status={found.length === 0 ? 'No filter has this name.' : null}
      onText={setText}
      onPick={({ name }) => onPick(name)}
    />
  );
}

interface FoundValue extends Found {
  readonly value: string;
}

function Values({ kind, search, filter, onChange }: PopupProps & { filter: Named }) {
  const [text, setText] = useState('');
  const { values, isLoading } = useValues({ kind, search, filter });
  const chosen = valuesOf(search[filter]);
  const typed = text.trim();
  const isFree = choicesOf(filter, kind) === null;
  const known = values
    .filter(({ value }) => !(isList(filter) && chosen.includes(value)))
    .filter(({ value }) => includes(valueText(filter, value), typed));
  const isKnown = known.some(({ value }) => valueText(filter, value) === typed || value === typed);
  const found: FoundValue[] = [
    ...known.map(({ value, count }) => ({
      key: `is ${value}`,
      value,
      text: <Value text={valueText(filter, value)} isMono={filter === 'shortCode'} />,
      ...(count !== null && { more: formatCount(count) }),
    })),
    ...(isFree && typed !== '' && !isKnown
      ? [{ key: 'typed', value: codeOf(filter, typed), text: <Value text={`“${typed}”, exactly`} /> }]
      : []),
  ];
  return (
    <Finder
      label={FILTER_NAMES[filter]}
      placeholder={FILTER_NAMES[filter]}
      text={text}
      found={found}
      status={statusOf({
        isLoading,
        isEmpty: found.length === 0,
        hasCounts: values.some(({ count }) => count !== null),
      })}
      onText={setText}
      onPick={({ value }) => {
        setText('');
        onChange({ [filter]: isList(filter) ? [...chosen, value] : value });
      }}
    />
  );
}

function Value({ text, isMono = false }: { text: string; isMono?: boolean }) {
  return (
    <span dir="auto" className={`min-w-0 truncate ${isMono ? 'mono' : ''}`}>
      {text}
    </span>
  );
}

function statusOf({
  isLoading,
  isEmpty,
  hasCounts,
}: {
  isLoading: boolean;
  isEmpty: boolean;
  hasCounts: boolean;
}) {
  if (isLoading) return 'Reading …';
  if (isEmpty) return 'Type the value.';
  return hasCounts ? `The most frequent of the last ${DAYS} days` : null;
}

/** Links are written with a slash. */
function codeOf(filter: Named, typed: string): string {
  if (filter === 'shortCode') return typed.replace(/^\//, '');
  return filter === 'country' ? typed.toUpperCase() : typed;
}

function includes(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.trim().toLowerCase());
}

const DAYS = 90;
const MOST = 100;
const METRIC = { clicks: 'clicks', installs: 'installs', opens: 'opens', events: 'events' } as const;
/** Statistics know the frequent values of these. */
const DIMENSIONS = {
  shortCode: 'link',
  campaignId: 'campaign',
  country: 'country',
  eventName: 'eventName',
  referrer: 'referrer',
  utmSource: 'utmSource',
  utmMedium: 'utmMedium',
  utmCampaign: 'utmCampaign',
  platformVersion: 'platformVersion',
  appVersion: 'appVersion',
} as const satisfies Partial<Record<Named, string>>;

interface KnownValue {
  readonly value: string;
  readonly count: number | null;
}

function useValues({ kind, search, filter }: { kind: Kind; search: RecordSearch; filter: Named }): {
  values: readonly KnownValue[];
  isLoading: boolean;
} {
  const choices = choicesOf(filter, kind);
  const groupBy = filter in DIMENSIONS ? DIMENSIONS[filter as keyof typeof DIMENSIONS] : undefined;
  const metric = METRIC[kind];
  const today = todayIn('UTC');
  const query = {
    from: addDays(today, 1 - DAYS),
    to: today,
    limit: MOST,
    sort: metric,
    ...(groupBy !== undefined && { groupBy }),
    ...(search.sandbox === 'true' && { sandbox: 'true' }),
  } as StatsQuery;
  const { data, isLoading } = useStats(query, ['groups'], { enabled: groupBy !== undefined });
  if (choices !== null) return { values: choices.map((value) => ({ value, count: null })), isLoading: false };
  const groups = groupBy === undefined ? [] : (data?.groups ?? []).filter((group) => group[metric] > 0);
  const values = groups.map((group) => ({ value: group.key ?? '', count: group[metric] }));
  return { values: values.filter(({ value }) => value !== '' || mayBeNone(filter)), isLoading };
}
