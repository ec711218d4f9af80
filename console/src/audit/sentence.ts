import type { AuditLogEntry } from '@generated/types.gen.ts';
import { formatMoment, plural } from '../formats.ts';
import { textOf } from './changes.tsx';
import { filtersText } from './export-words.ts';

/** What was done, behind the author's name: text, and the record that it was done to. */
export interface Sentence {
  readonly before: string;
  /** Leads to the record, if it still exists. */
  readonly record: string;
  readonly after: string;
  /** Whether the values of the change are said already. */
  readonly saysValues: boolean;
}

type Details = AuditLogEntry['details'];

export function sentenceOf({ action, resource, details }: AuditLogEntry): Sentence {
  const say = (before: string, record = '', after = '', saysValues = false): Sentence => {
    return { before, record, after, saysValues };
  };
  const name = resource.name ?? '';
  const [first = ''] = action.split('.', 1);
  const words = SIMPLE[action];
  if (words !== undefined) return say(...words(named(first, name), details));
  if (action === 'app.updated' || action === 'key.updated') return ofRenamed(action, name, details);
  if (action === 'key.rotated')
    return say('rotated the key', name, `: it ends ${momentOf(details.changes?.endsAt?.to)}`, true);
  if (action === 'user.role_changed')
    return say(
      'changed the role of',
      name,
      ` from ${roleOf(details, 'from')} to ${roleOf(details, 'to')}`,
      true,
    );
  return say(action, name);
}

/** Of links that one call made, changed or deleted. */
export function sentenceOfBatch(action: AuditLogEntry['action'], links: number): string {
  const verb = { 'link.created': 'made', 'link.updated': 'changed', 'link.deleted': 'deleted' }[
    action as string
  ];
  return `${verb ?? action} ${plural(links, 'link')} together`;
}

function named(first: string, name: string): string {
  if (first === 'link') return `/${name}`;
  const isUnnamed = name === '' && (first === 'webhook' || first === 'destination');
  return isUnnamed ? `a ${first}` : name;
}

function ofRenamed(action: string, name: string, details: Details): Sentence {
  const { changes = {} } = details;
  const thing = action === 'app.updated' ? 'app' : 'key';
  const names = Object.keys(changes);
  if (names.length === 1 && changes.name !== undefined) {
    const after = ` from ${textOf(changes.name.from)} to ${textOf(changes.name.to)}`;
    return { before: 'renamed', record: `the ${thing}`, after, saysValues: true };
  }
  if (thing === 'key') return { before: 'changed the key', record: name, after: '', saysValues: false };
  return { before: 'changed', record: 'the settings of the app', after: '', saysValues: false };
}

function roleOf({ changes, role }: Details, side: 'from' | 'to'): string {
  const value = changes?.role?.[side];
  return typeof value === 'string' ? value : side === 'to' ? (role ?? 'another') : 'another';
}

function momentOf(value: unknown): string {
  return typeof value === 'string' ? formatMoment(value, { seconds: false }) : 'now';
}

type Words = (name: string, details: Details) => [before: string, record?: string, after?: string];

const as = ({ role }: Details) => (role === undefined ? '' : ` as ${role}`);
const by = ({ identifiers = [] }: Details) =>
  identifiers.length === 0
    ? ''
    : `, found by ${identifiers.map((each) => (each === 'userId' ? 'user ID' : 'IP address')).join(' and ')}`;

/** Of actions whose values need no words of their own. */
const SIMPLE: Partial<Record<AuditLogEntry['action'], Words>> = {
  'links.imported': (name, { created = 0 }) => ['imported', plural(created, 'link'), ` from ${name}`],
  'import.ended': (name) => ['ended the import', name],
  'app.created': (name) => ['made the app', name],
  'key.created': (name, { replaces }) => [
    'made the key',
    name,
    replaces === undefined ? '' : ' in place of one that it rotated',
  ],
  'key.revoked': (name) => ['revoked the key', name],
  'user.invited': (name, details) => ['invited', name, as(details)],
  'invitation.revoked': (name) => ['took back the invitation of', name],
  'user.joined': (_, details) => [`joined the app${as(details)}`],
  'user.removed': (name) => ['removed', name, ' from the app'],
  'link.created': (name) => ['made the link', name],
  'link.updated': (name) => ['changed the link', name],
  'link.deleted': (name) => ['deleted the link', name],
  'destination.created': (name) => ['made the destination', name],
  'destination.updated': (name) => ['changed the destination', name],
  'destination.deleted': (name) => ['deleted the destination', name],
  'destination.tested': (name) => ['tested the destination', name],
  'destination.redelivered': (name) => ['sent a batch of records again to', name],
  'destination.recovered': (name, { messages = 0, since }) => [
    `sent ${plural(messages, 'batch', 'batches')} again to`,
    name,
    since === undefined ? '' : `, since ${momentOf(since)}`,
  ],
  'destination.delivery_failed': (name, { attempts, error }) => [
    'gave up a batch of records to',
    name,
    `${attempts === undefined ? '' : ` after ${plural(attempts, 'attempt')}`}${error ? `: ${error}` : ''}`,
  ],
  'webhook.created': (name) => ['made the webhook to', name],
  'webhook.updated': (name) => ['changed the webhook to', name],
  'webhook.deleted': (name) => ['deleted the webhook to', name],
  'webhook.tested': (name) => ['tested the webhook to', name],
  'webhook.redelivered': (name, { eventType }) => [`sent a message of ${eventType} again to`, name],
  'webhook.recovered': (name, { messages = 0, since }) => [
    `sent ${plural(messages, 'message')} again to`,
    name,
    since === undefined ? '' : `, since ${momentOf(since)}`,
  ],
  'webhook.delivery_failed': (name, { eventType, attempts, error }) => [
    `gave up a message of ${eventType} to`,
    name,
    `${attempts === undefined ? '' : ` after ${plural(attempts, 'attempt')}`}${error ? `: ${error}` : ''}`,
  ],
  'conversion_values.updated': () => ['named the conversion values'],
  'costs.updated': (_, { created = 0, replaced = 0, failed = 0 }) => [
    `set ${plural(created + replaced, 'cost')} of campaigns${failed > 0 ? `; ${plural(failed, 'row')} failed` : ''}`,
  ],
  'cost.deleted': (_, { deleted }) => [
    deleted === undefined
      ? 'deleted the cost of a campaign'
      : `deleted ${plural(deleted, 'cost')} of campaigns`,
  ],
  'installs.deleted': (_, { installs = 0, events = 0 }) => [
    `deleted ${plural(installs, 'install')} with ${plural(events, 'event')}`,
  ],
  'records.exported': (_, details) => [
    `exported ${details.records} as ${details.format === 'csv' ? 'CSV' : 'NDJSON'}${filtersText(details)}`,
  ],
  'privacy.erasure_requested': (_, details) => [
    `asked to erase a person${by(details)}${details.requesterEmail ? `, for ${details.requesterEmail}` : ''}`,
  ],
  'privacy.erasure_counted': (_, details) => [`counted the records of a person${by(details)}`],
  'privacy.erased': () => ['erased a person'],
  'privacy.exported': (_, details) => [`exported the records of a person${by(details)}`],
  'operator.marked': (name) => ['made', name, ' an operator'],
  'operator.unmarked': (name) => ['removed', name, ' as operator'],
  'password.changed': () => ['changed their password'],
  'password_reset.address_made': (name) => ['made an address for a new password of', name],
  'password_reset.used': () => ['chose a new password with an address'],
  'retention.clock_confirmed': () => ['confirmed that the clock is right'],
  'session.revoked': () => ['ended one of their sessions'],
  'setup.address_made': (_, { email }) => [
    `made an address of the set-up${email === undefined ? '' : ` for ${email}`}`,
  ],
  'setup.used': () => ['became operator with an address of the set-up'],
  'user.deleted': () => ['deleted the account'],
  'user.disabled': (name) => ['disabled the account of', name],
  'user.enabled': (name) => ['enabled the account of', name],
  'user.signed_in': (_, { method }) => [`signed in${method === 'oidc' ? ' by OpenID Connect' : ''}`],
};
