import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { StartError } from '../../errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { createReader } from '../../links/import/create-reader.ts';
import { type ImportedLink, type ImportedRow, ImportFileError } from '../../links/import/imported-row.ts';
import type { RehearseOptions } from './options.ts';

export interface RehearsedLink {
  /** Of the file, from 1. */
  readonly line: number;
  /** Scheme and host of the old address; null where the file does not say. */
  readonly origin: string | null;
  /** Of the old address without its first slash, percent-encoded, with its query. */
  readonly path: string;
  /** What the file says of the link; null for a list of addresses. */
  readonly input: ImportedLink['input'] | null;
}

export interface LinkFile {
  readonly links: readonly RehearsedLink[];
  /** Rows that are no link, as an import would find them. */
  readonly failures: readonly { readonly line: number; readonly failure: string }[];
}

type FileOptions = Pick<RehearseOptions, 'file' | 'source' | 'format' | 'columns' | 'fromLine'>;

/** @throws StartError for a file that cannot be read, or has no links. */
export async function readLinks(options: FileOptions): Promise<LinkFile> {
  const { file, source, fromLine } = options;
  const found = source === null && (await isList(file)) ? await readList(file) : await readExport(options);
  const links = found.links.filter(({ line }) => line >= fromLine);
  const failures = found.failures.filter(({ line }) => line >= fromLine);
  if (links.length === 0) throw new StartError(noLinks(found, options));
  return { links, failures };
}

function noLinks({ links, failures }: LinkFile, { file, fromLine }: FileOptions): string {
  if (links.length > 0) return `${file} has no link at or after line ${fromLine}.`;
  const [first] = failures;
  return first === undefined
    ? `${file} has no links.`
    : `No row of ${file} is a link. Line ${first.line}: ${first.failure}`;
}

const FIRST_BYTES = 64 * 1024;

/** Whether one of the first two lines is an address alone: the first may be a header. */
async function isList(file: string): Promise<boolean> {
  const handle = await open(file).catch((error: Error) => {
    throw new StartError(`Failed to read ${file}: ${error.message}.`);
  });
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
    const lines = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/).filter(isContent);
    return lines.slice(0, 2).some((line) => toAddress(line) !== null);
  } finally {
    await handle.close();
  }
}

async function readList(file: string): Promise<LinkFile> {
  const links: RehearsedLink[] = [];
  const failures: { line: number; failure: string }[] = [];
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line += 1;
    if (!isContent(text)) continue;
    const address = toAddress(text);
    if (address !== null) {
      const { origin, pathname, search } = address;
      links.push({ line, origin, path: `${pathname}${search}`.replace(/^\//, ''), input: null });
    } else if (links.length > 0 || failures.length > 0 || text.includes('/'))
      failures.push({ line, failure: 'The line is no address. Write one address a line.' });
  }
  return { links, failures };
}

function isContent(line: string): boolean {
  return !/^\uFEFF?\s*(?:#|$)/.test(line);
}

/** Without a scheme it is https, as people write short links. */
function toAddress(line: string): URL | null {
  const text = line
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/^"(.*)"$/, '$1');
  if (/[\s";]|,https?:/i.test(text) || !text.includes('/')) return null;
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  return url !== null && /^[\w.-]+\.\w+$|^localhost$|^\[/.test(url.hostname) ? url : null;
}

async function readExport({ file, source, format, columns }: FileOptions): Promise<LinkFile> {
  const links: RehearsedLink[] = [];
  const failures: { line: number; failure: string }[] = [];
  const add = (rows: readonly ImportedRow[]) => {
    for (const row of rows)
      if ('failure' in row) failures.push({ line: row.line, failure: row.failure });
      else links.push(...row.links.map((link) => toRehearsed(row.line, link)));
  };
  try {
    const reader = createReader({
      source: source ?? 'csv',
      format,
      ...(columns !== null && { columns }),
    });
    for await (const piece of createReadStream(file)) add(reader.write(piece as Buffer));
    add(reader.end());
  } catch (error) {
    const help = source === null ? ' Name the service that it comes from with --source.' : '';
    if (error instanceof ImportFileError) throw new StartError(`${file}: ${error.message}${help}`);
    throw new StartError(`Failed to read ${file}: ${(error as Error).message}.`);
  }
  return { links, failures };
}

function toRehearsed(line: number, { host, path, input }: ImportedLink): RehearsedLink {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return { line, origin: host === null ? null : `https://${host}`, path: encoded, input };
}

/** Whether the file says that its service has ended the link. */
export function hasEnded({ input }: RehearsedLink): boolean {
  const expiresAt = input?.expiresAt;
  return typeof expiresAt === 'string' && Date.parse(expiresAt) <= systemClock.nowMs();
}
