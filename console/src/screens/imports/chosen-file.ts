/** The file to import: what is known of it before it is sent, and kept from the dry run to the import. */
import type { FileHead } from '@service/links/import/file-head.ts';
import { ApiError, toApiError } from '../../api/error.ts';
import { formatBytes } from '../../formats.ts';
import type { ImportSource } from './sources.ts';

const MAX_BYTES = 50 * 1024 * 1024;

export interface ChosenFile {
  readonly file: File;
  readonly head: FileHead;
}

/** What an import needs to be sent again. */
export interface SentFile {
  readonly file: File;
  readonly source: ImportSource;
  readonly type: string;
  /** As the API takes it; null for the service's own guess. */
  readonly columns: string | null;
}

/** By the id of its dry run. The page cannot keep a file any longer: after a reload it is chosen again. */
export const sentFiles = new Map<string, SentFile>();

/** @throws ApiError that says what is wrong with the file, before it is sent. */
export async function readFile(file: File, source: ImportSource): Promise<ChosenFile> {
  if (file.size > MAX_BYTES)
    throw wrong(
      `${file.name} has ${formatBytes(file.size)}, and a file may have 50 MB. Divide it, and import the parts one after the other.`,
    );
  if (file.size === 0) throw wrong(`${file.name} is empty. Export it again.`);
  const { HEAD_BYTES, readHead } = await import('@service/links/import/file-head.ts');
  try {
    const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    return { file, head: readHead(bytes, { source, isWhole: file.size <= HEAD_BYTES }) };
  } catch (error) {
    if (error instanceof DOMException)
      throw wrong(`${file.name} cannot be read. If it is a folder, choose the file within.`);
    throw error instanceof Error && error.name === 'ImportFileError'
      ? wrong(error.message)
      : toApiError(error);
  }
}

function wrong(message: string): ApiError {
  return new ApiError(message, 'import.file');
}

export function typeOf({ format }: FileHead): string {
  return format === 'csv' ? 'text/csv' : 'application/x-ndjson';
}
