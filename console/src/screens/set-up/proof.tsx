import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Mark, type RecordKind } from '../../components/mark.tsx';
import { plural } from '../../formats.ts';
import type { Firsts } from './use-firsts.ts';

const route = getRouteApi('/$appId/set-up');

/** The story so far, as one line. */
export function Proof({ firsts }: { firsts: Firsts }) {
  const { appId } = route.useParams();
  const { clicks, installs, installId, hasEvent } = firsts;
  return (
    <aside className="max-wide:border-t max-wide:border-line max-wide:pt-6">
      <h2 className="pb-3">What is proved so far</h2>
      <ol>
        <Stage kind="click" name="Click" isDone={clicks > 0}>
          {clicks > 0 ? `${plural(clicks, 'click')} in the last year.` : 'Nobody clicked yet.'}
        </Stage>
        <Stage kind="install" name="Install" isDone={installs > 0}>
          {installs > 0 ? plural(installs, 'install') : 'No install yet.'}{' '}
          {installId !== null && (
            <Link to="/$appId/installs/$installId" params={{ appId, installId }} className="link">
              Why
            </Link>
          )}
        </Stage>
        <Stage kind="event" name="What follows" isDone={hasEvent}>
          {hasEvent ? 'The app reports events.' : 'No event yet.'}
        </Stage>
      </ol>
      <p className="meta pt-4">You can leave: this page ticks itself off.</p>
    </aside>
  );
}

function Stage({
  kind,
  name,
  isDone,
  children,
}: {
  kind: RecordKind;
  name: string;
  isDone: boolean;
  children: ReactNode;
}) {
  return (
    <li className="group relative grid grid-cols-[12px_minmax(0,1fr)] gap-x-4 pb-5 last:pb-0">
      <span
        aria-hidden="true"
        className={`absolute top-5 bottom-0 left-[5px] border-l-2 group-last:hidden ${isDone ? 'border-accent' : 'border-dotted border-mute'}`}
      />
      <span className={`pt-0.5 ${isDone ? 'text-accent' : 'text-mute'}`}>
        <Mark kind={kind} />
      </span>
      <div>
        <p className={isDone ? 'font-semibold' : 'text-ink-2'}>{name}</p>
        <p className="text-ink-2">{children}</p>
      </div>
    </li>
  );
}
