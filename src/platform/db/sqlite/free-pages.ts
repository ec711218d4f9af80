/**
 * Deleted rows leave free pages in SQLite's file, which later rows use. After a large deletion they are returned to the
 * file system, by incremental vacuum (https://www.sqlite.org/pragma.html#pragma_incremental_vacuum).
 */
import type { Log } from '../../log.ts';
import type { GoOn } from '../../loop.ts';
import { inTurn, withEmptyLog } from './turns.ts';
import type { SqliteWriter } from './writer.ts';

/** This share of the file, or 4 MB, stays free for later rows. */
const KEPT_FREE_SHARE = 0.1;
const MIN_FREE_PAGES = 1_024;
/** Twice as much may become free first: a file whose rows come and go neither shrinks nor grows every day. */
const BEGINS_AT = 2;
/** Takes some 10 ms, in which other writes wait. */
const PAGES_RETURNED_AT_ONCE = 128;
/** 512 MB are rewritten in 5 to 20 s. */
const MAX_REWRITTEN_PAGES = 2 ** 17;

/** How many pages the file has, and how many of them can be returned: none where it cannot shrink. */
export interface PageCounts {
  readonly all: number;
  readonly free: number;
}

/** Returns free pages to the file system in steps, until few are left. Other writes take turns with the steps. */
export async function returnFreePages(writer: SqliteWriter, goOn: GoOn): Promise<void> {
  let pages = await inTurn(writer, (turn) => turn.returnPages(0));
  if (pages.free <= BEGINS_AT * keptFree(pages)) return;
  while (pages.free > keptFree(pages)) {
    await goOn();
    const count = Math.min(pages.free - keptFree(pages), PAGES_RETURNED_AT_ONCE);
    pages = await inTurn(writer, (turn) => turn.returnPages(count));
  }
  // The file is cut when the log of writes goes into it.
  await withEmptyLog(writer, goOn, async () => true);
}

function keptFree({ all }: PageCounts): number {
  return Math.max(MIN_FREE_PAGES, Math.floor(all * KEPT_FREE_SHARE));
}

/**
 * Rewrites a new file, or one of an earlier version, once: only then can it shrink in steps. That needs as much room again
 * as its rows take, and nothing can be stored meanwhile: to be called before the service listens. A file with more rows is
 * left as it is, and its free space is used by later rows; a backup of it can shrink.
 */
export async function makeShrinkable(writer: SqliteWriter, log: Log): Promise<void> {
  try {
    const isLarge = await inTurn(writer, (turn) => turn.makeShrinkable(MAX_REWRITTEN_PAGES));
    if (isLarge)
      log.warn(
        'the SQLite file is of an earlier version and too large to be rewritten at the start: it does not shrink after deletions. Stop the service, back it up (npx throughline db backup) and start from the backup',
      );
  } catch (error) {
    log.warn(
      { err: error },
      'the SQLite file of an earlier version could not be rewritten: it does not shrink after deletions. Free as much disk space as it takes and start again',
    );
  }
}
