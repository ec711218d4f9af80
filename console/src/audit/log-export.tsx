import type { Client } from '@generated/client/index.ts';
import { useRef, useState } from 'react';
import { useChange } from '../api/use-change.ts';
import { BYTE_ORDER_MARK, download } from '../components/download.ts';
import { Menu, MenuItem } from '../components/menu.tsx';
import { Refusal } from '../components/pane.tsx';
import { formatBytes } from '../formats.ts';

const FORMATS = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
type Format = keyof typeof FORMATS;

/** Saves every entry that fits the filters, and shows how much has arrived. */
export function LogExport({
  name,
  read,
}: {
  name: string;
  read: (client: Client, accept: string, signal: AbortSignal) => Promise<unknown>;
}) {
  const [bytes, setBytes] = useState<number | null>(null);
  const abort = useRef<AbortController | null>(null);
  const change = useChange<Format, void>(
    async (client, format) => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      setBytes(0);
      try {
        const stream = (await read(client, FORMATS[format], signal)) as ReadableStream<
          Uint8Array<ArrayBuffer>
        >;
        const parts: Uint8Array<ArrayBuffer>[] = [];
        let received = 0;
        for await (const part of chunksOf(stream)) {
          parts.push(part);
          received += part.byteLength;
          setBytes(received);
        }
        const mark = format === 'csv' ? [BYTE_ORDER_MARK] : [];
        download(new Blob([...mark, ...parts], { type: FORMATS[format] }), `${name}.${format}`);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        setBytes(null);
      }
    },
    () => undefined,
  );
  return (
    <div className="ml-auto flex flex-wrap items-center gap-2">
      {bytes === null ? (
        <Menu trigger="Export" align="end">
          <MenuItem onSelect={() => change.run('csv')}>CSV</MenuItem>
          <MenuItem onSelect={() => change.run('ndjson')}>NDJSON</MenuItem>
        </Menu>
      ) : (
        <>
          <span role="status" className="meta">
            {formatBytes(bytes)} received
          </span>
          <button type="button" className="btn" onClick={() => abort.current?.abort()}>
            Cancel
          </button>
        </>
      )}
      <Refusal error={change.error} />
    </div>
  );
}

/** Not every browser iterates a stream itself. */
async function* chunksOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
