import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = findFolder(import.meta.dirname);

/** @param path of a file that comes with the program, as in the repository. The bundle has it at the same place. */
export function programFile(path: string): string {
  return join(FOLDER, path);
}

/** Modules of the bundle lie elsewhere than their sources. */
function findFolder(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : findFolder(dirname(from));
}
