/** All records of an app as a folder of Parquet files by day, for a warehouse: incremental and repeatable. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../../errors.ts';
import { DAY_MS, dayOf, isoTime, systemClock } from '../../lib/clock.ts';
import { toParquet } from '../../records/parquet.ts';
import { type AdminCalls, appPath, withAdmin } from '../admin-client.ts';
import { noProgress, showProgress } from '../output.ts';
import { replaceFile } from '../replace-file.ts';
import { removeLeftovers } from './leftovers.ts';
import { KINDS } from './options.ts';
import { grouped } from './progress.ts';
import { parseNdjson, writeFile } from './record-file.ts';
import { completeBefore, credible, daysToWrite } from './warehouse-days.ts';
import { readWarehouseOptions, type WarehouseOptions } from './warehouse-options.ts';
import { readState, SCHEMA_VERSION, type WarehouseState, writeState } from './warehouse-state.ts';

type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** A long erasure may end after the export that it overlaps has begun. */
const ERASURE_OVERLAP_MS = DAY_MS;

type Calls = Pick<AdminCalls, 'call' | 'stream'>;

/** Writes the days that are new, may still change or were touched by an erasure, each file atomically. */
export async function exportByDay(args: readonly string[]): Promise<void> {
  const options = readWarehouseOptions(args);
  const begunMs = systemClock.nowMs();
  const state = credible(await readState(options), begunMs);
  await mkdir(options.folder, { recursive: true });
  await removeLeftovers(options.folder, begunMs);
  const progress = options.isQuiet ? noProgress : showProgress();
  const written = { files: 0, unchanged: 0, records: 0 };
  try {
    await withAdmin(async (call, stream) => {
      for (const kind of KIND_NAMES) {
        const days = await daysOf({ call, stream }, options, { kind, state, begunMs });
        for (const [index, day] of days.entries()) {
          progress.report(`${kind} of ${day}, ${index + 1} of ${days.length}`);
          const { count, isNew } = await writeDay({ stream }, options, { kind, day });
          written.records += count;
          if (count > 0 && isNew) written.files += 1;
          else if (count > 0) written.unchanged += 1;
        }
      }
    });
  } finally {
    progress.end();
  }
  // Last: what an interrupted run wrote is written again.
  await writeState(options, {
    exportedAt: isoTime(begunMs),
    completeBefore: completeBefore(begunMs, options.rewriteDays),
  });
  process.stdout.write(
    `Wrote ${grouped(written.files)} files to ${options.folder}; ${grouped(written.unchanged)} had not changed. They have ${grouped(written.records)} records.\n`,
  );
}

interface Work {
  readonly kind: Kind;
  readonly state: WarehouseState | null;
  readonly begunMs: number;
}

async function daysOf(calls: Calls, options: WarehouseOptions, work: Work): Promise<readonly string[]> {
  const { kind, state, begunMs: nowMs } = work;
  const oldest = await oldestDay(calls, options, kind);
  if (oldest === null) return [];
  const erased = state === null ? new Set<string>() : await erasedDays(calls, options, work);
  const hasFile = (day: string) => existsSync(fileOf(options, kind, day));
  return daysToWrite({ ...options, oldest, state, nowMs, erased, hasFile });
}

function fileOf({ folder }: WarehouseOptions, kind: Kind, day: string): string {
  return join(folder, kind, `day=${day}`, 'part-0.parquet');
}

function pathOf({ appId, isSandbox }: WarehouseOptions, kind: Kind, filter: Record<string, string>): string {
  const all = {
    ...(kind === 'clicks' && { visitor: 'all' }),
    ...(isSandbox && { sandbox: 'true' }),
    ...filter,
  };
  return `${appPath(appId)}/${kind}?${new URLSearchParams(all)}`;
}

async function oldestDay({ call }: Calls, options: WarehouseOptions, kind: Kind): Promise<string | null> {
  const page = await call('GET', pathOf(options, kind, { order: 'asc', limit: '1' }));
  const [oldest] = page as Record<string, string>[];
  return oldest === undefined ? null : dayOf(oldest[KINDS[kind].time] ?? '');
}

/** Of files that were written before: records of the person are in them. */
async function erasedDays(
  { stream }: Calls,
  options: WarehouseOptions,
  { kind, state }: Work,
): Promise<Set<string>> {
  const since = isoTime(Date.parse(state?.exportedAt ?? '') - ERASURE_OVERLAP_MS);
  const days = new Set<string>();
  const path = pathOf(options, kind, { erasedSince: since });
  for await (const records of parseNdjson(stream(path, 'application/x-ndjson')))
    for (const record of records) days.add(dayOf((record as Record<string, string>)[KINDS[kind].time] ?? ''));
  return days;
}

/** @returns the number of records, and whether the file was not there as it is. */
async function writeDay(
  { stream }: Pick<Calls, 'stream'>,
  options: WarehouseOptions,
  { kind, day }: { kind: Kind; day: string },
): Promise<{ count: number; isNew: boolean }> {
  const end = isoTime(Date.parse(day) + DAY_MS);
  const path = pathOf(options, kind, { from: `${day}T00:00:00.000Z`, to: end });
  const file = fileOf(options, kind, day);
  const folder = dirname(file);
  let count = 0;
  const records = async function* () {
    for await (const some of parseNdjson(stream(path, 'application/x-ndjson'))) {
      count += some.length;
      yield some;
    }
  };
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new StartError(`Failed to make ${folder}: ${error.message}. Correct that, or name another folder.`);
  });
  const metadata = {
    'throughline.schema': String(SCHEMA_VERSION),
    'throughline.kind': kind,
    'throughline.app': options.appId,
    'throughline.sandbox': String(options.isSandbox),
  };
  const draft = `${file}.draft`;
  await replaceFile(draft, (partial) =>
    writeFile(draft, partial, toParquet(KINDS[kind].item, records(), metadata)),
  );
  // A day without records has no file, also where its records were deleted.
  if (count === 0) {
    await Promise.all([rm(draft), rm(file, { force: true })]);
    await rmdir(folder).catch(() => undefined);
    return { count, isNew: false };
  }
  // An equal file keeps its time, so that tools which copy what changed leave it out.
  const isNew = (await hashOf(file)) !== (await hashOf(draft));
  if (isNew) await rename(draft, file);
  else await rm(draft);
  return { count, isNew };
}

/** Null without a file. */
async function hashOf(file: string): Promise<string | null> {
  if (!existsSync(file)) return null;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
