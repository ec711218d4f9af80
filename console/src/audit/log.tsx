/** A log of changes: who did what, with old and new values, filtered by its address. */
import type { AuditLogEntry } from '@generated/types.gen.ts';
import type { Read } from '../api/use-read.ts';
import { Empty } from '../components/page.tsx';
import { Pane } from '../components/pane.tsx';
import { Time } from '../components/time.tsx';
import { authorOf } from './author.ts';
import { Changes } from './changes.tsx';
import { type LogSearch, PAGE } from './log-search.ts';
import { RecordLink } from './record-link.tsx';
import { sentenceOf, sentenceOfBatch } from './sentence.ts';

export function Log({
  read,
  search,
  onSearch,
}: {
  read: Read<readonly AuditLogEntry[]>;
  search: LogSearch;
  onSearch: (search: LogSearch) => void;
}) {
  const isPaged = search.before !== undefined || search.after !== undefined;
  const first = { ...search, before: undefined, after: undefined };
  const isUpwards = search.order === 'asc';
  return (
    <div className="mt-2 border-t border-line">
      <Pane read={read} rows={12}>
        {(entries) => (
          <>
            {entries.length === 0 ? (
              <Nothing
                isFiltered={Object.values(search).some((value) => value !== undefined)}
                onSearch={onSearch}
              />
            ) : (
              <ol>
                {inBatches(entries).map(([entry, ...others]) => (
                  <Entry
                    key={entry.id}
                    entry={entry}
                    others={others}
                    onSearch={(filter) => onSearch({ ...first, ...filter })}
                  />
                ))}
              </ol>
            )}
            <nav aria-label="Pages" className="flex gap-2 pt-3">
              {isPaged && (
                <button type="button" className="btn" onClick={() => onSearch(first)}>
                  {isUpwards ? 'Oldest' : 'Newest'}
                </button>
              )}
              {entries.length === PAGE && (
                <button
                  type="button"
                  className="btn"
                  onClick={() => onSearch({ ...first, [isUpwards ? 'after' : 'before']: entries.at(-1)?.id })}
                >
                  {isUpwards ? 'Newer' : 'Older'}
                </button>
              )}
            </nav>
          </>
        )}
      </Pane>
    </div>
  );
}

function Nothing({ isFiltered, onSearch }: { isFiltered: boolean; onSearch: (search: LogSearch) => void }) {
  if (!isFiltered)
    return (
      <Empty title="Nothing yet">
        <p className="text-ink-2">
          Changes, exports, privacy requests and messages given up are listed here.
        </p>
      </Empty>
    );
  return (
    <Empty title="No entry fits these filters">
      <button type="button" className="btn" onClick={() => onSearch({})}>
        Remove all filters
      </button>
    </Empty>
  );
}

type Batch = readonly [AuditLogEntry, ...AuditLogEntry[]];

/** Neighbours that one call made are one item of the list. */
function inBatches(entries: readonly AuditLogEntry[]): Batch[] {
  const batches: Batch[] = [];
  for (const entry of entries) {
    const last = batches.at(-1);
    const { batch } = entry.details;
    if (last !== undefined && batch !== undefined && last[0].details.batch === batch)
      batches[batches.length - 1] = [...last, entry];
    else batches.push([entry]);
  }
  return batches;
}

function Entry({
  entry,
  others,
  onSearch,
}: {
  entry: AuditLogEntry;
  others: readonly AuditLogEntry[];
  onSearch: (search: LogSearch) => void;
}) {
  const { actor, resource, action, createdAt } = entry;
  const { record } = sentenceOf(entry);
  const author = authorOf(actor);
  return (
    <li className="grid gap-x-4 border-b border-line py-2 phone:grid-cols-[1fr_auto]">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p>
          <button
            type="button"
            className="link font-semibold"
            title={actor.email ?? undefined}
            aria-label={`Only what ${author} did`}
            onClick={() =>
              onSearch({ actor: actor.id ?? (actor.type === 'command_line' ? 'admin' : actor.type) })
            }
          >
            {author}
          </button>{' '}
          {others.length === 0 ? <Did entry={entry} /> : sentenceOfBatch(action, others.length + 1)}
        </p>
        {others.length === 0 ? <Values entry={entry} /> : <EachOf entries={[entry, ...others]} />}
      </div>
      <p className="meta phone:text-right">
        <Time at={createdAt} seconds={false} />
        <span className="flex flex-wrap gap-x-2 phone:justify-end">
          <button
            type="button"
            className="mono hover:text-accent hover:underline"
            aria-label={`Only ${action}`}
            onClick={() => onSearch({ action })}
          >
            {action}
          </button>
          {resource.id !== null && others.length === 0 && (
            <button
              type="button"
              className="hover:text-accent hover:underline"
              onClick={() => onSearch({ resource: resource.id ?? undefined })}
            >
              History<span className="sr-only"> of {record === '' ? 'it' : record}</span>
            </button>
          )}
        </span>
      </p>
    </li>
  );
}

function Did({ entry }: { entry: AuditLogEntry }) {
  const { before, record, after } = sentenceOf(entry);
  return (
    <>
      {before} {record !== '' && <RecordLink resource={entry.resource} text={record} />}
      {after}
    </>
  );
}

function Values({ entry }: { entry: AuditLogEntry }) {
  if (sentenceOf(entry).saysValues || entry.details.changes === undefined) return null;
  return (
    <div className="text-ink-2">
      <Changes details={entry.details} />
    </div>
  );
}

function EachOf({ entries }: { entries: readonly AuditLogEntry[] }) {
  return (
    <details>
      <summary className="text-ink-2">Each of them</summary>
      <ul className="pl-4">
        {entries.map((entry) => (
          <li key={entry.id} className="pt-1">
            <RecordLink resource={entry.resource} text={sentenceOf(entry).record} />
            <Values entry={entry} />
          </li>
        ))}
      </ul>
    </details>
  );
}
