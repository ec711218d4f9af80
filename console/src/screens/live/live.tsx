/** New records as they come. */

import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Mark, type RecordKind } from '../../components/mark.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { formatCount } from '../../formats.ts';
import { Rows } from './live-rows.tsx';
import { TestPhone } from './test-phone.tsx';
import { useLive } from './use-live.ts';
import { walkOf } from './walk.ts';

const route = getRouteApi('/$appId/live');

const KINDS = [
  ['click', 'Clicks'],
  ['install', 'Installs'],
  ['open', 'Opens'],
  ['event', 'Events'],
] as const;

export function Live() {
  const [hidden, setHidden] = useState<ReadonlySet<RecordKind>>(new Set());
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/live' });
  const { shortCode } = search;
  const isSandbox = search.sandbox === 'true';
  const set = (change: typeof search) => void navigate({ search: { ...search, ...change } });
  const { records, waiting, state, isPaused, setPaused, clear } = useLive(isSandbox, shortCode);
  const [marker, setMarker] = useState(makeMarker);
  const walk = walkOf(shortCode === undefined ? [] : records, marker);
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
              onChange={({ target }) => set({ sandbox: target.checked ? 'true' : undefined })}
            />
            Sandbox
          </label>
          <button type="button" className="btn" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'} <kbd>Space</kbd>
          </button>
        </div>
      </Head>
      <div className="grid grid-cols-[minmax(0,1fr)_300px] gap-x-12 max-wide:grid-cols-1">
        <div className="min-w-0">
          {shown.length === 0 ? (
            <Empty title="Nothing yet">
              <p className="text-ink-2">
                Open a link with a phone, or start the app on one: its click, install, open and events show
                here within a second.
              </p>
            </Empty>
          ) : (
            <Rows records={shown} joined={walk.joined} />
          )}
        </div>
        <TestPhone
          shortCode={shortCode}
          walk={walk}
          onPick={(picked) => set({ shortCode: picked })}
          marker={marker}
          onStartOver={() => {
            clear();
            setMarker(makeMarker());
          }}
        />
      </div>
    </>
  );
}

/** Tells the clicks of the code on this page from others of the link. */
function makeMarker(): string {
  return crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36) ?? '';
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
