import { StartError } from '../errors.ts';
import { type RecordChunks, toCsv, toNdjson } from '../records/formats.ts';
import { appPath, withAdmin } from './admin-client.ts';
import { type ExportOptions, readExportOptions } from './export/options.ts';
import { grouped, withProgress } from './export/progress.ts';
import { type Pieces, parseNdjson, writeFile } from './export/record-file.ts';
import { replaceFile, statOrNull } from './replace-file.ts';

/** Writes an app's clicks, installs, opens or events to a file. */
export async function exportToFile(args: readonly string[]): Promise<void> {
  if (args[0]?.startsWith('--')) return await (await import('./export/warehouse.ts')).exportByDay(args);
  const options = readExportOptions(args);
  const { kind, appId, output, query } = options;
  const isStdout = output === '-';
  if (!isStdout) await refuseExisting(options);
  let count = 0;
  await withAdmin(async (_call, stream) => {
    const path = `${appPath(appId)}/${kind}?${new URLSearchParams(query)}`;
    const records = parseNdjson(stream(path, 'application/x-ndjson'));
    const counted = counting(withProgress(records, options), (number) => {
      count += number;
    });
    const pieces = await encode(options, counted);
    await (isStdout ? writeStdout(pieces) : replaceFile(output, (draft) => writeFile(output, draft, pieces)));
  });
  if (!isStdout) process.stdout.write(`Wrote ${grouped(count)} ${kind} to ${output}.\n`);
}

async function refuseExisting({ output, force }: ExportOptions): Promise<void> {
  const existing = await statOrNull(output);
  if (existing?.isDirectory()) throw new StartError(`${output} is a folder. Name a file in it.`);
  if (existing?.isFile() && !force)
    throw new StartError(`${output} already exists. Name another file, or replace it with --force.`);
}

async function* counting(
  records: RecordChunks,
  note: (count: number) => void,
): AsyncGenerator<readonly object[]> {
  for await (const items of records) {
    yield items;
    note(items.length);
  }
}

async function encode({ format, item }: ExportOptions, records: RecordChunks): Promise<Pieces> {
  if (format === 'csv') return toCsv(item, records);
  if (format === 'ndjson') return toNdjson(records);
  // Loaded here, since no other command needs it.
  const { toParquet } = await import('../records/parquet.ts');
  return toParquet(item, records);
}

/** `main.ts` reports errors of standard output and exits. */
async function writeStdout(pieces: Pieces): Promise<void> {
  for await (const piece of pieces)
    await new Promise<void>((written) => process.stdout.write(piece, () => written()));
}
