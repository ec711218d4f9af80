import { listAuditLog } from '@generated/sdk.gen.ts';
import type { AuditLogEntry } from '@generated/types.gen.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { authorOf } from '../../audit/author.ts';
import { Changes } from '../../audit/changes.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { shortId } from '../../formats.ts';

const route = getRouteApi('/$appId/audit-log');
const PAGE = 50;

export function AuditLog() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/audit-log' });
  const query = {
    limit: PAGE,
    ...(search.action !== undefined && { action: search.action }),
    ...(search.before !== undefined && { before: search.before }),
  };
  const read = useRead(['audit-log', query], (client, signal) =>
    listAuditLog({ client, query, signal, throwOnError: true }),
  );
  return (
    <>
      <Head title="Audit log">
        {search.action !== undefined && (
          <button
            type="button"
            className="tag min-h-7"
            aria-label={`Remove the filter ${search.action}`}
            onClick={() => void navigate({ search: {} })}
          >
            {search.action} <span aria-hidden="true">×</span>
          </button>
        )}
      </Head>
      <div className="mt-2 border-t border-line">
        <Pane read={read} rows={12}>
          {(entries) => (
            <>
              <Entries entries={entries} onPick={(action) => void navigate({ search: { action } })} />
              <nav aria-label="Pages" className="flex gap-2 pt-3">
                {search.before !== undefined && (
                  <button
                    type="button"
                    className="btn"
                    onClick={() => void navigate({ search: { ...search, before: undefined } })}
                  >
                    Newest
                  </button>
                )}
                {entries.length === PAGE && (
                  <button
                    type="button"
                    className="btn"
                    onClick={() => void navigate({ search: { ...search, before: entries.at(-1)?.id } })}
                  >
                    Older
                  </button>
                )}
              </nav>
            </>
          )}
        </Pane>
      </div>
    </>
  );
}

function Entries({
  entries,
  onPick,
}: {
  entries: readonly AuditLogEntry[];
  onPick: (action: string) => void;
}) {
  if (entries.length === 0)
    return (
      <Empty title="Nothing yet">
        <p className="text-ink-2">
          Changes of settings, privacy requests and abandoned deliveries are listed here.
        </p>
      </Empty>
    );
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">By</th>
          <th scope="col">Details</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, action, createdAt, details }) => (
          <tr key={id}>
            <td data-name="When">
              <Time at={createdAt} />
            </td>
            <td data-name="What">
              <button
                type="button"
                className="mono text-left whitespace-nowrap hover:text-accent hover:underline"
                onClick={() => onPick(action)}
              >
                {action}
              </button>
            </td>
            <td data-name="By" className="text-ink-2">
              {authorOf(details)}
            </td>
            <td data-name="Details" className="break-words text-ink-2">
              {action === 'link.updated' ? <ChangedLink details={details} /> : <Details details={details} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ChangedLink({ details }: Pick<AuditLogEntry, 'details'>) {
  return (
    <div>
      <p>/{String(details.shortCode)}</p>
      <Changes details={details} />
    </div>
  );
}

const IN_OTHER_COLUMNS = ['email', 'userEmail', 'changedBy', 'userId'];

function Details({ details }: Pick<AuditLogEntry, 'details'>) {
  const named = Object.entries(details).filter(([name]) => !IN_OTHER_COLUMNS.includes(name));
  return (
    <div>
      {named.map(([name, value], index) => (
        <span key={name}>
          {index > 0 && ', '}
          {name} <Value value={value} />
        </span>
      ))}
    </div>
  );
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Identifiers are short to read and whole to copy. */
function Value({ value }: { value: unknown }) {
  if (Array.isArray(value)) return value.join(' ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!UUID.test(text)) return text;
  return (
    <CopyButton className="mono hover:text-accent hover:underline" title={`Copy ${text}`} text={text}>
      {shortId(text)}
    </CopyButton>
  );
}
