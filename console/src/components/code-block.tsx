/** Text as it was sent or is to be copied; scrolls sideways by itself. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it sideways
      tabIndex={0}
      className="overflow-x-auto rounded-m bg-sunken px-3.5 py-3"
    >
      <pre className="leading-5">{text}</pre>
    </section>
  );
}

/** JSON, as people read it; other text as it is. */
export function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
