import { helpOf, type ImportSource, SOURCES, sourceOf } from './sources.ts';

/** The service that the file comes from. */
export function SourceField({
  value,
  onPick,
}: {
  value: ImportSource | null;
  onPick: (source: ImportSource) => void;
}) {
  const chosen = value === null ? null : sourceOf(value);
  return (
    <fieldset className="grid gap-1">
      <legend className="pb-1 font-semibold">From</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(180px,1fr))] gap-x-4">
        {SOURCES.map(({ id, name }) => (
          <label key={id} className="flex min-h-(--row) items-center gap-2">
            <input
              type="radio"
              name="source"
              value={id}
              className="check flex-none"
              checked={value === id}
              onChange={() => onPick(id)}
            />
            {name}
          </label>
        ))}
      </div>
      <p className="text-ink-2" aria-live="polite">
        {chosen === null ? (
          'Choose the service that made the links until now.'
        ) : (
          <>
            {chosen.text}{' '}
            <a href={helpOf(chosen)} className="link" target="_blank" rel="noreferrer">
              How to get the file
            </a>
          </>
        )}
      </p>
    </fieldset>
  );
}
