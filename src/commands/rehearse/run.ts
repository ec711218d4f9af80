import { StartError } from '../../errors.ts';
import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';
import type { Progress } from '../output.ts';
import { type CheckDeps, checkLink, type Row } from './check-link.ts';
import type { KeptRows, Task } from './kept-rows.ts';
import { describeProgress } from './progress.ts';
import type { Report } from './report.ts';
import type { Tally } from './tally.ts';
import { visitorOf } from './visitors.ts';

/** Links in progress: the pace bounds requests, and this the wait for slow ones. */
const LINKS_AT_ONCE = 8;
/** Answers after which an old service that has given none is given up. */
const ENOUGH_ANSWERS = 20;

export interface Run {
  readonly deps: CheckDeps;
  readonly tasks: readonly Task[];
  readonly kept: KeptRows;
  readonly language: string;
  /** Number of links, with those of earlier runs. */
  readonly total: number;
  readonly tally: Tally;
  readonly report: Report;
  readonly progress: Progress;
}

/** Compares the links in the order of the file. Rejects when the run is stopped; what is compared by then is written. */
export async function runRehearsal(run: Run): Promise<void> {
  const { deps, tasks, kept, total, tally, report, progress } = run;
  const startedMs = monotonicMs();
  const before = total - tasks.length;
  let done = before;
  for await (const rows of inOrder(tasks, LINKS_AT_ONCE, (task) => checkTask(run, task))) {
    await report.write(rows);
    const [{ line, oldAddress }] = rows;
    tally.add([...kept.of(line, oldAddress), ...rows]);
    done += 1;
    const seconds = (monotonicMs() - startedMs) / SECOND_MS;
    progress.report(describeProgress({ done, total, before, unequal: tally.unequalLinks, seconds }));
    if (!deps.againstFile) refuseSilence(tally, rows);
  }
}

async function checkTask(
  { deps, language }: Run,
  { link, visitors }: Task,
): Promise<readonly [Row, ...Row[]]> {
  const rows = await Promise.all(
    visitors.map(async (name) => await checkLink(deps, link, visitorOf(name, language))),
  );
  return rows as [Row, ...Row[]];
}

/** @throws StartError if the old service has never answered. */
function refuseSilence({ counts, answers }: Tally, [{ oldAddress, note }]: readonly [Row, ...Row[]]): void {
  if (answers < ENOUGH_ANSWERS || counts['old unreachable'] < answers) return;
  throw new StartError(
    `The old service has not answered once, last at ${oldAddress}: ${note} Name where it can be asked with --old-base, or compare with the file: --against-file.`,
  );
}

/** At most `size` items at a time; the results in the order of the items. */
async function* inOrder<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  for (const item of items) {
    const result = work(item);
    // Reported when it is its turn, or never after an earlier one failed.
    result.catch(() => undefined);
    running.push(result);
    const first = running.length === size ? running.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const result of running) yield await result;
}
