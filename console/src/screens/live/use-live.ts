import { use, useEffect, useRef, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { type LiveRecord, readRecord } from './live-record.ts';

const KEPT = 200;

export interface LiveStream {
  readonly records: readonly LiveRecord[];
  /** Records that came during the pause. */
  readonly waiting: number;
  readonly state: 'connecting' | 'listening' | 'lost';
  readonly isPaused: boolean;
  readonly setPaused: (isPaused: boolean) => void;
  /** Forgets the records. */
  readonly clear: () => void;
}

/**
 * The stream of the app, newest first. The browser connects again by itself.
 * @param shortCode of the one link whose records come; undefined for all.
 */
export function useLive(isSandbox: boolean, shortCode: string | undefined): LiveStream {
  const { app } = use(AppContext);
  const [records, setRecords] = useState<readonly LiveRecord[]>([]);
  const [held, setHeld] = useState<readonly LiveRecord[]>([]);
  const [state, setState] = useState<LiveStream['state']>('connecting');
  const [isPaused, setPaused] = useState(false);
  const paused = useRef(false);
  useEffect(() => {
    const query = new URLSearchParams({ appId: app.id, sandbox: String(isSandbox) });
    if (shortCode !== undefined) query.set('shortCode', shortCode);
    const source = new EventSource(`${SERVICE_URL}v1/live?${query}`);
    setRecords([]);
    setHeld([]);
    source.onopen = () => setState('listening');
    source.onerror = () => setState('lost');
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const record = readRecord(data);
      const add = (list: readonly LiveRecord[]) => [record, ...list].slice(0, KEPT);
      if (paused.current) setHeld(add);
      else setRecords(add);
    };
    return () => source.close();
  }, [app.id, isSandbox, shortCode]);
  return {
    ...{ records, state, isPaused },
    waiting: held.length,
    setPaused: (next) => {
      paused.current = next;
      setPaused(next);
      if (next) return;
      setRecords((list) => [...held, ...list].slice(0, KEPT));
      setHeld([]);
    },
    clear: () => {
      setRecords([]);
      setHeld([]);
    },
  };
}
