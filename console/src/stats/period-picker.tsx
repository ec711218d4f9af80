import { useState } from 'react';
import { Picker } from '../components/menu.tsx';
import { DatesDialog } from './late-dates-dialog.ts';
import { chosenPreset, formatPeriod, type PeriodSearch, PRESETS, periodOf, todayIn } from './period.ts';

const DATES = ['dates', 'Dates …'] as const;

/** The days of a page: one of the usual periods, or two dates. */
export function PeriodPicker({
  search,
  onPick,
}: {
  search: PeriodSearch;
  onPick: (change: PeriodSearch) => void;
}) {
  const [isDating, setDating] = useState(false);
  const period = periodOf(search);
  const preset = chosenPreset(search);
  const isUsual = PRESETS.some(([each]) => each === preset);
  const options: readonly (readonly [string, string])[] = [...PRESETS, DATES];
  return (
    <>
      <Picker
        label="Period"
        value={isUsual && preset !== null ? preset : 'chosen'}
        options={isUsual ? options : [['chosen', formatPeriod(period)], ...options]}
        onPick={(days) => {
          if (days === 'dates') setDating(true);
          else if (days !== 'chosen') onPick({ days, from: undefined, to: undefined });
        }}
      />
      <DatesDialog
        period={period}
        today={todayIn(period.timezone)}
        isOpen={isDating}
        onClose={() => setDating(false)}
        onPick={({ from, to }) => onPick({ from, to, days: undefined })}
      />
    </>
  );
}
