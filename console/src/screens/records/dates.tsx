import { useState } from 'react';
import { Picker } from '../../components/menu.tsx';
import { formatMoment, ZONE } from '../../formats.ts';
import { DatesDialog } from '../../stats/late-dates-dialog.ts';
import {
  addDays,
  formatPeriod,
  momentsOf,
  type Period,
  PRESETS,
  periodOf,
  todayIn,
} from '../../stats/period.ts';
import type { RecordSearch } from './record-search.ts';

/** When the records were stored: any time, one of the usual periods, or days. The address has moments. */
export function DatesPicker({
  search,
  onPick,
}: {
  search: RecordSearch;
  onPick: (change: RecordSearch) => void;
}) {
  const [isDating, setDating] = useState(false);
  const isAny = search.from === undefined && search.to === undefined;
  const preset = PRESETS.find(([days]) => isOf(search, periodOf({ days })))?.[0];
  const days = daysOf(search);
  return (
    <>
      <Picker
        label="Dates"
        value={isAny ? 'any' : (preset ?? 'chosen')}
        options={[
          ['any', 'Any time'],
          ...(isAny || preset !== undefined ? [] : [['chosen', textOf(search, days)] as const]),
          ...PRESETS,
          ['dates', 'Dates …'],
        ]}
        onPick={(picked) => {
          if (picked === 'dates') setDating(true);
          else if (picked === 'any') onPick({ from: undefined, to: undefined });
          else if (picked !== 'chosen') onPick(momentsOf(periodOf({ days: picked })));
        }}
      />
      <DatesDialog
        period={days ?? periodOf({})}
        today={todayIn(ZONE)}
        isOpen={isDating}
        onClose={() => setDating(false)}
        onPick={({ from, to }) => onPick(momentsOf({ from, to, timezone: ZONE }))}
      />
    </>
  );
}

function isOf(search: RecordSearch, period: Period): boolean {
  const { from, to } = momentsOf(period);
  return search.from === from && search.to === to;
}

/** The days of the viewer's zone whose moments these are; null for others. */
function daysOf({ from, to }: RecordSearch): Period | null {
  if (from === undefined || to === undefined) return null;
  const period = { from: dayOf(from), to: addDays(dayOf(to), -1), timezone: ZONE };
  return isOf({ from, to }, period) ? period : null;
}

function dayOf(at: string): string {
  // The Swedish form of a date is that of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE').format(new Date(at));
}

function textOf({ from, to }: RecordSearch, days: Period | null): string {
  if (days !== null) return formatPeriod(days);
  const [start, end] = [from, to].map((at) =>
    at === undefined ? null : formatMoment(at, { seconds: false }),
  );
  if (start == null) return `until ${end}`;
  return end == null ? `since ${start}` : `${start} to ${end}`;
}
