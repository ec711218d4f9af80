import { readStats } from '@generated/sdk.gen.ts';
import { useNavigate } from '@tanstack/react-router';
import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { download } from '../../components/download.ts';
import { Picker } from '../../components/menu.tsx';
import { ZONE } from '../../formats.ts';
import { DatesDialog } from '../../stats/late-dates-dialog.ts';
import { formatPeriod, lengthOf, periodOf } from '../../stats/period.ts';
import { FilterPicker, FilterTags } from './filters.tsx';
import { intervalOf, type OverviewSearch, queryOf } from './use-stats.ts';

const MAX_DAYS_BY_HOUR = 14;

const RANGES = [
  ['1', 'Today'],
  ['7', 'Last 7 days'],
  ['28', 'Last 28 days'],
  ['91', 'Last 13 weeks'],
  ['364', 'Last 52 weeks'],
  ['dates', 'Dates …'],
] as const;

export function FilterBar({ search }: { search: OverviewSearch }) {
  const navigate = useNavigate({ from: '/$appId/' });
  const [isDating, setDating] = useState(false);
  const set = (change: OverviewSearch) => void navigate({ search: { ...search, ...change } });
  const period = periodOf(search);
  const hasDates = search.from !== undefined;
  const canCountHours = lengthOf(period) <= MAX_DAYS_BY_HOUR;
  return (
    <>
      <Picker
        label="Period"
        value={hasDates ? 'chosen' : (search.days ?? '28')}
        options={hasDates ? [['chosen', formatPeriod(period)], ...RANGES] : RANGES}
        onPick={(days) => {
          if (days === 'dates') setDating(true);
          else if (days !== 'chosen') set({ days, from: undefined, to: undefined, by: undefined });
        }}
      />
      <Picker
        label="Interval"
        className="btn max-phone:hidden"
        value={intervalOf(search)}
        options={[
          ...(canCountHours ? [['hour', 'By hour'] as const] : []),
          ...([
            ['day', 'By day'],
            ['week', 'By week'],
            ['month', 'By month'],
          ] as const),
        ]}
        onPick={(by) => set({ by })}
      />
      <FilterPicker search={search} onPick={set} />
      <FilterTags search={search} onRemove={set} />
      <div className="ml-auto flex items-center gap-1 max-phone:hidden">
        <ZonePicker value={period.timezone} onPick={(tz) => set({ tz })} />
        <CopyButton className="btn btn-quiet" text={() => window.location.href}>
          Copy view
        </CopyButton>
        <Export search={search} />
      </div>
      <DatesDialog
        period={period}
        isOpen={isDating}
        onClose={() => setDating(false)}
        onPick={({ from, to }) => set({ from, to, days: undefined, by: undefined })}
      />
    </>
  );
}

function ZonePicker({ value, onPick }: { value: string; onPick: (zone: string) => void }) {
  return (
    <select
      aria-label="Time zone"
      className="meta h-8 max-w-40 rounded-m bg-surface hover:bg-hover"
      value={value}
      onChange={({ target }) => onPick(target.value)}
    >
      {[...new Set([ZONE, 'UTC', value, ...Intl.supportedValuesOf('timeZone')])].map((zone) => (
        <option key={zone}>{zone}</option>
      ))}
    </select>
  );
}

/** The series as a table, as the service writes it. */
function Export({ search }: { search: OverviewSearch }) {
  const { client } = use(AppContext);
  const save = async () => {
    const query = queryOf(search);
    const { data } = await readStats({
      client,
      query,
      headers: { Accept: 'text/csv' },
      parseAs: 'blob',
      throwOnError: true,
    });
    download(data, `statistics ${query.from} ${query.to}.csv`);
  };
  return (
    <button type="button" className="btn btn-quiet" onClick={() => void save()}>
      Export
    </button>
  );
}
