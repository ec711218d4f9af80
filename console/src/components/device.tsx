/** A phone as people call it, with the maker's code beside it. */
export function Device({ name, model }: { name: string | null; model: string | null }) {
  const code = model !== null && model !== name && (
    <code className={name === null ? '' : 'text-ink-3'}>{model}</code>
  );
  return (
    <>
      {name} {code}
    </>
  );
}
