/** New records as they come. */

import { Link } from '@tanstack/react-router';
import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { Mark, type RecordKind } from '../../components/mark.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Time } from '../../components/time.tsx';
import { formatCount, formatCountry, formatMoney, METHODS, PLATFORMS } from '../../formats.ts';
import type { LiveRecord } from './live-record.ts';
import { useLive } from './use-live.ts';

const KINDS = [
  ['click', 'Clicks'],
  ['install', 'Installs'],
  ['open', 'Opens'],
  ['event', 'Events'],
] as const;

export function Live() {
  const [hidden, setHidden] = useState<ReadonlySet<RecordKind>>(new Set());
  const [isSandbox, setSandbox] = useState(false);
  const { records, waiting, state, isPaused, setPaused } = useLive(isSandbox);
  useShortcuts({ ' ': () => setPaused(!isPaused) });
  const shown = records.filter(({ type }) => !hidden.has(type));
  const toggle = (kind: RecordKind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setHidden(next);
  };
  return (
    <>
      <Head title="Live">
        <State state={isPaused ? 'paused' : state} waiting={waiting} />
        <div className="ml-auto flex flex-wrap items-center gap-2 max-phone:ml-0">
          <fieldset className="flex min-w-0 overflow-hidden rounded-m border border-line-control">
            <legend className="sr-only">Show</legend>
            {KINDS.map(([kind, name]) => (
              <button
                key={kind}
                type="button"
                aria-pressed={!hidden.has(kind)}
                className={`flex h-(--control) items-center gap-1.5 border-l border-line px-3 first:border-0 max-phone:px-1 ${hidden.has(kind) ? 'text-ink-3' : 'bg-accent-soft'}`}
                onClick={() => toggle(kind)}
              >
                <Mark kind={kind} />
                {name}
              </button>
            ))}
          </fieldset>
          <label className="flex h-(--control) items-center gap-2 px-1">
            <input
              type="checkbox"
              className="check"
              checked={isSandbox}
              onChange={({ target }) => setSandbox(target.checked)}
            />
            Sandbox
          </label>
          <button type="button" className="btn" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'} <kbd>Space</kbd>
          </button>
        </div>
      </Head>
      {shown.length === 0 ? (
        <Empty title="Nothing yet">
          <p className="text-ink-2">
            Open a link with a phone, or start the app on one: its click, install, open and events show here
            within a second.
          </p>
        </Empty>
      ) : (
        <Rows records={shown} />
      )}
    </>
  );
}

const STATES = {
  listening: 'Listening',
  connecting: 'Connecting',
  lost: 'Connection lost, trying again',
  paused: 'Paused',
} as const;

function State({ state, waiting }: { state: keyof typeof STATES; waiting: number }) {
  return (
    <p className="flex items-center gap-2 text-ink-2" role="status">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${state === 'listening' ? 'bg-accent' : state === 'lost' ? 'bg-bad' : 'bg-mute'}`}
      />
      {STATES[state]}
      {waiting > 0 && `, ${formatCount(waiting)} new`}
    </p>
  );
}

function Rows({ records }: { records: readonly LiveRecord[] }) {
  return (
    <>
      <ol className="mt-4 border-t border-line">
        {records.map((record) => (
          <Row key={`${record.type} ${record.id}`} record={record} />
        ))}
      </ol>
      <p className="meta pt-2">
        The last {formatCount(records.length)} since this page was opened. Countries by{' '}
        <a className="link" href="https://db-ip.com" target="_blank" rel="noreferrer">
          DB-IP
        </a>
        , CC BY 4.0.
      </p>
    </>
  );
}

function Row({ record }: { record: LiveRecord }) {
  const { app } = use(AppContext);
  const { type, at, shortCode, platform, country } = record;
  return (
    <li className="grid min-h-9 grid-cols-[12px_72px_minmax(0,1fr)_140px_64px_120px] items-center gap-x-4 border-b border-line max-phone:grid-cols-[12px_minmax(0,1fr)_auto] max-phone:py-2">
      <Mark kind={type} />
      <span className="text-ink-3 max-phone:order-2 max-phone:text-right">
        <Time at={at} isToday />
      </span>
      <span className="min-w-0 truncate max-phone:order-1">
        <What record={record} />
      </span>
      <span className="mono min-w-0 truncate max-phone:order-3 max-phone:col-start-2">
        {shortCode === null ? (
          <span className="text-ink-3">no link</span>
        ) : (
          <Link
            to="/$appId/links/$shortCode"
            params={{ appId: app.id, shortCode }}
            className="hover:text-accent hover:underline"
          >
            /{shortCode}
          </Link>
        )}
      </span>
      <span className="text-ink-2 max-phone:order-4 max-phone:text-right">
        {platform === null ? '' : PLATFORMS[platform]}
      </span>
      <span className="truncate text-ink-2 max-phone:hidden">
        {country === null ? '' : formatCountry(country)}
      </span>
    </li>
  );
}

function What({ record }: { record: LiveRecord }) {
  const { app } = use(AppContext);
  switch (record.type) {
    case 'click':
      return (
        <>Click{record.referrer !== null && <span className="text-ink-2"> from {record.referrer}</span>}</>
      );
    case 'event':
      return (
        <>
          {record.eventName}{' '}
          <span className="text-ink-2">{record.revenue !== null && formatMoney(record.revenue)}</span>
        </>
      );
    default: {
      const { method, confidence } = record;
      const how =
        confidence === null
          ? METHODS[method]
          : `${METHODS[method]}, ${Math.floor(Number(confidence) * 100)} %`;
      const name = record.type === 'install' ? 'Install' : 'Open';
      const installId = record.type === 'install' ? record.id : record.installId;
      return (
        <>
          {installId === null ? (
            name
          ) : (
            <Link
              to="/$appId/installs/$installId"
              params={{ appId: app.id, installId }}
              className="hover:text-accent hover:underline"
            >
              {name}
            </Link>
          )}{' '}
          <span className="text-ink-2">{how.toLowerCase()}</span>
        </>
      );
    }
  }
}
