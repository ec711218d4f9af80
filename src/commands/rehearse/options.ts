import { StartError } from '../../errors.ts';
import {
  IMPORT_FORMATS,
  IMPORT_SOURCES,
  type ImportFormat,
  type ImportSource,
} from '../../links/import/imported-row.ts';
import { readOptions, usageError } from '../arguments.ts';
import { readColumns } from '../import/options.ts';
import { VISITOR_NAMES, type VisitorName } from './visitors.ts';

const MAX_PER_SECOND = 5;

export const REHEARSE_USAGE =
  'throughline rehearse --host HOST [--source SOURCE] [--report REPORT] [OPTION …] FILE';

export const REHEARSE_HELP = `${REHEARSE_USAGE}

Compares, before the name HOST is switched, what visitors get from the old service and what they will get from the
running service, for each link of FILE: an export that “throughline import” reads, or a list of addresses, one a line.
Exit code 0 if all are equal, 1 if not. Asks the old service at most ${MAX_PER_SECOND} times a second.

--host HOST          the host that will be switched; the service is asked with it
--source SOURCE      ${IMPORT_SOURCES.join(', ')}; without it, a list of addresses or a table as of csv
--format FORMAT      csv or ndjson; by default the ending of FILE
--column FIELD=HEADER
                     as of “throughline import”, once for each column
--report REPORT      write each comparison to this CSV file
--resume             continue REPORT, and ask again what was unreachable
--force              replace REPORT
--from LINE          begin at this line of FILE
--visitors LIST      ${VISITOR_NAMES.join(', ')}; by default all, separated by commas
--language TAG       that visitors prefer; the default is en
--url URL            the service, by default the one that runs on DATA_DIR. https://ADDRESS asks your proxy, and
                     checks that its certificate is for HOST
--old-base URL       where the old service is asked, in place of the addresses in FILE
--against-file       compare with the destinations in FILE, and do not ask the old service: for one that has ended
--get                ask the old service by GET alone, as phones do; it counts clicks. By default HEAD is first
--per-second N       1 to ${MAX_PER_SECOND} requests to the old service; the default is ${MAX_PER_SECOND}
--quiet              show no progress`;

export interface RehearseOptions {
  readonly file: string;
  readonly host: string;
  /** Null means a list of addresses, or else `csv`. */
  readonly source: ImportSource | null;
  readonly format: ImportFormat;
  readonly columns: Readonly<Record<string, string>> | null;
  readonly report: string | null;
  readonly resume: boolean;
  readonly force: boolean;
  readonly fromLine: number;
  readonly visitors: readonly VisitorName[];
  readonly language: string;
  readonly url: string | null;
  /** Without a trailing slash. */
  readonly oldBase: string | null;
  readonly againstFile: boolean;
  readonly mayUseHead: boolean;
  readonly perSecond: number;
  readonly quiet: boolean;
}

/** @throws StartError that names the invalid argument. */
export function readRehearseOptions(args: readonly string[]): RehearseOptions {
  if (args.length === 0) throw new StartError(`Usage:\n\n${REHEARSE_HELP}`);
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = readOptions(REHEARSE_USAGE, {
    args: [...args],
    allowPositionals: true,
    options: {
      host: text,
      source: text,
      format: text,
      column: { type: 'string', multiple: true },
      report: text,
      resume: flag,
      force: flag,
      from: { type: 'string', default: '1' },
      visitors: text,
      language: { type: 'string', default: 'en' },
      url: text,
      'old-base': text,
      'against-file': flag,
      get: flag,
      'per-second': { type: 'string', default: String(MAX_PER_SECOND) },
      quiet: flag,
    },
  });
  const [file, extra] = positionals;
  if (!values.host) throw wrong('--host is missing.');
  if (!file) throw wrong('FILE is missing.');
  if (extra !== undefined) throw wrong(`Unexpected argument “${extra}”.`);
  const { report = null, resume, force, 'against-file': againstFile, language, quiet } = values;
  if (resume && report === null) throw wrong('--resume continues a report: name it with --report.');
  if (againstFile && values['old-base'] !== undefined)
    throw wrong('--against-file asks no old service, so --old-base has no use.');
  if (!/^[a-z]{2,3}(-\w{2,8})*$/i.test(language))
    throw wrong(`--language must be a tag such as de or pt-BR.`);
  return {
    file,
    host: toHost(values.host),
    source: toSource(values.source),
    format: toFormat(file, values.format),
    columns: values.column === undefined ? null : readColumns(REHEARSE_USAGE, values.column),
    report,
    resume,
    force,
    fromLine: toNumber('--from', values.from, { max: 100_000_000 }),
    visitors: toVisitors(values.visitors),
    language,
    url: toBase('--url', values.url),
    oldBase: toBase('--old-base', values['old-base']),
    againstFile,
    mayUseHead: !values.get,
    perSecond: toNumber('--per-second', values['per-second'], { max: MAX_PER_SECOND }),
    quiet,
  };
}

function wrong(problem: string): StartError {
  return usageError(REHEARSE_USAGE, problem);
}

function toHost(text: string): string {
  const base = text.replace(/^https?:\/\//i, '').replace(/\/$/, '');
  const url = URL.canParse(`https://${base}`) ? new URL(`https://${base}`) : null;
  if (url === null || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw wrong(`--host must be a host name such as go.example.com, not “${text}”.`);
  return url.host;
}

function toSource(text: string | undefined): ImportSource | null {
  if (text === undefined) return null;
  const source = IMPORT_SOURCES.find((one) => one === text);
  if (source === undefined) throw wrong(`Unknown source “${text}”: use ${IMPORT_SOURCES.join(', ')}.`);
  return source;
}

function toFormat(file: string, text: string | undefined): ImportFormat {
  if (text === undefined) return /\.(?:nd)?jsonl?$/i.test(file) ? 'ndjson' : 'csv';
  const format = IMPORT_FORMATS.find((one) => one === text);
  if (format === undefined) throw wrong(`Unknown format “${text}”: use ${IMPORT_FORMATS.join(' or ')}.`);
  return format;
}

function toVisitors(text: string | undefined): readonly VisitorName[] {
  if (text === undefined) return VISITOR_NAMES;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !VISITOR_NAMES.some((one) => one === name));
  if (unknown !== undefined)
    throw wrong(`Unknown visitor “${unknown}”: use ${VISITOR_NAMES.join(', ')}, separated by commas.`);
  return VISITOR_NAMES.filter((name) => names.includes(name));
}

function toNumber(option: string, text: string, { max }: { max: number }): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > max)
    throw wrong(`${option} must be a whole number from 1 to ${max}, not “${text}”.`);
  return number;
}

/** A host name alone means https. */
function toBase(option: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address) || /[\s?#]/.test(address))
    throw wrong(`${option} must be an address such as https://go.example.com, not “${text}”.`);
  return new URL(address).href.replace(/\/+$/, '');
}
