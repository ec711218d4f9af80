import { useNavigate } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-button.tsx';
import { Picker } from '../../components/menu.tsx';
import { ZONE } from '../../formats.ts';
import { periodOf } from '../../stats/period.ts';
import { PeriodPicker } from '../../stats/period-picker.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterPicker, FilterTags } from './filters.tsx';
import { intervalOf, mayCountHours, type OverviewSearch } from './overview-search.ts';

const INTERVALS = [
  ['day', 'By day'],
  ['week', 'By week'],
  ['month', 'By month'],
] as const;

/** What narrows Overview down, and what takes it elsewhere. */
export function FilterBar({ search }: { search: OverviewSearch }) {
  const set = useSet(search);
  return (
    <>
      <PeriodPicker search={search} onPick={(change) => set({ ...change, by: undefined })} />
      <Picker
        label="Interval"
        value={intervalOf(search)}
        options={[...(mayCountHours(search) ? [['hour', 'By hour'] as const] : []), ...INTERVALS]}
        onPick={(by) => set({ by })}
      />
      <ColumnsMenu search={search} onPick={set} />
      <FilterPicker search={search} onPick={set} />
      <FilterTags search={search} onRemove={set} />
      <div className="flex flex-wrap items-center gap-1 phone:ml-auto">
        <ZonePicker search={search} onPick={set} />
        <CopyView search={search} />
        <ExportMenu search={search} />
      </div>
    </>
  );
}

/** Changes the address of this page. */
export function useSet(search: OverviewSearch): (change: OverviewSearch) => void {
  const navigate = useNavigate();
  return (change) => void navigate({ to: '.', search: { ...search, ...change } });
}

/** The address with the time zone, so that whoever opens it sees the same numbers. */
export function CopyView({ search }: { search: OverviewSearch }) {
  return (
    <CopyButton
      className="btn btn-quiet"
      text={() => {
        const address = new URL(window.location.href);
        address.searchParams.set('tz', periodOf(search).timezone);
        return address.href;
      }}
    >
      Copy view
    </CopyButton>
  );
}

export function ZonePicker({
  search,
  onPick,
}: {
  search: OverviewSearch;
  onPick: (change: OverviewSearch) => void;
}) {
  const { timezone } = periodOf(search);
  return (
    <select
      aria-label="Time zone"
      className="meta h-(--control) max-w-40 rounded-m max-phone:max-w-28 bg-surface hover:bg-hover"
      value={timezone}
      onChange={({ target }) => onPick({ tz: target.value })}
    >
      {[...new Set([ZONE, 'UTC', timezone, ...Intl.supportedValuesOf('timeZone')])].map((zone) => (
        <option key={zone}>{zone}</option>
      ))}
    </select>
  );
}
