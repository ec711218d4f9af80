import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programFile } from '../lib/program-folder.ts';

const FOLDER = programFile('docs');
/** What a reader looks for first, before the design of the service. */
const PARTS = [
  ['guide', 'Guides'],
  ['reference', 'Reference'],
] as const;

interface Part {
  readonly name: string;
  /** Of its documents, below `docs`. */
  readonly paths: readonly string[];
}

export async function readParts(): Promise<Part[]> {
  return await Promise.all(
    PARTS.map(async ([folder, name]) => {
      const files = (await readdir(join(FOLDER, folder))).filter((file) => file.endsWith('.md')).sort();
      return { name, paths: files.map((file) => `${folder}/${file}`) };
    }),
  );
}

/** @param path below `docs` */
export async function readOrNull(path: string): Promise<Buffer | null> {
  return await readFile(join(FOLDER, path)).catch(() => null);
}
