/** Where the last export into a folder ended. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../replace-file.ts';
import { refuseFolder, type WarehouseOptions } from './warehouse-options.ts';

/** Of the columns of all kinds: raised by each change of a name, a type or a unit. */
export const SCHEMA_VERSION = 1;

/** With a low line in front, readers of the folder pass it over. */
const NAME = '_throughline.json';

export interface WarehouseState {
  /** When the last export began. */
  readonly exportedAt: string;
  /** Files of earlier days are complete. */
  readonly completeBefore: string;
}

interface StoredState extends WarehouseState {
  readonly schema: number;
  readonly app: string;
  readonly sandbox: boolean;
}

/** Null before the first export, and after one with other columns: then all days are written that are still stored. */
export async function readState({
  folder,
  appId,
  isSandbox,
}: WarehouseOptions): Promise<WarehouseState | null> {
  const text = await readFile(join(folder, NAME), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const state = parse(text) ?? refuseFolder(folder, `a file ${NAME} that is none of an export`);
  if (state.app !== appId) refuseFolder(folder, `the records of another app, ${state.app}`);
  if (state.sandbox !== isSandbox)
    refuseFolder(folder, state.sandbox ? 'sandbox records' : 'live records, not those of the sandbox');
  return state.schema === SCHEMA_VERSION ? state : null;
}

function parse(text: string): StoredState | null {
  try {
    const state = JSON.parse(text) as StoredState;
    const isState = typeof state.app === 'string' && !Number.isNaN(Date.parse(state.exportedAt));
    return isState && !Number.isNaN(Date.parse(state.completeBefore)) ? state : null;
  } catch {
    return null;
  }
}

export async function writeState(
  { folder, appId: app, isSandbox: sandbox }: WarehouseOptions,
  state: WarehouseState,
): Promise<void> {
  const stored: StoredState = { schema: SCHEMA_VERSION, app, sandbox, ...state };
  await replaceFile(join(folder, NAME), (draft) => writeFile(draft, `${JSON.stringify(stored, null, 2)}\n`));
}
