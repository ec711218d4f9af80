interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The first and the last day of what is shown, each in the address as soon as it is whole. */
export function DayFilter({ from, to, onChange }: Days & { onChange: (days: Days) => void }) {
  const days = { from, to };
  return (
    <fieldset className="m-0 flex flex-wrap items-center gap-2 border-0 p-0">
      <legend className="sr-only">Days shown</legend>
      {(['from', 'to'] as const).map((name) => (
        <label key={name} className="flex items-center gap-1.5 text-ink-2">
          {name === 'from' ? 'From' : 'To'}
          <input
            type="date"
            className="input w-36"
            value={days[name] ?? ''}
            min={name === 'to' ? from : undefined}
            max={name === 'from' ? to : undefined}
            onChange={({ target }) =>
              onChange({ ...days, [name]: target.value === '' ? undefined : target.value })
            }
          />
        </label>
      ))}
    </fieldset>
  );
}
