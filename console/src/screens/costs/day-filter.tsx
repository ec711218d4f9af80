/** The days of the costs shown, each end in the address as soon as it is whole. */
export function DayFilter({
  from,
  to,
  onChange,
}: {
  from: string | undefined;
  to: string | undefined;
  onChange: (days: { from?: string; to?: string }) => void;
}) {
  const days = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const set = (name: 'from' | 'to', value: string) => {
    const { [name]: _, ...others } = days;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  return (
    <fieldset className="m-0 flex flex-wrap items-center gap-2 border-0 p-0">
      <legend className="sr-only">Days shown</legend>
      {(['from', 'to'] as const).map((name) => (
        <label key={name} className="flex items-center gap-1.5">
          {name === 'from' ? 'From' : 'To'}
          <input
            type="date"
            className="input w-auto"
            name={`shown-${name}`}
            value={days[name] ?? ''}
            onChange={({ target }) => set(name, target.value)}
          />
        </label>
      ))}
    </fieldset>
  );
}
