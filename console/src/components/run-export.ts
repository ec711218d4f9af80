/** Runs an export; loaded with the pages that have one. */
import { toApiError } from '../api/error.ts';
import { BYTE_ORDER_MARK, chooseFile } from './download.ts';
import { type Exporting, exporting, setExport } from './exporting.ts';

/** `json` is one object with lists of records. */
type ExportFormat = 'csv' | 'ndjson' | 'json';

/** Of records, as the service streams them. @param isLarge whether it may be more than memory should hold. */
export async function exportRows({
  name,
  format,
  total,
  isLarge,
  read,
}: {
  name: string;
  format: ExportFormat;
  total: string | null;
  isLarge: boolean;
  read: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
}): Promise<void> {
  if (exporting()?.state === 'running') return;
  const abort = new AbortController();
  const file = await chooseFile(name, isLarge);
  if (file === null) return;
  const start: Exporting = {
    name,
    total,
    rows: 0,
    state: 'running',
    error: null,
    cancel: () => abort.abort(),
  };
  setExport(start);
  addEventListener('beforeunload', askToStay);
  let rows = 0;
  const onRows = (counted: number) => {
    rows = counted;
    setExport({ ...start, rows });
  };
  const counting = format === 'json' ? countRecords(onRows) : countRows(format, onRows);
  try {
    const stream = await read(abort.signal);
    await file.save(stream.pipeThrough(counting, { signal: abort.signal }));
    setExport({ ...start, rows, state: 'done' });
  } catch (error) {
    setExport(abort.signal.aborted ? null : { ...start, rows, state: 'failed', error: toApiError(error) });
  } finally {
    removeEventListener('beforeunload', askToStay);
  }
}

const QUOTE = '"'.charCodeAt(0);
const LINE_END = '\n'.charCodeAt(0);

/** Passes the bytes on, CSV behind a byte order mark. A line end within quotes, as CSV has it, begins no row. */
function countRows(
  format: 'csv' | 'ndjson',
  onRows: (rows: number) => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let rows = format === 'csv' ? -1 : 0;
  let isQuoted = false;
  return new TransformStream({
    start(controller) {
      if (format === 'csv') controller.enqueue(new TextEncoder().encode(BYTE_ORDER_MARK));
    },
    transform(bytes, controller) {
      for (const byte of bytes)
        if (byte === QUOTE && format === 'csv') isQuoted = !isQuoted;
        else if (byte === LINE_END && !isQuoted) rows++;
      controller.enqueue(bytes);
      onRows(Math.max(0, rows));
    },
  });
}

/** Passes the bytes on. A record is an object in a list of the outer object. */
function countRecords(
  onRows: (rows: number) => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const [open, close] = [new Set([...'{['].map(codeOf)), new Set([...'}]'].map(codeOf))];
  let [rows, depth] = [0, 0];
  let [isQuoted, isEscaped] = [false, false];
  return new TransformStream({
    transform(bytes, controller) {
      for (const byte of bytes)
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = isQuoted;
        else if (byte === QUOTE) isQuoted = !isQuoted;
        else if (!isQuoted && open.has(byte)) rows += ++depth === 3 ? 1 : 0;
        else if (!isQuoted && close.has(byte)) depth--;
      controller.enqueue(bytes);
      onRows(rows);
    },
  });
}

const codeOf = (text: string) => text.charCodeAt(0);
const BACKSLASH = codeOf('\\');

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
