import { extname } from 'node:path';
import { StartError } from '../../errors.ts';
import { IMPORT_SOURCES } from '../../links/index.ts';
import { readOptions, usageError } from '../arguments.ts';

export const IMPORT_USAGE =
  'throughline import --source SOURCE FILE [--app APP_ID] [--dry-run] [--format FORMAT] [--column FIELD=HEADER …] [--report FILE] [--failures FILE] [--quiet]';

export const IMPORT_HELP = `${IMPORT_USAGE}

Imports the links of another service from the file that it exported, also while the service runs.

--source SOURCE        ${IMPORT_SOURCES.join(', ')}
--app APP_ID           may be left out where the service has one app
--dry-run              judge and report, and store no link
--format FORMAT        csv or ndjson; by default the ending of FILE
--column FIELD=HEADER  for --source csv: which column is which field, if the headers have other names
--report FILE          write what became of each row to FILE, as CSV
--failures FILE        write the failed rows with their reasons to FILE, in the columns of the source
--quiet                show no progress

Ctrl+C ends the import: links that are stored stay.

Exit code: 0 if every row is a link now, 1 if the import failed or was ended, 2 if some rows are not links.`;

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
const FORMAT_OF: Readonly<Record<string, keyof typeof TYPES>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'ndjson',
};

export interface ImportOptions {
  readonly file: string;
  /** Null for the only one of the service. */
  readonly appId: string | null;
  readonly contentType: string;
  readonly isDryRun: boolean;
  readonly query: string;
  readonly report: string | null;
  readonly failures: string | null;
  readonly quiet: boolean;
}

/** @throws StartError that names the invalid argument. */
export function readImportOptions(args: readonly string[]): ImportOptions {
  if (args.length === 0) throw new StartError(`Usage:\n\n${IMPORT_HELP}`);
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = readOptions(IMPORT_USAGE, {
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ source: text, app: text, format: text, report: text, failures: text },
      ...{ 'dry-run': flag, quiet: flag, column: { ...text, multiple: true } },
    },
  });
  const [file, extra] = positionals;
  if (!file) throw usageError(IMPORT_USAGE, 'FILE is missing.');
  if (extra !== undefined) throw usageError(IMPORT_USAGE, `Unexpected argument “${extra}”.`);
  const { source, app, report = null, failures = null, quiet } = values;
  if (!source) throw usageError(IMPORT_USAGE, `--source is missing: ${IMPORT_SOURCES.join(', ')}.`);
  if (!(IMPORT_SOURCES as readonly string[]).includes(source))
    throw usageError(IMPORT_USAGE, `Unknown source “${source}”: use ${IMPORT_SOURCES.join(', ')}.`);
  const isDryRun = values['dry-run'];
  const query = new URLSearchParams({ source, dryRun: String(isDryRun) });
  if (values.column !== undefined)
    query.set('columns', JSON.stringify(readColumns(IMPORT_USAGE, values.column)));
  const contentType = TYPES[toFormat(file, values.format)];
  return { file, appId: app ?? null, contentType, isDryRun, query: `${query}`, report, failures, quiet };
}

/** The values of `--column`: header by field. @throws StartError for one that is no assignment. */
export function readColumns(usage: string, assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const [, field, header] = /^(\w+)=(.+)$/s.exec(assignment) ?? [];
      if (field === undefined || header === undefined)
        throw usageError(usage, `“${assignment}” does not have the form FIELD=HEADER.`);
      return [field, header];
    }),
  );
}

function toFormat(file: string, given: string | undefined): keyof typeof TYPES {
  if (given === 'csv' || given === 'ndjson') return given;
  if (given !== undefined) throw usageError(IMPORT_USAGE, `Unknown format “${given}”: use csv or ndjson.`);
  const format = FORMAT_OF[extname(file).toLowerCase()];
  if (format === undefined)
    throw usageError(IMPORT_USAGE, `--format is missing, and ${file} does not end with .csv or .ndjson.`);
  return format;
}
