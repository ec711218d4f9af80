import { StartError } from '../../errors.ts';
import { readOptions, usageError } from '../arguments.ts';

export const WAREHOUSE_USAGE =
  'throughline export --format parquet --app APP_ID --output FOLDER [--from DAY] [--rewrite-days N] [--sandbox] [--quiet]';

/** Clicks of other processes, and claims of networks, arrive within a day. */
const REWRITE_DAYS = 3;
const MAX_REWRITE_DAYS = 400;

export interface WarehouseOptions {
  readonly appId: string;
  readonly folder: string;
  /** From which day on files are written again; null to go on. */
  readonly fromDay: string | null;
  /** Days that may still change, today included. */
  readonly rewriteDays: number;
  readonly isSandbox: boolean;
  readonly isQuiet: boolean;
}

/** @throws StartError that names the invalid argument. */
export function readWarehouseOptions(args: readonly string[]): WarehouseOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = readOptions(WAREHOUSE_USAGE, {
    args: [...args],
    options: {
      ...{ app: text, output: text, format: text, from: text, 'rewrite-days': text },
      ...{ sandbox: flag, quiet: flag },
    },
  });
  const { app: appId, output: folder, format, from, 'rewrite-days': days = String(REWRITE_DAYS) } = values;
  if (format !== 'parquet')
    throw usageError(
      WAREHOUSE_USAGE,
      'Name a kind of records (clicks, installs, opens or events), or --format parquet for a folder of all.',
    );
  if (!appId) throw usageError(WAREHOUSE_USAGE, '--app is missing.');
  if (!folder) throw usageError(WAREHOUSE_USAGE, '--output is missing.');
  if (folder === '-') throw usageError(WAREHOUSE_USAGE, '--output must be a folder.');
  if (from !== undefined && !isDay(from))
    throw usageError(WAREHOUSE_USAGE, `--from must be a day such as 2026-01-31, not “${from}”.`);
  if (!/^\d{1,3}$/.test(days) || Number(days) < 1 || Number(days) > MAX_REWRITE_DAYS)
    throw usageError(
      WAREHOUSE_USAGE,
      `--rewrite-days must be a whole number from 1 to ${MAX_REWRITE_DAYS}, not “${days}”.`,
    );
  return {
    ...{ appId, folder, fromDay: from ?? null, rewriteDays: Number(days) },
    ...{ isSandbox: values.sandbox, isQuiet: values.quiet },
  };
}

function isDay(text: string): boolean {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** @throws StartError for the folder of another export. */
export function refuseFolder(folder: string, why: string): never {
  throw new StartError(`${folder} has ${why}. Name another folder.`);
}
