import { listAuditLog } from '@generated/sdk.gen.ts';
import type { AuditLogEntry, Link } from '@generated/types.gen.ts';
import { useRead } from '../../api/use-read.ts';
import { authorOf } from '../../audit/author.ts';
import { Changes } from '../../audit/changes.tsx';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';

const SHOWN = 20;

/** Who changed which fields, and when. */
export function History({ link: { shortCode } }: { link: Link }) {
  const read = useRead(['links', shortCode, 'history'], (client, signal) =>
    listAuditLog({ client, query: { shortCode, limit: SHOWN }, signal, throwOnError: true }),
  );
  return (
    <Section title="History">
      <Pane read={read} rows={2}>
        {(entries) => (
          <>
            <ol>
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ol>
            <p className="meta pt-2">
              {entries.length === SHOWN ? `The newest ${SHOWN} changes.` : 'Changes are kept for a year.'}
            </p>
          </>
        )}
      </Pane>
    </Section>
  );
}

function Entry({ entry: { action, actor, createdAt, details } }: { entry: AuditLogEntry }) {
  return (
    <li className="flex flex-wrap justify-between gap-x-4 border-b border-line py-2">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        {action === 'link.updated' ? (
          <Changes details={details} />
        ) : action === 'link.created' ? (
          'Made'
        ) : (
          'Deleted'
        )}
      </div>
      <p className="meta ml-auto min-w-0 text-right [overflow-wrap:anywhere]">
        {authorOf(actor)}, <Time at={createdAt} seconds={false} />
      </p>
    </li>
  );
}
