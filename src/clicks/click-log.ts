import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Gauge } from 'prom-client';
import { HOUR_MS, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { faultReason } from '../platform/db/index.ts';
import { AppError, StartError } from '../platform/errors.ts';
import { type GoOn, startLoop } from '../platform/loop.ts';
import { syncPath } from '../platform/sync-path.ts';
import type { ClickLogHealth } from '../platform/workers/index.ts';
import { adoptJournals, journalDirectory } from './adopt-journals.ts';
import { ClickApplier } from './apply-journal.ts';
import { type NewClick, toJournalRow } from './click.ts';
import { DamagedSegments } from './damaged-segments.ts';
import { Journal, JournalFull, type JournalLimits } from './journal/index.ts';
import { Outcomes } from './outcomes.ts';
import { RefusedClicks } from './refused-clicks.ts';

/** Where clicks are recorded: on disk before the redirect leaves, in the database moments later. */
export interface ClickLog {
  /**
   * Whether the click is on disk, once that is known: one that cannot be written is counted, and its visitor goes on all
   * the same. Never rejects.
   */
  record(click: NewClick): Promise<boolean>;
  /**
   * Resolves when every click recorded so far is in the database, so that nobody reads before their own write.
   * @throws AppError `clicks.behind` when that takes too long.
   */
  applied(): Promise<void>;
  /**
   * Resolves when every click recorded so far is in the database and none is in the journal's files any more; what was put
   * aside there is scrubbed of erased people, and damaged segments are removed.
   */
  flush(goOn: GoOn): Promise<void>;
  /** Where writing failed last, it is tried once more first: without traffic nobody else would. */
  health(): Promise<ClickLogHealth>;
  /** Writes and applies what is waiting. What the database does not take any more stays in the journal. */
  close(): Promise<void>;
}

/** How large the journal and its segments may become, and how old a segment. */
export interface ClickLogLimits extends JournalLimits {
  /**
   * So often the segment is ended, however short it is. What a crash leaves is applied again from its start: it must be
   * younger than what retention drops, or it would be counted twice.
   */
  readonly endSegmentEveryMs: number;
}

/** Segments of 4 MiB or an hour, 1 GiB of them in all. */
export const JOURNAL_LIMITS: ClickLogLimits = {
  segmentBytes: 4 * 1024 * 1024,
  maxBytes: 1024 * 1024 * 1024,
  endSegmentEveryMs: HOUR_MS,
};
const MAX_WAIT_MS = 5 * SECOND_MS;

/**
 * Opens the journal in `DATA_DIR` and begins to apply what was left there.
 * @throws StartError where the folder cannot be read or written.
 */
export async function openClickLog(ctx: Ctx, limits: ClickLogLimits = JOURNAL_LIMITS): Promise<ClickLog> {
  const directory = await prepareDirectory(ctx);
  const journal = await Journal.open(directory, limits);
  const refused = new RefusedClicks(directory);
  const damaged = new DamagedSegments(directory);
  const outcomes = new Outcomes(ctx);
  const onLost = (clicks: number) => outcomes.countLost(clicks);
  const applier = new ClickApplier(ctx, { journal, refused, damaged, onLost });
  journal.onWritten = () => applier.wake();
  journal.beforeNext = () => applier.brake();
  // Somebody may have been erased while this process was away.
  await refused.scrub(ctx);
  await damaged.tidy(ctx);
  applier.start();
  const ending = startLoop('end of a journal segment', limits.endSegmentEveryMs, ctx.log, async () => {
    await journal.rotate();
    applier.wake();
    await damaged.tidy(ctx);
  });

  gaugeJournal(ctx, { journal, applier, damaged });

  return {
    record: (click) => outcomes.of(click.visitor, journal.append(toJournalRow(click))),
    async applied() {
      if (!(await applier.reaches(journal.end, MAX_WAIT_MS))) throw new AppError('clicks.behind');
    },
    async flush(goOn) {
      await journal.rotate();
      while (!(await applier.reaches(journal.end, MAX_WAIT_MS))) {
        ctx.log.info('clicks are still being applied');
        await goOn();
      }
      // Whatever kept the files from being removed when they were applied is an error here.
      await journal.dropBefore(applier.position);
      await refused.scrub(ctx);
      await damaged.removeAll(ctx);
    },
    async health() {
      if (outcomes.fault !== undefined) await outcomes.tryAgain(journal.probe());
      const reasons = [
        whyNot('Clicks cannot be written to DATA_DIR.', outcomes.fault),
        whyNot('Clicks wait in DATA_DIR and cannot be stored in the database.', applier.fault),
      ];
      const damagedSegments = await damaged.list().then(
        ({ length }) => length,
        (error: unknown) => {
          reasons.push(whyNot('DATA_DIR cannot be read.', error));
          return 0;
        },
      );
      const reason = reasons.find((each) => each !== null);
      const { lost } = outcomes;
      const health = { lost, journalBytes: journal.bytesOnDisk, damagedSegments };
      return reason === undefined ? { ok: true, ...health } : { ok: false, ...health, reason };
    },
    async close() {
      await ending.stop();
      await journal.close();
      await applier.stop();
    },
  };
}

async function prepareDirectory({ config }: Ctx): Promise<string> {
  const dataDir = resolve(config.dataDir);
  const directory = journalDirectory(dataDir);
  try {
    await adoptJournals(dataDir, [dataDir]);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    syncPath(dataDir);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new StartError(
      `The click journal in DATA_DIR ${dataDir} cannot be used: ${message}. Let the service read and write what is there.`,
    );
  }
  return directory;
}

function whyNot(what: string, fault: unknown): string | null {
  if (fault === undefined) return null;
  const why = fault instanceof JournalFull ? fault.message : faultReason(fault);
  return `${what} ${why ?? 'The log has the cause.'}`;
}

interface Gauged {
  readonly journal: Journal;
  readonly applier: ClickApplier;
  readonly damaged: DamagedSegments;
}

function gaugeJournal(ctx: Ctx, { journal, applier, damaged }: Gauged): void {
  new Gauge({
    name: 'throughline_click_journal_bytes',
    help: 'Bytes in the click journal that is not dropped yet',
    registers: [ctx.metrics],
    collect() {
      this.set(journal.bytesOnDisk);
    },
  });

  new Gauge({
    name: 'throughline_clicks_behind_seconds',
    help: 'Age of the oldest click on disk that is not in the database yet',
    registers: [ctx.metrics],
    aggregator: 'max',
    collect() {
      this.set(applier.behindMs() / SECOND_MS);
    },
  });

  new Gauge({
    name: 'throughline_click_journal_damaged_segments',
    help: 'Damaged segments of the click journal that are kept in DATA_DIR',
    registers: [ctx.metrics],
    async collect() {
      const paths = await damaged.list().catch(() => null);
      if (paths !== null) this.set(paths.length);
    },
  });
}
