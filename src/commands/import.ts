import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../errors.ts';
import { type AdminCalls, appPath, withAdmin } from './admin-client.ts';
import { grouped } from './export/progress.ts';
import { type ImportOptions, readImportOptions } from './import/options.ts';
import { noProgress, type Progress, showProgress } from './output.ts';
import { replaceFile, statOrNull } from './replace-file.ts';

/** As the API sends it. */
interface Report {
  readonly id: string;
  readonly status: 'running' | 'completed' | 'failed';
  readonly rows: number;
  readonly created: number;
  readonly unchanged: number;
  readonly conflicts: number;
  readonly failed: number;
  readonly progress?: number;
  readonly error?: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly notes: readonly { readonly message: string; readonly rows: number }[];
}

const ASK_EVERY_MS = 200;
const BAR_WIDTH = 20;
const SOME_ROWS_ARE_NO_LINKS = 2;

/** Imports a file, and sets the exit code by its result. */
export async function importFromFile(args: readonly string[]): Promise<void> {
  const options = readImportOptions(args);
  const bytes = await sizeOf(options.file);
  for (const target of [options.report, options.failures]) if (target !== null) await refuseTarget(target);
  const report = await withAdmin(async (call, stream, upload) => {
    const path = `${appPath(options.appId ?? (await onlyApp(call)))}/imports`;
    const progress = options.quiet ? noProgress : showProgress();
    const stop = stopOnSignals();
    try {
      const file = Readable.from(countingBytes(options.file, bytes, progress));
      const { contentType } = options;
      const started = (await upload(`${path}?${options.query}`, { file, bytes, contentType })) as Report;
      progress.report(`Import ${started.id}; Ctrl+C ends it`);
      const ended = await waitFor({ call, path: `${path}/${started.id}`, progress, stop });
      stop.unlisten();
      for (const [name, target] of [
        ['rows', options.report],
        ['failures', options.failures],
      ] as const)
        if (target !== null) await save(target, stream(`${path}/${ended.id}/${name}`, 'text/csv'));
      return ended;
    } finally {
      stop.unlisten();
      progress.end();
    }
  });
  tell(options, report);
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: unknown) => {
    throw new StartError(`${file} cannot be read: ${(error as Error).message}.`);
  });
  if (!found.isFile()) throw new StartError(`${file} is no file. Name the file that the service exported.`);
  return found.size;
}

/** Before the import, whose result would else be written nowhere. */
async function refuseTarget(target: string): Promise<void> {
  const existing = await statOrNull(target);
  if (existing?.isDirectory()) throw new StartError(`${target} is a folder. Name a file for the report.`);
  const place = existing === null || existing.isFile() ? dirname(target) : target;
  await access(place, constants.W_OK).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `the folder ${place} does not exist` : (error as Error).message;
    throw new StartError(`${target} cannot be written: ${why}. Nothing was imported.`);
  });
}

async function onlyApp(call: AdminCalls['call']): Promise<string> {
  const apps = (await call('GET', '/apps')) as { readonly id: string; readonly name: string }[];
  const [app] = apps;
  if (app !== undefined && apps.length === 1) return app.id;
  throw new StartError('--app is missing. List the apps with “throughline apps list”.');
}

async function* countingBytes(file: string, total: number, progress: Progress): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    yield piece;
    sent += piece.length;
    progress.report(`Sending ${Math.floor((sent / Math.max(total, 1)) * 100)} %`);
  }
}

interface Waiting {
  readonly call: AdminCalls['call'];
  readonly path: string;
  readonly progress: Progress;
  readonly stop: { readonly isAsked: boolean };
}

async function waitFor({ call, path, progress, stop }: Waiting): Promise<Report> {
  for (let isEnded = false; ; ) {
    if (stop.isAsked && !isEnded) {
      isEnded = true;
      // It may have ended by itself.
      await call('DELETE', path).catch(() => undefined);
    }
    const report = (await call('GET', path)) as Report;
    if (report.status !== 'running') return report;
    progress.report(describeImport(report));
    await sleep(ASK_EVERY_MS);
  }
}

/** The first signal asks to end the import, a second one ends this process. */
function stopOnSignals() {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = {
    isAsked: false,
    unlisten() {
      for (const signal of signals) process.off(signal, ask);
    },
  };
  function ask(): void {
    if (stop.isAsked) process.exit(1);
    stop.isAsked = true;
  }
  for (const signal of signals) process.on(signal, ask);
  return stop;
}

function describeImport({
  progress = 0,
  rows,
  created,
}: Pick<Report, 'progress' | 'rows' | 'created'>): string {
  const bar = '#'.repeat(Math.floor(progress * BAR_WIDTH)).padEnd(BAR_WIDTH, '-');
  return `[${bar}] ${Math.floor(progress * 100)} %, ${grouped(rows)} rows judged, ${grouped(created)} links created`;
}

async function save(target: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await replaceFile(target, async (draft) => {
    await pipeline(Readable.from(pieces), createWriteStream(draft));
  }).catch((error: unknown) => {
    if (error instanceof StartError) throw error;
    throw new StartError(`${target} cannot be written: ${(error as Error).message}. The import has ended.`);
  });
}

/** @throws StartError for an import that failed. */
function tell({ file, isDryRun, report: saved }: ImportOptions, report: Report): void {
  const { id, created, unchanged, conflicts, failed, notes, columns } = report;
  const counts = `${grouped(created)} created, ${grouped(unchanged)} unchanged, ${grouped(conflicts)} in conflict, ${grouped(failed)} failed`;
  const rows = saved ?? `GET /v1/imports/${id}/rows`;
  const error = report.error?.replace('GET /v1/imports/{id}/rows', rows);
  const last = `Import ${id}: ${rows} says what became of each row.`;
  if (report.status === 'failed') throw new StartError(`${error} (${counts})\n${last}`);
  const taken = Object.entries(columns).map(([header, field]) => `“${header}” as ${field}`);
  const lines = [
    `${isDryRun ? 'A dry run, nothing is stored:' : 'Imported'} ${file}: ${counts}.`,
    ...(taken.length === 0 ? [] : [`Read ${taken.join(', ')}.`]),
    ...notes.map(({ message, rows: number }) => `${grouped(number)} × ${message}`),
    ...(error === undefined ? [] : [error]),
  ];
  const areAllLinks = conflicts + failed === 0 && error === undefined;
  if (!areAllLinks && saved === null)
    lines.push('Run the command again with --report FILE: the file then says of each row what became of it.');
  process.stdout.write(`${[...lines, last].join('\n')}\n`);
  if (!areAllLinks) process.exitCode = SOME_ROWS_ARE_NO_LINKS;
}
