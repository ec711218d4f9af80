/** The states of a read: loading, data, an error with or without old data. */
import { type ReactNode, use, useEffect, useState } from 'react';
import { AppContext } from '../api/app-context.ts';
import type { ApiError } from '../api/error.ts';
import type { Read } from '../api/use-read.ts';
import { formatTime } from '../formats.ts';
import { Empty } from './page.tsx';

const SHOW_LOADING_AFTER_MS = 300;

/**
 * @param rows of the skeleton: as many as the data will probably have, so that nothing jumps.
 * @param children show the data; `isOld` after a failed read, so that they can turn grey.
 */
export function Pane<T>({
  read,
  rows = 5,
  children,
}: {
  read: Read<T>;
  rows?: number;
  children: (data: T, isOld: boolean) => ReactNode;
}) {
  if (read.data === undefined)
    return read.error === null ? <Loading rows={rows} /> : <Failure error={read.error} retry={read.retry} />;
  const isOld = read.error !== null;
  return (
    <div aria-busy={read.isStale}>
      {read.error !== null && <OldNumbers error={read.error} read={read} />}
      <div className={isOld ? 'pane-old' : ''}>{children(read.data, isOld)}</div>
    </div>
  );
}

const WIDTHS = ['w-[82%]', 'w-[58%]', 'w-[55%]', 'w-[36%]', 'w-[30%]'];

export function Loading({ rows }: { rows: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SHOW_LOADING_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <ul aria-busy="true" aria-label="Loading" className={`pt-1.5 ${isLate ? '' : 'invisible'}`}>
      {Array.from({ length: rows }, (_, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          key={index}
          className="grid h-(--row) grid-cols-[1fr_48px] items-center gap-6"
        >
          <span className={`block h-[calc(var(--row)-4px)] rounded-s bg-hover ${WIDTHS[index % 5]}`} />
          <span className="block h-3 rounded-s bg-hover" />
        </li>
      ))}
    </ul>
  );
}

/** Instead of data that were never read. */
export function Failure({ error, retry }: { error: ApiError; retry?: () => void }) {
  if (error.code === 'role.too_low') return <NoPermission text={error.message} />;
  const isMissing = error.status === 404;
  return (
    <Empty title={isMissing ? 'Not found' : 'No answer'}>
      <p role="alert" className="text-ink-2">
        {error.message}
      </p>
      <Code error={error} />
      {retry !== undefined && !isMissing && (
        <button type="button" className="btn" onClick={retry}>
          Try again
        </button>
      )}
    </Empty>
  );
}

function OldNumbers<T>({ error, read }: { error: ApiError; read: Read<T> }) {
  return (
    <div className="mt-2">
      <div className="note note-bad" role="alert">
        <b>No answer</b>
        <p>
          What you see was read at {formatTime(new Date(read.readAtMs).toISOString())}.{' '}
          <button type="button" className="link" onClick={read.retry}>
            Try again
          </button>
        </p>
      </div>
      <Code error={error} />
    </div>
  );
}

/** For a report to the operator. */
function Code({ error }: { error: ApiError }) {
  return (
    <p className="meta pt-1">
      Code <code>{error.code}</code>
      {error.requestId !== null && `, request ${error.requestId}`}
    </p>
  );
}

export function NoPermission({ text }: { text: string }) {
  const { app } = use(AppContext);
  return (
    <Empty title="Your role does not include this">
      <p className="text-ink-2">
        You are {app.role === 'viewer' ? 'a viewer' : `an ${app.role}`} of {app.name}. {text}
      </p>
    </Empty>
  );
}

/** Below a form: the service's error message. */
export function Refusal({ error }: { error: ApiError | null }) {
  if (error === null) return null;
  return (
    <div role="alert">
      <p className="text-bad">{error.message}</p>
      <Code error={error} />
    </div>
  );
}
