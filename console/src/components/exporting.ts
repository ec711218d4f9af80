/** The export that runs: it goes on while the user looks at other pages of the console. */
import type { ApiError } from '../api/error.ts';

export interface Exporting {
  /** Of the file. */
  readonly name: string;
  readonly rows: number;
  /** How many there will be, as text; null where that is not known. */
  readonly total: string | null;
  readonly state: 'running' | 'done' | 'failed';
  readonly error: ApiError | null;
  readonly cancel: () => void;
}

let current: Exporting | null = null;
const listeners = new Set<() => void>();

export function exporting(): Exporting | null {
  return current;
}

export function onExporting(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setExport(next: Exporting | null): void {
  current = next;
  for (const listener of listeners) listener();
}
