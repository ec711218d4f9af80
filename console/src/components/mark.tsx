import type { ReactNode } from 'react';

export type RecordKind = 'click' | 'install' | 'open' | 'event';

const SHAPES: Readonly<Record<RecordKind, ReactNode>> = {
  click: <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="1.75" />,
  install: <circle cx="6" cy="6" r="5" fill="currentColor" />,
  open: (
    <>
      <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <circle cx="6" cy="6" r="2" fill="currentColor" />
    </>
  ),
  event: <path d="M6 .8 11.2 6 6 11.2.8 6z" fill="currentColor" />,
};

/** The sign of a kind of record: the shape says which, so that colour stays free. */
export function Mark({ kind, className = '' }: { kind: RecordKind; className?: string }) {
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true" className={`inline-block size-3 flex-none ${className}`}>
      {SHAPES[kind]}
    </svg>
  );
}

export function Logo({ className = 'w-[34px]' }: { className?: string }) {
  return (
    <svg viewBox="0 0 34 12" aria-hidden="true" className={`h-3 flex-none ${className}`}>
      <path d="M10 6h14" stroke="currentColor" strokeWidth="1.75" />
      <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="1.75" />
      <circle cx="28" cy="6" r="5" className="fill-accent" />
    </svg>
  );
}
