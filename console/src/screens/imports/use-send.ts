import type { Import } from '@generated/types.gen.ts';
import { use, useEffect, useRef, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { type ApiError, toApiError } from '../../api/error.ts';
import { upload } from '../../api/upload.ts';
import { useRefresh } from '../../api/use-read.ts';
import type { SentFile } from './chosen-file.ts';

export interface Sending {
  /** Of the file, from 0 to 1; null while none is sent. */
  readonly share: number | null;
  readonly error: ApiError | null;
  readonly send: (sent: SentFile, isDryRun: boolean) => void;
  readonly cancel: () => void;
  readonly reset: () => void;
}

/** Sends a file; leaving the page ends it, and then nothing is stored. */
export function useSend(done: (started: Import, sent: SentFile) => void): Sending {
  const { app } = use(AppContext);
  const refresh = useRefresh();
  const running = useRef<AbortController | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (sent: SentFile, isDryRun: boolean, abort: AbortController) => {
    const query = new URLSearchParams({ source: sent.source, dryRun: String(isDryRun) });
    if (sent.columns !== null) query.set('columns', sent.columns);
    try {
      const started = await upload<Import>({
        ...{ appId: app.id, path: `v1/imports?${query}`, type: sent.type, file: sent.file },
        signal: abort.signal,
        onProgress: setShare,
      });
      await refresh('imports');
      if (!abort.signal.aborted) done(started, sent);
    } catch (cause) {
      if (!abort.signal.aborted) setError(toApiError(cause));
    } finally {
      running.current = null;
      setShare(null);
    }
  };
  return {
    share,
    error,
    send(sent, isDryRun) {
      if (running.current !== null) return;
      running.current = new AbortController();
      setError(null);
      setShare(0);
      void start(sent, isDryRun, running.current);
    },
    cancel: () => running.current?.abort(),
    reset: () => setError(null),
  };
}
