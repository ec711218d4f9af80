import { type Static, Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { Id, Named, Nullable, OnlyThese, Timestamp } from '../../server/schemas.ts';
import { IMPORT_STATUSES } from './import.ts';
import { IMPORT_SOURCES } from './imported-row.ts';
import type { ImportRow } from './queries.ts';

const MAX_MAPPING_CHARACTERS = 8_192;
const MAX_MAPPED = 50;

/** Query of `POST /v1/imports`. */
export const StartImport = OnlyThese({
  source: Type.Enum([...IMPORT_SOURCES], {
    description: 'The service whose export the file is; csv for any other table',
  }),
  dryRun: Type.Enum(['true', 'false'], {
    default: 'false',
    description: 'Judges and reports as an import, and stores no link',
  }),
  columns: Type.Optional(
    Type.String({
      maxLength: MAX_MAPPING_CHARACTERS,
      description:
        'For source=csv, where the headers have other names: a JSON object of field to header, such as {"shortUrl":"Short","fallbackUrl":"Target"}',
    }),
  ),
});

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const Import = Named('Import', {
  id: Id,
  source: Type.Enum([...IMPORT_SOURCES]),
  dryRun: Type.Boolean(),
  status: Type.Enum([...IMPORT_STATUSES]),
  rows: Count('Judged so far; a row of the file that has two addresses counts twice'),
  created: Count('Links that are stored; of a dry run, that would be'),
  unchanged: Count('The same as a stored link, or as an earlier row'),
  conflicts: Count('Another link has the address'),
  failed: Count('No links, or not stored before a failed import ended'),
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'While it is running' })),
  error: Type.Optional(
    Type.String({ description: 'Why it failed, or that no row was good, and what to do' }),
  ),
  columns: Type.Record(Type.String(), Type.String(), {
    description: 'Header of the file to the field that it was taken for',
  }),
  notes: Type.Array(Named('ImportNote', { message: Type.String(), rows: Type.Integer({ minimum: 1 }) }), {
    description: 'What the rows had and the links have not',
  }),
  createdAt: Timestamp,
  completedAt: Nullable(Timestamp),
});

/** Query of `GET /v1/imports`. */
export const ListImports = OnlyThese({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  before: Type.Optional(Type.String({ format: 'uuid', description: 'Id of an import: lists older ones' })),
});

export function presentImport(row: ImportRow): Static<typeof Import> {
  return {
    id: row.id,
    source: row.source as Static<typeof Import>['source'],
    dryRun: row.dry_run === 1,
    status: row.status as Static<typeof Import>['status'],
    rows: row.judged_rows,
    created: row.created,
    unchanged: row.unchanged,
    conflicts: row.conflicts,
    failed: row.failed,
    ...(row.status === 'running' && { progress: row.progress / 1_000 }),
    ...(row.error !== null && { error: row.error }),
    columns: JSON.parse(row.columns) as Record<string, string>,
    notes: JSON.parse(row.notes) as { message: string; rows: number }[],
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}

/** Field to header. @throws AppError `request.invalid`. */
export function readMapping(source: string, text: string | undefined): Record<string, string> | null {
  if (text === undefined) return null;
  if (source !== 'csv') throw invalid('columns is for source=csv alone. Leave it out.');
  const mapping = parse(text);
  const isMapping =
    typeof mapping === 'object' &&
    mapping !== null &&
    !Array.isArray(mapping) &&
    Object.keys(mapping).length <= MAX_MAPPED &&
    Object.values(mapping).every((header) => typeof header === 'string');
  if (!isMapping)
    throw invalid(
      'columns must be a JSON object of field to header, such as {"shortUrl":"Short","fallbackUrl":"Target"}.',
    );
  return mapping as Record<string, string>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
