import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse/sync';
import { StartError } from '../../errors.ts';
import { toCsvLines } from '../../server/csv.ts';
import { replaceFile, statOrNull } from '../replace-file.ts';
import { VERDICTS } from './answer.ts';
import type { Row } from './check-link.ts';
import type { RehearseOptions } from './options.ts';

const COLUMNS = [
  'line',
  'visitor',
  'verdict',
  'oldAddress',
  'oldStatus',
  'oldAnswer',
  'newAddress',
  'newStatus',
  'newAnswer',
  'note',
  'oldWay',
] as const satisfies (keyof Row)[];

/** The CSV file with a row for each comparison. */
export interface Report {
  write(rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}

const noReport: Report = { write: async () => undefined, close: async () => undefined };

/**
 * Opens the report. With `resume`, rows that say something of the old service are kept.
 * @param onKept called with each row that stays.
 */
export async function openReport(
  { report: path, resume, force }: Pick<RehearseOptions, 'report' | 'resume' | 'force'>,
  onKept: (row: Row) => void,
): Promise<Report> {
  if (path === null) return noReport;
  const existing = await statOrNull(path);
  if (existing?.isDirectory()) throw new StartError(`${path} is a folder. Name a file in it.`);
  if (existing?.isFile() && !resume && !force)
    throw new StartError(`${path} already exists. Continue it with --resume, or replace it with --force.`);
  const isKept = resume && existing?.isFile() === true;
  const failed = failedToWrite(path);
  await replaceFile(path, async (draft) => {
    const file = await open(draft, 'w').catch(failed);
    try {
      await file.appendFile(toCsvLines([COLUMNS])).catch(failed);
      if (isKept) await copyKept(path, file, onKept);
    } finally {
      await file.close();
    }
  });
  const file = await open(path, 'a').catch(failed);
  return {
    write: async (rows) => {
      await file.appendFile(toCsvLines(rows.map((row) => COLUMNS.map((name) => row[name])))).catch(failed);
    },
    close: async () => await file.close(),
  };
}

function failedToWrite(path: string): (error: Error) => never {
  return ({ message }) => {
    throw new StartError(`Failed to write ${path}: ${message}. Correct that, and continue with --resume.`);
  };
}

/** No cell has a line break, so a run that was killed leaves at most one line that is cut. */
async function copyKept(path: string, file: FileHandle, onKept: (row: Row) => void): Promise<void> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    line += 1;
    const row = toRow(text);
    if (line === 1 && text !== toCsvLines([COLUMNS]).trim())
      throw new StartError(`${path} is no report of this command. Name another file with --report.`);
    if (row === null || row.verdict === 'old unreachable') continue;
    await file.appendFile(`${text}\n`);
    onKept(row);
  }
}

function toRow(text: string): Row | null {
  try {
    const [cells = []] = parse(text) as string[][];
    const row = Object.fromEntries(COLUMNS.map((name, index) => [name, cells[index]]));
    const isWhole = cells.length === COLUMNS.length && VERDICTS.some((verdict) => verdict === row.verdict);
    return isWhole ? ({ ...row, line: Number(row.line) } as unknown as Row) : null;
  } catch {
    return null;
  }
}
