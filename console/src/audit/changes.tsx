import type { AuditLogEntry } from '@generated/types.gen.ts';
import { formatMoment, plural } from '../formats.ts';

/** As the forms name them. */
const FIELDS: Readonly<Record<string, string>> = {
  name: 'Name',
  // Of links
  deepLinkPath: 'Path in the app',
  deepLinkParams: 'Parameters for the app',
  campaignId: 'Campaign',
  iosDestination: 'iPhones and iPads',
  androidDestination: 'Android phones',
  fallbackUrl: 'Everybody else',
  ogTitle: 'Title of the card',
  ogDescription: 'Text of the card',
  ogImage: 'Picture of the card',
  landingPage: 'Page before the store',
  metadata: 'Metadata',
  sandbox: 'Sandbox',
  expiresAt: 'Ends',
  title: 'Title',
  tags: 'Tags',
  path: 'Address',
  rules: 'Rules',
  passQuery: 'Parameters that a tap carries on',
  passPath: 'Longer addresses',
  expiredUrl: 'Leads to, once it has ended',
  goneWhenExpired: 'Nothing, once it has ended',
  minAppVersion: 'Oldest version of the app',
  // Of apps
  iosBundleId: 'Bundle ID',
  iosTeamId: 'Team ID',
  iosAppStoreId: 'App Store ID',
  androidPackage: 'Package',
  androidCertFingerprints: 'Certificate fingerprints',
  urlScheme: 'URL scheme',
  shortLinkHost: 'Short link host',
  clipboardToken: 'Token to copy',
  referrerWindowHours: 'Hours by install referrer',
  clickIdWindowHours: 'Hours by click ID',
  fingerprintWindowHours: 'Hours by fingerprint',
  fingerprintIos: 'Fingerprints on iOS',
  fingerprintAndroid: 'Fingerprints on Android',
  fingerprintThreshold: 'Threshold of the fingerprint',
  measureAccuracy: 'Measuring of the accuracy',
  rootUrl: 'Address of the host alone',
  notFoundUrl: 'Addresses that no link has',
  firebaseLongLinks: 'Long links of Firebase',
  'appLinks.enabled': 'Share links',
  'appLinks.allowCampaignId': 'Campaigns of share links by the app',
  'appLinks.perInstallPerDay': 'Share links of an install a day',
  'appLinks.perDay': 'Share links a day',
  'appLinks.defaults.iosDestination': 'Share links: iPhones and iPads',
  'appLinks.defaults.androidDestination': 'Share links: Android phones',
  'appLinks.defaults.fallbackUrl': 'Share links: everybody else',
  'appLinks.defaults.campaignId': 'Share links: campaign',
  'appLinks.defaults.landingPage': 'Share links: page before the store',
  dailyEventLimit: 'Events a day',
  dailyEventBytes: 'Bytes of events a day',
  // Of webhooks
  url: 'Address',
  secret: 'Secret',
  events: 'Events',
  enabled: 'On',
  template: 'Chat',
  templateConfig: 'Options of the chat',
  retries: 'Retries',
  // Of destinations
  config: 'What its type needs',
  eventNames: 'Names of events',
  mapping: 'Names and fields',
  consent: 'Consent',
  // Of keys and members
  endsAt: 'Ends',
  role: 'Role',
};

type Values = NonNullable<AuditLogEntry['details']['changes']>[string];

/** The fields that a change altered, each from what to what. */
export function Changes({ details: { changes = {} } }: Pick<AuditLogEntry, 'details'>) {
  return Object.entries(changes).map(([name, change]) => (
    <p key={name}>
      {FIELDS[name] ?? name} <ChangedValue change={change} />
    </p>
  ));
}

/** The values of objects and secrets are not recorded, and addresses only in part. */
function ChangedValue({ change: { from, to } }: { change: Values }) {
  if (from === undefined || to === undefined || textOf(from) === textOf(to)) return 'changed';
  return (
    <>
      {from !== null && (
        <>
          <del className="text-ink-3">{textOf(from)}</del>
          <span className="sr-only"> to</span>{' '}
        </>
      )}
      <ins className="no-underline">{to === null ? 'removed' : textOf(to)}</ins>
    </>
  );
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

export function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  // Rules are too long for a line; their link has them.
  if (Array.isArray(value) && value.some((each) => typeof each === 'object'))
    return plural(value.length, 'entry', 'entries');
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  const text = String(value);
  return TIME.test(text) ? formatMoment(text, { seconds: false }) : text;
}
