/** What a row of a file becomes, as far as that does not depend on stored links. Runs beside the event loop. */
import type { Actor } from '../../auth/index.ts';
import { toFlag, toRowText } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import { ruleIdOf } from '../choice/kept-rules.ts';
import { allExitsOf } from '../circles/exits.ts';
import { type LeadingApp, newStop } from '../circles/new-stop.ts';
import { columnsOf } from '../columns.ts';
import { isShortCode } from '../link.ts';
import { tagKey } from '../lists/tags.ts';
import { wordsOf } from '../lists/words.ts';
import { refusalOfCode } from '../look-up/check-path.ts';
import { LINK_PATH_PATTERN } from '../look-up/link-address.ts';
import type { CreateLinkInput } from '../schemas.ts';
import type { FirstLines } from './first-lines.ts';
import { type JudgedRow, UNSET, VALUE_COLUMNS, type ValueColumn } from './import.ts';
import type { ImportedLink, ImportedRow } from './imported-row.ts';

/** What rows are judged by: plain data, for another thread. */
export interface Rules {
  readonly mode: Actor['mode'];
  /** Host of the app's own, at whose root links keep their paths; null in an app without one. */
  readonly ownHost: string | null;
  readonly app: LeadingApp;
  /** Host names of all short links of the service. */
  readonly shortLinkHosts: readonly string[];
  readonly nowMs: number;
}

export interface RowContext extends Rules {
  readonly firstLines: FirstLines;
}

type Row = Extract<ImportedRow, { links: unknown }>;

export function judgeRow(row: ImportedRow, context: RowContext): JudgedRow[] {
  if ('failure' in row) return [failed(row, row.oldAddress ?? '', row.failure)];
  if (row.links.length === 0)
    return [failed(row, '', 'The row has no link. Give it an address and a destination.')];
  return row.links.map((link) => judgeLink(row, link, context));
}

function failed(
  { line, raw }: Pick<Row, 'line' | 'raw'>,
  oldAddress: string,
  reason: string,
  notes: readonly string[] = [],
): JudgedRow {
  return { line, outcome: 'failed', oldAddress, key: null, reason, notes, raw };
}

function judgeLink(row: Row, link: ImportedLink, context: RowContext): JudgedRow {
  const { host, path, importedClicks } = link;
  const { ownHost, mode, nowMs } = context;
  const { line } = row;
  const oldAddress = `${host ?? ''}/${path}`;
  const notes = [...link.notes, ...noteOfHost(host, context)];
  const refusal = refusalOf(path, ownHost !== null);
  if (refusal !== null) return failed(row, oldAddress, refusal, notes);
  try {
    const input: CreateLinkInput = { ...link.input, ...(ownHost !== null && { path }) };
    const checked = columnsOf(input, { mode }, nowMs);
    const columns = { ...checked, sandbox: checked.sandbox ?? toFlag(mode === 'test') };
    const key = columns.path ?? path;
    const content = valuesOf(columns);
    const values =
      importedClicks === null ? content : valuesOf({ ...columns, imported_clicks: importedClicks });
    const words = wordsOf({ ...columns, short_code: ownHost === null ? key : '' });
    const tags = (JSON.parse(columns.tags ?? '[]') as string[]).map(tagKey);
    const rules = (input.rules ?? []).map((rule) => ({ id: ruleIdOf(rule), rule: JSON.stringify(rule) }));
    const first = context.firstLines.note(key, content, line);
    if (first !== null) return { line, oldAddress, key, notes, ...duplicateOf(first), raw: row.raw };
    const leadsHome = isHome(input, context) ? { input, raw: row.raw } : null;
    return { line, oldAddress, key, values, words, tags, rules, notes, leadsHome };
  } catch (error) {
    if (error instanceof AppError) return failed(row, oldAddress, error.message, notes);
    throw error;
  }
}

const LINK_PATH = new RegExp(LINK_PATH_PATTERN);

function refusalOf(path: string, hasPaths: boolean): string | null {
  if (hasPaths)
    return LINK_PATH.test(path)
      ? null
      : 'The path cannot be kept: a path has 1 to 5 segments of A-Z a-z 0-9 . _ ~ - with slashes between, at most 255 characters. Choose another one for the link.';
  return isShortCode(path)
    ? refusalOfCode(path)
    : 'The app has no short link host of its own, and the path is no short code (3 to 64 of A-Z a-z 0-9 - _). Set shortLinkHost of the app, and import again.';
}

function noteOfHost(host: string | null, { ownHost }: Rules): string[] {
  if (ownHost === null) return [NEW_ADDRESS];
  return host === null || host === ownHost
    ? []
    : [`The link was at ${host}, and is now at ${ownHost}: its address is the short URL.`];
}

const NEW_ADDRESS = 'The app has no short link host of its own: the new address is the short URL.';

function duplicateOf({ line, isSame }: { line: number; isSame: boolean }) {
  return isSame
    ? ({ outcome: 'unchanged', reason: `The same as line ${line}.` } as const)
    : ({
        outcome: 'conflict',
        reason: `Line ${line} has the same address with other values. Remove one of the two.`,
      } as const);
}

function valuesOf(columns: Partial<Record<ValueColumn, string | number | null | undefined>>): string {
  return toRowText(VALUE_COLUMNS.map((column) => columns[column] ?? UNSET[column] ?? null));
}

function isHome(input: CreateLinkInput, { app, shortLinkHosts }: Rules): boolean {
  return allExitsOf(newStop(app, input)).some(
    ({ address }) => URL.canParse(address) && shortLinkHosts.includes(new URL(address).hostname),
  );
}
