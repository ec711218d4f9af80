import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { type Db, faultReason, type Store } from '../db/index.ts';
import { AppError, StartError } from '../errors.ts';
import { type Clock, HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import { syncPath } from '../lib/files.ts';
import type { Log } from '../lib/log.ts';
import { type Heartbeat, startLoop } from '../lib/loop.ts';
import type { Secrets } from '../lib/secrets.ts';
import { ClickApplier } from './apply-journal.ts';
import { type NewClick, toJournalRow } from './click.ts';
import { DamagedSegments } from './damaged-segments.ts';
import { Journal, JournalFull, type JournalLimits } from './journal/index.ts';
import { RefusedClicks } from './refused-clicks.ts';
import { WriteResults } from './write-results.ts';

/** A type, not an interface: an interface is not assignable to a check of `/readyz`. */
type ClickLogHealth = {
  readonly ok: boolean;
  /** Clicks that were not written, or destroyed, since the start. */
  readonly lost: number;
  readonly journalBytes: number;
  /** Files of damaged segments in `DATA_DIR`. */
  readonly damagedSegments: number;
  /** The cause and what to do, where `ok` is false. */
  readonly reason?: string;
};

/** Dependencies of the click log. */
interface ClickLogDeps {
  readonly store: Store;
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly metrics: Registry;
}

/** Records clicks: on disk before the redirect is sent, in the database moments later. */
export interface ClickLog {
  /** Resolves to whether the click is on disk; a click that cannot be written is counted as lost. Never rejects. */
  record(click: NewClick): Promise<boolean>;
  /**
   * Resolves when every click whose `record` has resolved is in the database, so that callers read their own writes.
   * @throws AppError `clicks.behind` after `MAX_WAIT_MS`.
   */
  applied(): Promise<void>;
  /**
   * Resolves when every click recorded so far is in the database and removed from the journal. Also removes erased
   * persons from `refused.tsv`, and all damaged segments.
   */
  flush(goOn: Heartbeat): Promise<void>;
  /** Age of the oldest click on disk that is not in the database; 0 without one. */
  lagMs(): number;
  /** After a write error it first probes the disk, since without taps nothing else would. */
  health(): Promise<ClickLogHealth>;
  /** Writes and applies pending clicks. Clicks that cannot be applied in time stay in the journal. */
  close(): Promise<void>;
}

export interface ClickLogLimits extends JournalLimits {
  /**
   * Interval at which the current segment is ended. A segment left by a crash is applied again from its start: clicks in it
   * that retention had deleted would be counted twice.
   */
  readonly endSegmentEveryMs: number;
}

export const JOURNAL_LIMITS: ClickLogLimits = {
  segmentBytes: 4 * 1024 * 1024,
  maxBytes: 1024 * 1024 * 1024,
  endSegmentEveryMs: HOUR_MS,
};
const MAX_WAIT_MS = 5 * SECOND_MS;

/**
 * Opens the journal in `DATA_DIR` and starts to apply it.
 * @throws StartError if the directory cannot be read or written.
 */
export async function openClickLog(
  deps: ClickLogDeps,
  limits: ClickLogLimits = JOURNAL_LIMITS,
): Promise<ClickLog> {
  const directory = await prepareDirectory(deps);
  const journal = await Journal.open(directory, limits);
  const refused = new RefusedClicks(directory);
  const damaged = new DamagedSegments(directory);
  const results = new WriteResults(deps);
  const applier = new ClickApplier(deps, { journal, refused, damaged, results });
  journal.onWritten = () => applier.wake();
  journal.throttle = () => applier.throttle();
  // Persons may have been erased while this process was stopped.
  await refused.scrub(deps);
  await damaged.tidy(deps);
  applier.start();
  const rotation = startLoop('journal rotation', limits.endSegmentEveryMs, deps.log, async () => {
    await journal.rotate();
    applier.wake();
    await damaged.tidy(deps);
  });

  addGauges(deps, journal, applier, damaged);

  return {
    record: (click) => results.add(click.visitor, journal.append(toJournalRow(click))),
    async applied() {
      if (!(await applier.reaches(journal.end, MAX_WAIT_MS))) throw new AppError('clicks.behind');
    },
    async flush(goOn) {
      await journal.rotate();
      while (!(await applier.reaches(journal.end, MAX_WAIT_MS))) {
        deps.log.info('Waiting for clicks to be applied');
        await goOn();
      }
      // Throws if an applied segment cannot be removed.
      await journal.dropBefore(applier.position);
      await refused.scrub(deps);
      await damaged.removeAll(deps);
    },
    lagMs: () => applier.lagMs,
    async health() {
      if (results.fault !== undefined) await results.retry(journal.probe());
      let reason =
        reasonFor('Clicks cannot be written to DATA_DIR.', results.fault) ??
        reasonFor('Clicks wait in DATA_DIR and cannot be stored in the database.', applier.fault);
      const paths = await damaged.list().catch((error: unknown) => {
        reason ??= reasonFor('DATA_DIR cannot be read.', error);
        return [];
      });
      const { lost } = results;
      const health = { lost, journalBytes: journal.bytesOnDisk, damagedSegments: paths.length };
      return reason === null ? { ok: true, ...health } : { ok: false, ...health, reason };
    },
    async close() {
      await rotation.stop();
      await journal.close();
      await applier.stop();
    },
  };
}

/** The click journal of the process that owns a data directory. */
export function journalDirectory(dataDir: string): string {
  return join(dataDir, 'journal');
}

async function prepareDirectory({ config }: { config: Config }): Promise<string> {
  const dataDir = resolve(config.dataDir);
  const directory = journalDirectory(dataDir);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    syncPath(dataDir);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new StartError(
      `The click journal in DATA_DIR ${dataDir} cannot be used: ${message}. Give the service read and write access to its files.`,
    );
  }
  return directory;
}

function reasonFor(symptom: string, fault: unknown): string | null {
  if (fault === undefined) return null;
  const cause = fault instanceof JournalFull ? fault.message : faultReason(fault);
  return `${symptom} ${cause ?? 'The log has the cause.'}`;
}

function addGauges(
  { metrics }: { metrics: Registry },
  journal: Journal,
  applier: ClickApplier,
  damaged: DamagedSegments,
): void {
  new Gauge({
    name: 'throughline_click_journal_bytes',
    help: 'Size of the click journal in bytes',
    registers: [metrics],
    collect() {
      this.set(journal.bytesOnDisk);
    },
  });

  new Gauge({
    name: 'throughline_clicks_behind_seconds',
    help: 'Age of the oldest click on disk that is not in the database yet',
    registers: [metrics],
    collect() {
      this.set(applier.lagMs / SECOND_MS);
    },
  });

  new Gauge({
    name: 'throughline_click_journal_damaged_segments',
    help: 'Damaged segments of the click journal that are kept in DATA_DIR',
    registers: [metrics],
    async collect() {
      const paths = await damaged.list().catch(() => null);
      if (paths !== null) this.set(paths.length);
    },
  });
}
