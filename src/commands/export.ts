import { open } from 'node:fs/promises';
import { StartError } from '../errors.ts';
import { type RecordChunks, toCsv, toNdjson } from '../records/formats.ts';
import { appPath, withAdmin } from './admin-client.ts';
import { type ExportOptions, readExportOptions } from './export/options.ts';
import { grouped, withProgress } from './export/progress.ts';
import { replaceFile, statOrNull } from './replace-file.ts';

type Pieces = AsyncIterable<string | Uint8Array>;

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

/** @param output named in errors. @param draft the file to write. */
export async function writeFile(output: string, draft: string, pieces: Pieces): Promise<void> {
  const failed = (error: unknown): never => {
    const { message } = error as Error;
    throw new StartError(
      `Failed to write ${output}: ${message}. Correct that, or name another file, and run the command again.`,
    );
  };
  const file = await open(draft, 'w').catch(failed);
  try {
    for await (const piece of pieces) await file.writeFile(piece).catch(failed);
    // A pipe has nothing to sync.
    if ((await file.stat()).isFile()) await file.sync().catch(failed);
  } finally {
    await file.close();
  }
}

/** `main.ts` reports errors of standard output and exits. */
async function writeStdout(pieces: Pieces): Promise<void> {
  for await (const piece of pieces)
    await new Promise<void>((written) => process.stdout.write(piece, () => written()));
}

/** The objects of each piece of NDJSON, as it arrives. @throws StartError if the last line is not complete. */
export async function* parseNdjson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly object[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as object);
  }
  if (rest !== '') throw new StartError('The last record is not complete. Run the command again.');
}
