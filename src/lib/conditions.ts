import { MINUTE_MS, monotonicMs, SECOND_MS } from './clock.ts';

/** Writes a line of the log with these fields added to its own. */
type WriteLine = (added: object, text: string) => void;

/** A line that may repeat. */
export interface Line {
  readonly text: string;
  readonly write: WriteLine;
}

interface Condition {
  readonly beganAtMs: number;
  /** How often it began soon after its end. */
  readonly again: number;
  line: Line;
  count: number;
  countTold: number;
  lastAtMs: number;
  toldAtMs: number;
  end: { readonly line: Line; readonly atMs: number } | null;
  isOver: boolean;
}

const CHECK_EVERY_MS = SECOND_MS;
const COUNT_EVERY_MS = MINUTE_MS;
/** A database that serves some statements and fails others is not back yet. */
const QUIET_MS = 3 * SECOND_MS;
/** So often in a row, a condition that begins again soon after its end has the short quiet time. */
const SHORT_QUIET_TIMES = 3;
/** A condition that is not noted for this long is over without `end`. */
const FORGOTTEN_AFTER_MS = MINUTE_MS;
/** Beyond them, `note` counts by its coarse key. */
const MAX_CONDITIONS = 200;

/** Bounds lines that repeat: one when a condition begins, a count each minute, one when it is over. */
export class Conditions {
  readonly #elapsedMs: () => number;
  readonly #known = new Map<string, Condition>();
  #checks: NodeJS.Timeout | undefined;

  constructor(elapsedMs = monotonicMs) {
    this.#elapsedMs = elapsedMs;
  }

  /** @param coarseKey names few conditions; it counts in place of `key` while there are too many. */
  note(key: string, coarseKey: string, line: Line): void {
    const name = this.#known.has(key) || this.#known.size < MAX_CONDITIONS ? key : coarseKey;
    const known = this.#known.get(name);
    if (known === undefined || known.isOver)
      this.#begin(name, line, known === undefined ? 0 : known.again + 1);
    else {
      known.line = line;
      known.count += 1;
      known.lastAtMs = this.#elapsedMs();
      // Here and not in `check`, so that it is never told of something that is not there any more.
      if (known.lastAtMs - known.toldAtMs >= COUNT_EVERY_MS) tellCount(known);
    }
  }

  /** Tells that a condition is over; without effect if it is not on. */
  end(key: string, line: Line): void {
    const known = this.#known.get(key);
    if (known !== undefined && !known.isOver) known.end = { line, atMs: this.#elapsedMs() };
  }

  /** Of those that are on, by name; those whose key is no name are `other`. */
  open(isNamed: (key: string) => boolean): ReadonlyMap<string, number> {
    const open = new Map<string, number>();
    for (const [key, { isOver }] of this.#known) {
      const name = isNamed(key) ? key : 'other';
      if (!isOver) open.set(name, (open.get(name) ?? 0) + 1);
    }
    return open;
  }

  /** Called every second while there are conditions. */
  check(): void {
    const nowMs = this.#elapsedMs();
    for (const [key, condition] of this.#known) {
      if (condition.isOver) {
        if (nowMs - condition.toldAtMs >= FORGOTTEN_AFTER_MS) this.#known.delete(key);
      } else if (isOver(condition, nowMs)) this.#tellEnd(key, condition, nowMs);
    }
    if (this.#known.size > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
  }

  #begin(key: string, line: Line, again: number): void {
    const nowMs = this.#elapsedMs();
    this.#known.set(key, {
      beganAtMs: nowMs,
      again,
      line,
      count: 1,
      countTold: 1,
      lastAtMs: nowMs,
      toldAtMs: nowMs,
      end: null,
      isOver: false,
    });
    this.#checks ??= setInterval(() => this.check(), CHECK_EVERY_MS).unref();
    line.write({}, line.text);
  }

  #tellEnd(key: string, condition: Condition, nowMs: number): void {
    const { line, end, count, beganAtMs, lastAtMs } = condition;
    // A line that did not repeat has an end only if `end` told it.
    if (end === null && count === 1) {
      this.#known.delete(key);
      return;
    }
    condition.isOver = true;
    condition.toldAtMs = nowMs;
    const summary = { count, seconds: seconds(lastAtMs - beganAtMs) };
    if (end === null) line.write(summary, `Over, not seen for a minute: ${line.text}`);
    else end.line.write(summary, end.line.text);
  }
}

function isOver({ lastAtMs, again, end }: Condition, nowMs: number): boolean {
  const quietForMs = nowMs - lastAtMs;
  const quietMs = again < SHORT_QUIET_TIMES ? QUIET_MS : FORGOTTEN_AFTER_MS;
  if (quietForMs >= FORGOTTEN_AFTER_MS) return true;
  return end !== null && end.atMs >= lastAtMs && quietForMs >= quietMs;
}

function tellCount(condition: Condition): void {
  const { line, count, countTold, beganAtMs, lastAtMs } = condition;
  condition.countTold = count;
  condition.toldAtMs = lastAtMs;
  const summary = { count: count - countTold, since: seconds(lastAtMs - beganAtMs) };
  line.write(summary, `Still: ${line.text}`);
}

function seconds(ms: number): number {
  return Math.round(ms / SECOND_MS);
}
