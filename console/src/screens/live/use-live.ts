import { use, useEffect, useRef, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { type LiveRecord, readRecord } from './live-record.ts';

const KEPT = 200;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

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
 * The stream of the app, newest first. It connects again after every loss.
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
    const add = ({ data }: MessageEvent<string>) => {
      const record = readRecord(data);
      const added = (list: readonly LiveRecord[]) => [record, ...list].slice(0, KEPT);
      if (paused.current) setHeld(added);
      else setRecords(added);
    };
    setRecords([]);
    setHeld([]);
    return connect(`${SERVICE_URL}v1/live?${query}`, setState, add);
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

/**
 * The browser connects again after a broken connection, but never after an answer other than 200:
 * then this opens a new source, each time after a longer delay.
 * @returns ends the connection.
 */
function connect(
  address: string,
  onState: (state: 'listening' | 'lost') => void,
  onMessage: (message: MessageEvent<string>) => void,
): () => void {
  let delayMs = FIRST_DELAY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source = open();
  function open(): EventSource {
    const opened = new EventSource(address);
    opened.onmessage = onMessage;
    opened.onopen = () => {
      delayMs = FIRST_DELAY_MS;
      onState('listening');
    };
    opened.onerror = () => {
      onState('lost');
      if (opened.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(() => {
        source = open();
      }, delayMs);
      delayMs = Math.min(LONGEST_DELAY_MS, 2 * delayMs);
    };
    return opened;
  }
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
