/** A position in the journal: everything before it is on disk, or was read. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/** Whether everything before `b` is before `a` too. */
export function isAtOrAfter(a: Position, b: Position): boolean {
  return a.segment > b.segment || (a.segment === b.segment && a.offset >= b.offset);
}
