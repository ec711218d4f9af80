import { listImportRows } from '@generated/sdk.gen.ts';
import type { Import } from '@generated/types.gen.ts';
import { use, useEffect, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { type ApiError, toApiError } from '../../api/error.ts';
import { isEnough, NONE_PICKED, type PickedRows, pickRows, type Wanted } from './pick-rows.ts';

const MAX_WRONG = 200;
const MAX_GOOD = 5;
/** Read at once, and for so long, before the page has its turn. */
const SLICE_CHARACTERS = 16 * 1024;
const AT_ONCE_MS = 20;

export interface ReportRows {
  readonly picked: PickedRows;
  readonly isDone: boolean;
  readonly error: ApiError | null;
}

/** The first rows of a report that its page shows, as they arrive; the rest is not read. */
export function useReportRows({ id, created, unchanged, conflicts, failed, rows }: Import): ReportRows {
  const { client } = use(AppContext);
  const [state, setState] = useState<ReportRows>({ picked: NONE_PICKED, isDone: false, error: null });
  const wrong = Math.min(MAX_WRONG, conflicts + failed);
  const good = Math.min(MAX_GOOD, created + unchanged);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const open = async () => {
      const call = { client, path: { id }, signal, parseAs: 'stream' as const, throwOnError: true as const };
      return (await listImportRows(call)).data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
    };
    const tell = (picked: PickedRows, isDone: boolean) => {
      if (!signal.aborted) setState({ picked, isDone, error: null });
    };
    (rows === 0 ? Promise.resolve() : readRows(open, { wrong, good }, tell))
      .then(() => setState((before) => ({ ...before, isDone: true })))
      .catch((error: unknown) => {
        if (!signal.aborted) setState((before) => ({ ...before, isDone: true, error: toApiError(error) }));
      });
    return () => abort.abort();
  }, [client, id, rows, wrong, good]);
  return state;
}

async function readRows(
  open: () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>,
  wanted: Wanted,
  tell: (picked: PickedRows, isDone: boolean) => void,
): Promise<void> {
  const { createCsvRows } = await import('@service/links/import/csv-rows.ts');
  const reader = (await open()).pipeThrough(new TextDecoderStream()).getReader();
  const table = createCsvRows();
  const giveWay = createWay();
  let picked = NONE_PICKED;
  let isHeader = true;
  const take = (rows: ReturnType<typeof table.end>) => {
    const before = picked;
    picked = pickRows(before, isHeader ? rows.slice(1) : rows, wanted);
    isHeader &&= rows.length === 0;
    if (picked.wrong.length + picked.good.length > before.wrong.length + before.good.length)
      tell(picked, false);
  };
  while (!isEnough(picked, wanted)) {
    const { done, value } = await reader.read();
    if (done) take(table.end());
    if (done) break;
    for (let at = 0; at < value.length && !isEnough(picked, wanted); at += SLICE_CHARACTERS) {
      take(table.write(value.slice(at, at + SLICE_CHARACTERS)));
      await giveWay();
    }
  }
  tell(picked, true);
  await reader.cancel();
}

/** Lets the page answer a press while a long report is read. */
function createWay(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < AT_ONCE_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    sinceMs = performance.now();
  };
}
