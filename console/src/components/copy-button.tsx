import { type ReactNode, useState } from 'react';

const SAY_COPIED_FOR_MS = 1_500;

/** @param text or a function that makes it. */
export function CopyButton({
  text,
  className = 'btn',
  title,
  children = 'Copy',
}: {
  text: string | (() => string);
  className?: string;
  title?: string;
  children?: ReactNode;
}) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setCopied(true);
    setTimeout(() => setCopied(false), SAY_COPIED_FOR_MS);
  };
  return (
    <button type="button" className={className} title={title} data-copy="" onClick={() => void copy()}>
      <span aria-live="polite" className="inline-flex items-center gap-1.5">
        {isCopied ? 'Copied' : children}
      </span>
    </button>
  );
}
