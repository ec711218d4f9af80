import type { Client } from '@generated/client/index.ts';
import { type ReactNode, use } from 'react';
import { AppContext } from '../api/app-context.ts';
import { Caret, Menu, MenuItem } from './menu.tsx';
import { exportRows } from './run-export.ts';

const FORMATS = [
  ['csv', 'CSV, for spreadsheets', 'text/csv'],
  ['ndjson', 'NDJSON, an object a line', 'application/x-ndjson'],
] as const;

/** What a call of a list needs to stream one format. */
export interface StreamCall {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly headers: { readonly Accept: string };
  readonly parseAs: 'stream';
}

/** Saves all rows that fit the filters, on all pages. */
export function ExportRows({
  name,
  total = null,
  isLarge = false,
  read,
  children,
}: {
  /** Of the file, without its ending. */
  name: string;
  total?: string | null;
  isLarge?: boolean;
  read: (call: StreamCall) => Promise<{ data: unknown }>;
  /** What the file has. */
  children?: ReactNode;
}) {
  const { client } = use(AppContext);
  const start = (format: 'csv' | 'ndjson', accept: string) =>
    exportRows({
      name: `${name}.${format}`.replace(/[^\p{L}\p{N}. _-]+/gu, ' '),
      ...{ format, total, isLarge },
      read: async (signal) => {
        const { data } = await read({ client, signal, headers: { Accept: accept }, parseAs: 'stream' });
        return data as ReadableStream<Uint8Array>;
      },
    });
  return (
    <Menu
      align="end"
      trigger={
        <>
          Export <Caret />
        </>
      }
    >
      {children}
      {FORMATS.map(([format, words, accept]) => (
        <MenuItem key={format} onSelect={() => void start(format, accept)}>
          {words}
        </MenuItem>
      ))}
    </Menu>
  );
}
