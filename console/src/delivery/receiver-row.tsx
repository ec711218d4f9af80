import type { ReactNode } from 'react';
import { type Fares, HealthLine } from './health-line.tsx';

/** A webhook or a destination in the list of them. */
export function ReceiverRow({
  of,
  heading,
  kind,
  takes,
  children,
}: {
  of: Fares;
  heading: ReactNode;
  kind: string | null;
  takes: string;
  /** Actions. */
  children: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 border-b border-line py-2.5 max-wide:grid-cols-1">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          {heading}
          {kind !== null && <span className="tag">{kind}</span>}
          {!of.enabled && <span className="tag">off</span>}
        </p>
        <p className="text-ink-2 [overflow-wrap:anywhere]">{takes}</p>
        <HealthLine of={of} />
      </div>
      {children}
    </li>
  );
}
