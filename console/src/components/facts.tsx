import type { ReactNode } from 'react';

/** What is known of a record, in a row that wraps. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="flex flex-wrap gap-x-8 gap-y-2 pt-4">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="meta">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}
