import type { ReactNode } from 'react';

export interface RankedRow {
  readonly key: string;
  readonly name: string;
  readonly more?: string | null;
  /** Grey: none, not known, organic. */
  readonly isMuted: boolean;
  /** Length of the bar, from 0 to 1. */
  readonly share: number;
  readonly figures: readonly [string, string];
  /** What a click on the name does, in two words. */
  readonly action?: string;
}

/** What of a row leads somewhere. */
export type RankedPart = 'name' | 0 | 1;

/** Names with bars. `wrap` makes a part of a row the link to where it leads. */
export function RankedList({
  rows,
  columns,
  isOld = false,
  wrap,
}: {
  rows: readonly RankedRow[];
  columns: readonly [string, string];
  isOld?: boolean;
  wrap: (row: RankedRow, part: RankedPart, content: ReactNode, className: string) => ReactNode;
}) {
  return (
    <ul className="grid pt-1.5">
      {rows.map((row) => (
        <li key={row.key} className={`rank-row rank ${row.isMuted ? 'rank-muted' : ''}`}>
          {wrap(row, 'name', <Name row={row} isOld={isOld} />, 'rank-label')}
          {wrap(row, 0, <Figure text={row.figures[0]} column={columns[0]} />, 'rank-figure')}
          {wrap(row, 1, <Figure text={row.figures[1]} column={columns[1]} />, 'rank-figure text-ink-2')}
        </li>
      ))}
    </ul>
  );
}

function Name({ row, isOld }: { row: RankedRow; isOld: boolean }) {
  const tint = row.isMuted || isOld ? 'bg-line' : 'bg-bar';
  return (
    <>
      <span
        aria-hidden="true"
        className={`rank-bar absolute inset-y-0 left-0 w-(--share) min-w-0.5 rounded-s ${tint}`}
        style={{ '--share': `${Math.max(0, row.share) * 100}%` }}
      />
      <span className="relative max-w-full flex-none truncate">{row.name}</span>
      {row.more != null && (
        <span className="relative ml-2 min-w-0 truncate text-ink-2 max-phone:hidden">{row.more}</span>
      )}
      {row.action !== undefined && <span className="rank-action">{row.action}</span>}
    </>
  );
}

function Figure({ text, column }: { text: string; column: string }) {
  return (
    <>
      {text}
      <span className="sr-only"> {column.toLowerCase()}</span>
    </>
  );
}

/** Above the two columns of figures. */
export function RankedColumns({ names }: { names: readonly [string, string] }) {
  return (
    <span
      aria-hidden="true"
      className="meta grid grid-cols-[64px_60px] gap-2 text-right max-phone:grid-cols-[50px_50px] max-phone:gap-1"
    >
      <span>{names[0]}</span>
      <span>{names[1]}</span>
    </span>
  );
}
