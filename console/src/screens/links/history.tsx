import { listAuditLog } from '@generated/sdk.gen.ts';
import type { AuditLogEntry, Link } from '@generated/types.gen.ts';
import { useRead } from '../../api/use-read.ts';
import { authorOf } from '../../audit/author.ts';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { formatMoment } from '../../formats.ts';

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

function Entry({ entry: { action, createdAt, details } }: { entry: AuditLogEntry }) {
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
        {authorOf(details)}, <Time at={createdAt} seconds={false} />
      </p>
    </li>
  );
}

/** As the form of a link names them. */
const FIELDS: Readonly<Record<string, string>> = {
  deepLinkPath: 'Path in the app',
  deepLinkParams: 'Parameters for the app',
  campaignId: 'Campaign',
  iosDestination: 'iPhones and iPads',
  androidDestination: 'Android phones',
  fallbackUrl: 'Everybody else',
  ogTitle: 'Title',
  ogDescription: 'Text',
  ogImage: 'Picture',
  landingPage: 'Page before the store',
  metadata: 'Metadata',
  sandbox: 'Sandbox',
  expiresAt: 'Ends',
};

function Changes({ details: { changes } }: Pick<AuditLogEntry, 'details'>) {
  const fields = typeof changes === 'object' && changes !== null ? Object.entries(changes) : [];
  if (fields.length === 0) return 'Saved';
  return fields.map(([name, change]) => (
    <p key={name}>
      {FIELDS[name] ?? name} <Values change={change} />
    </p>
  ));
}

/** The values of objects are not recorded. */
function Values({ change }: { change: unknown }) {
  if (typeof change !== 'object' || change === null || !('from' in change && 'to' in change))
    return 'changed';
  return (
    <>
      {change.from !== null && (
        <>
          <del className="text-ink-3">{textOf(change.from)}</del>
          <span className="sr-only"> to</span>{' '}
        </>
      )}
      <ins className="no-underline">{change.to === null ? 'removed' : textOf(change.to)}</ins>
    </>
  );
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  const text = String(value);
  return TIME.test(text) ? formatMoment(text, { seconds: false }) : text;
}
