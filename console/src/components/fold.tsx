import type { ReactNode } from 'react';

/** A part of a form that few need, folded away. */
export function Fold({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  return (
    <details open={isOpen} className="border-t border-line pt-2">
      <summary className="min-h-(--row) py-1.5 font-semibold">{title}</summary>
      <div className="grid gap-4 pt-2 pb-2">{children}</div>
    </details>
  );
}
