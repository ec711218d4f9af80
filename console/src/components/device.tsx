/** A phone as people call it, with the maker's code beside it. */
export function Device({ name, model }: { name: string | null; model: string | null }) {
  if (name === null || name === model) return model !== null && <code>{model}</code>;
  return (
    <>
      {name} {model !== null && <code className="text-ink-3">{model}</code>}
    </>
  );
}
