import type { ReactNode } from 'react';

/** What a webhook or destination is, a line for each fact. */
export function About({ className = '', children }: { className?: string; children: ReactNode }) {
  return (
    <dl className={`grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 py-3 ${className}`}>{children}</dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
