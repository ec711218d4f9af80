/** What can be done with the selected links, and how to select all that fit. */
import { listLinks } from '@generated/sdk.gen.ts';
import type { Link, ListLinksData } from '@generated/types.gen.ts';
import { useRef, useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Refusal } from '../../components/pane.tsx';
import { formatCount, plural } from '../../formats.ts';
import type { Selection } from './use-selection.ts';

const BatchEdit = lateDialog(async () => (await import('./batch-edit.tsx')).BatchEdit);
const BatchDelete = lateDialog(async () => (await import('./batch-delete.tsx')).BatchDelete);

/** Each page is one call, of which the service takes 120 a minute. */
const MOST = 5_000;
const PAGE = 100;

type Query = NonNullable<ListLinksData['query']>;

export function BatchBar({
  selection,
  query,
  hasMore,
}: {
  selection: Selection;
  /** Of the list, without its page. */
  query: Query;
  /** Whether the list has other links than those that are shown. */
  hasMore: boolean;
}) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const bar = useRef<HTMLElement>(null);
  const links = [...selection.links.values()];
  const all = useSelectAll(query, selection);
  const close = (isDone: boolean) => {
    setOpen(null);
    if (isDone) selection.clear();
  };
  return (
    <>
      {links.length > 0 && (
        <section
          ref={bar}
          aria-label="Selected links"
          className="z-10 flex flex-wrap items-center gap-2 border-b border-line bg-surface py-2 phone:sticky phone:top-0"
        >
          <p role="status" className="mr-2 font-semibold">
            {all.isRunning
              ? `Selecting all: ${formatCount(all.read)} so far`
              : `${plural(links.length, 'link')} selected`}
          </p>
          <button type="button" className="btn" onClick={() => setOpen('edit')}>
            Edit
          </button>
          <button type="button" className="btn" onClick={() => setOpen('delete')}>
            Delete
          </button>
          {hasMore && !all.isComplete && (
            <button type="button" className="btn btn-quiet" aria-disabled={all.isRunning} onClick={all.run}>
              Select all that fit
            </button>
          )}
          <button type="button" className="btn btn-quiet" onClick={selection.clear}>
            Select none
          </button>
          {all.isFull && (
            <p className="meta">The first {formatCount(MOST)} are selected. Edit these first, or filter.</p>
          )}
          <Refusal error={all.error} />
        </section>
      )}
      <BatchEdit links={links} isOpen={open === 'edit'} onClose={close} />
      <BatchDelete links={links} isOpen={open === 'delete'} onClose={close} />
    </>
  );
}

/** Oldest first, so that links that are made meanwhile shift none. */
function useSelectAll(query: Query, selection: Selection) {
  const [read, setRead] = useState(0);
  const [result, setResult] = useState<'complete' | 'full' | null>(null);
  const change = useChange<void, Link[]>(
    async (client) => {
      const found: Link[] = [];
      for (;;) {
        const page = {
          ...query,
          sort: 'createdAt',
          order: 'asc',
          limit: PAGE,
          offset: found.length,
        } as const;
        const { data } = await listLinks({ client, query: page, throwOnError: true });
        found.push(...data);
        setRead(found.length);
        if (data.length < PAGE || found.length >= MOST) {
          setResult(found.length >= MOST ? 'full' : 'complete');
          return found;
        }
      }
    },
    (found) => selection.toggle(found, true),
  );
  const isAny = selection.links.size > 0;
  return {
    ...{ read, isRunning: change.isRunning, error: change.error, run: () => change.run() },
    isComplete: isAny && result === 'complete' && selection.links.size >= read,
    isFull: isAny && result === 'full',
  };
}
