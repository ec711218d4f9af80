import { DAY_MS, dayOf, isoTime } from '../../lib/clock.ts';
import type { WarehouseState } from './warehouse-state.ts';

export interface DaysQuestion {
  /** Of the records that are stored. */
  readonly oldest: string;
  /** Null before the first export into the folder. */
  readonly state: WarehouseState | null;
  readonly fromDay: string | null;
  readonly rewriteDays: number;
  readonly nowMs: number;
  /** Days with a record that was erased since. */
  readonly erased: ReadonlySet<string>;
  readonly hasFile: (day: string) => boolean;
}

/** Which days of a kind are written, in order. */
export function daysToWrite({ oldest, state, fromDay, erased, hasFile, ...rest }: DaysQuestion): string[] {
  const { nowMs, rewriteDays } = rest;
  const open = completeBefore(nowMs, rewriteDays);
  const goOn = earlier(state?.completeBefore ?? open, open);
  // A later `fromDay` would leave out for good what came since the last export.
  const first = state === null ? (fromDay ?? oldest) : earlier(fromDay ?? goOn, goOn);
  const days = new Set([...daysBetween(first, dayOf(isoTime(nowMs))), ...erased]);
  // Of the oldest day retention may have dropped a part, unless the day may still change: its file has more than is stored.
  const isWhole = (day: string) =>
    day > oldest || (day === oldest && (day >= goOn || erased.has(day) || !hasFile(day)));
  return [...days].filter(isWhole).sort();
}

/** Earlier days do not change any more. */
export function completeBefore(nowMs: number, rewriteDays: number): string {
  return dayOf(isoTime(nowMs - (rewriteDays - 1) * DAY_MS));
}

/** Null for a state from a clock that was ahead: it says nothing of what the folder has. */
export function credible(state: WarehouseState | null, nowMs: number): WarehouseState | null {
  return state !== null && Date.parse(state.exportedAt) > nowMs + DAY_MS ? null : state;
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(first); ms <= Date.parse(last); ms += DAY_MS) days.push(dayOf(isoTime(ms)));
  return days;
}
