import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Gauge } from 'prom-client';
import { faultReason } from '../db/index.ts';
import { StartError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { steps } from '../lib/channels.ts';
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import { JOURNAL_FOLDER } from '../lib/data-dir/index.ts';
import { syncPath } from '../lib/files.ts';
import { type Heartbeat, startLoop } from '../lib/loop.ts';
import { type NewClick, toJournalRow } from './click.ts';
import { DamagedSegments } from './damaged-segments.ts';
import { JournalFull, type JournalLimits } from './journal/index.ts';
import { Journals } from './journals.ts';
import { RefusedClicks } from './refused-clicks.ts';
import { createStoreClicks } from './store-clicks.ts';
import { WriteResults } from './write-results.ts';

/** A type, not an interface: an interface is not assignable to a check of `/readyz`. */
type ClickLogHealth = {
  readonly ok: boolean;
  /** Clicks that were not written, or destroyed, since the start. */
  readonly lost: number;
  readonly journalBytes: number;
  /** Apps whose clicks cannot be stored now, while those of others can: this process is ready for these. */
  readonly failingApps: number;
  /** Files of damaged segments in `DATA_DIR`. */
  readonly damagedSegments: number;
  /** The cause and what to do, where `ok` is false. */
  readonly reason?: string;
};

/** Dependencies of the click log. */
type ClickLogDeps = Pick<Foundation, 'store' | 'db' | 'clock' | 'config' | 'secrets' | 'log' | 'metrics'>;

/** Records clicks: on disk before the redirect is sent, in the database moments later. */
export interface ClickLog {
  /** Resolves to whether the click is on disk; a click that cannot be written is counted as lost. Never rejects. */
  record(click: NewClick): Promise<boolean>;
  /**
   * Resolves when every click of an app, or of all apps, whose `record` has resolved is in the database, so that callers
   * read their own writes.
   * @throws AppError `clicks.behind` after `MAX_WAIT_MS`.
   */
  applied(appId?: string): Promise<void>;
  /**
   * Resolves when every click recorded so far is in the database and removed from the journal, except those of apps whose
   * clicks cannot be stored now. Also removes erased persons from `refused.tsv`, and all damaged segments.
   * @returns these apps.
   */
  flush(goOn: Heartbeat): Promise<readonly string[]>;
  /** Age of the oldest click on disk that is not in the database; 0 without one. */
  lagMs(): number;
  /** Apps whose clicks cannot be stored now, while those of others can. */
  failingApps(): readonly string[];
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
/** Limits how long `close` waits for the database. */
const STOP_WITHIN_MS = 10 * SECOND_MS;

/**
 * Opens the journal in `DATA_DIR` and starts to apply it.
 * @throws StartError if the directory cannot be read or written.
 */
export async function openClickLog(
  deps: ClickLogDeps,
  limits: ClickLogLimits = JOURNAL_LIMITS,
): Promise<ClickLog> {
  const directory = await prepareDirectory(deps);
  const results = new WriteResults(deps);
  const refused = new RefusedClicks(directory);
  const damaged = new DamagedSegments(directory);
  // Persons may have been erased while this process was stopped.
  await refused.scrub(deps);
  await damaged.tidy(deps);
  const store = createStoreClicks(deps, refused);
  const journals = await Journals.open({ ...deps, damaged, results }, { directory, limits, store });
  const rotation = startLoop('journal rotation', limits.endSegmentEveryMs, deps.log, async () => {
    await journals.rotate();
    await damaged.tidy(deps);
  });

  addGauges(deps, journals, damaged);

  return {
    record: (click) =>
      steps.tracePromise(
        () => results.add(click.visitor, journals.append(toJournalRow(click), click.app_id)),
        { name: 'click append', attributes: {} },
      ),
    applied: (appId) => journals.applied(appId ?? null, MAX_WAIT_MS),
    async flush(goOn) {
      const behind = await journals.flush(goOn);
      await refused.scrub(deps);
      await damaged.removeAll(deps);
      return behind;
    },
    lagMs: () => journals.lagMs,
    failingApps: () => journals.lanes.failing,
    async health() {
      if (results.fault !== undefined) await results.retry(journals.main.probe());
      let reason =
        reasonFor('Clicks cannot be written to DATA_DIR.', results.fault) ??
        reasonFor('Clicks wait in DATA_DIR and cannot be stored in the database.', journals.fault);
      const paths = await damaged.list().catch((error: unknown) => {
        reason ??= reasonFor('DATA_DIR cannot be read.', error);
        return [];
      });
      const health = {
        ...{ lost: results.lost, journalBytes: journals.bytesOnDisk, damagedSegments: paths.length },
        failingApps: journals.lanes.failing.length,
      };
      return reason === null ? { ok: true, ...health } : { ok: false, ...health, reason };
    },
    async close() {
      await rotation.stop();
      await journals.close(STOP_WITHIN_MS);
    },
  };
}

/** The click journal of the process that owns a data directory. */
export function journalDirectory(dataDir: string): string {
  return join(dataDir, JOURNAL_FOLDER);
}

async function prepareDirectory({ config }: Pick<Foundation, 'config'>): Promise<string> {
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
  { metrics }: Pick<Foundation, 'metrics'>,
  journals: Journals,
  damaged: DamagedSegments,
): void {
  const addGauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers: [metrics] },
      collect() {
        this.set(read());
      },
    });
  addGauge(
    'throughline_click_journal_bytes',
    'Size of the click journal in bytes',
    () => journals.bytesOnDisk,
  );
  addGauge(
    'throughline_clicks_behind_seconds',
    'Age of the oldest click on disk that is not in the database yet',
    () => journals.lagMs / SECOND_MS,
  );
  addGauge(
    'throughline_click_lanes',
    'Apps whose clicks are stored apart from those of others',
    () => journals.lanes.count,
  );
  addGauge(
    'throughline_clicks_failing_apps',
    'Apps whose clicks cannot be stored now, while those of others can',
    () => journals.lanes.failing.length,
  );
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
