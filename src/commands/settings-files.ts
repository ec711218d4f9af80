/** Files of settings: those that Node was started with, or `.env` in the current directory. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { StartError } from '../errors.ts';
import { SETTINGS } from '../settings.ts';

const IN_DIRECTORY = '.env';
const OPTION = /^--env-file(?:-if-exists)?=(.+)$/;

/**
 * Reads `.env`, unless Node was started with other files: the directory may be that of another program.
 * @throws StartError when a file cannot be read, which Node takes for none, or has a setting without “=”.
 */
export function readSettingsFiles(): void {
  for (const path of existingFiles())
    try {
      accessSync(path, constants.R_OK);
      assertAssigned(path);
      if (path === IN_DIRECTORY) process.loadEnvFile(path);
    } catch (error) {
      if (error instanceof StartError) throw error;
      throw new StartError(`Failed to read ${path}: ${(error as Error).message.replace(/\.$/, '')}.`);
    }
}

/** As in YAML or in a shell's list. Node leaves such a line out without a word. */
const NOT_ASSIGNED = /^\s*([A-Z][A-Z0-9_]*)(?:\s*:|\s)\s*[^\s=]/;

/** @throws StartError for a setting without “=”. */
function assertAssigned(path: string): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    const [, name = ''] = NOT_ASSIGNED.exec(line) ?? [];
    if (Object.hasOwn(SETTINGS, name))
      throw new StartError(`Line ${index + 1} of ${path} sets nothing: write ${name}=value.`);
  }
}

/** Where SQLite sorts large tables and makes its file anew: what it takes by itself may be small or in memory. */
export function sortInDataDir(): void {
  process.env.SQLITE_TMPDIR ??= resolve(process.env.DATA_DIR || SETTINGS.DATA_DIR.default);
}

/** The names of settings in the files, with the last file of each. */
export function namesInFiles(): ReadonlyMap<string, string> {
  return new Map(
    existingFiles().flatMap((path) =>
      Object.keys(parseEnv(readFileSync(path, 'utf8'))).map((name) => [name, path] as const),
    ),
  );
}

function existingFiles(): string[] {
  const named = process.execArgv.flatMap((option) => OPTION.exec(option)?.[1] ?? []);
  return (named.length > 0 ? named : [IN_DIRECTORY]).filter((path) => existsSync(path));
}
