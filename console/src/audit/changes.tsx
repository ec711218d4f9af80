import type { AuditLogEntry } from '@generated/types.gen.ts';
import { formatMoment } from '../formats.ts';

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

/** The fields of a link that a change altered, each from what to what. */
export function Changes({ details: { changes } }: Pick<AuditLogEntry, 'details'>) {
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
