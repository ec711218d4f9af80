import type { ReactNode } from 'react';

const LINES = {
  accent: 'border-t-2 border-accent',
  ink: 'border-t-2 border-ink',
  dashed: 'border-t-2 border-dashed border-mute',
} as const;

/** What a line of a chart shows. */
export function ChartKey({ line, children }: { line: keyof typeof LINES; children: ReactNode }) {
  return (
    <span>
      <span aria-hidden="true" className={`mr-1.5 inline-block w-4 align-[3px] ${LINES[line]}`} />
      {children}
    </span>
  );
}
