import { addressOf } from '../addresses.ts';
import { isObject, parseJson } from '../json-items.ts';
import { defineSource } from '../source.ts';
import { RowFailure, type Values } from '../values.ts';

const FIELDS = {
  shortUrl: ['short link', 'short url', 'link', 'custom link', 'bitlink', 'shortened url', 'short'],
  path: ['path', 'short code', 'code', 'slug', 'slashtag', 'alias', 'keyword', 'address', 'back half', 'key'],
  host: ['host', 'domain', 'domain name', 'hostname'],
  fallbackUrl: [
    'fallbackUrl',
    'destination',
    'destination url',
    'long url',
    'long link',
    'original url',
    'original link',
    'target',
    'target url',
    'redirect url',
    'url',
  ],
  title: ['title', 'name', 'label', 'description'],
  tags: ['tags', 'labels'],
  importedClicks: ['importedClicks', 'clicks', 'visits', 'visit count', 'total clicks', 'hits'],
  createdAt: ['created at', 'created', 'date created', 'creation date', 'timestamp'],
  expiresAt: ['expires at', 'expires', 'expiry', 'expiration', 'expiration date', 'expire in', 'valid until'],
  expiredUrl: ['expiredUrl'],
  password: ['password'],
  banned: ['banned'],
  clicksLimit: ['clicks limit', 'max visits', 'max clicks'],
  archived: ['archived'],
  deepLinkPath: ['deepLinkPath'],
  deepLinkParams: ['deepLinkParams'],
  campaignId: ['campaignId', 'campaign'],
  iosDestination: ['iosDestination', 'ios', 'ios url'],
  androidDestination: ['androidDestination', 'android', 'android url'],
  ogTitle: ['ogTitle'],
  ogDescription: ['ogDescription'],
  ogImage: ['ogImage'],
  id: ['link id', 'id'],
} as const;
type Row = Values<keyof typeof FIELDS>;

/** Any table or list of links, those of Dub, YOURLS and Kutt among them. */
export const csv = defineSource({
  id: 'csv',
  name: 'any service',
  fields: FIELDS,
  required: [
    ['shortUrl', 'path'],
    ['fallbackUrl', 'deepLinkPath'],
  ],
  unread: [
    'leads',
    'conversions',
    'sales',
    'revenue',
    'updated at',
    'lastUpdated',
    'domain id',
    'uuid',
    'reuse',
    'customurl',
  ],
  people: ['ip', 'user', 'user id', 'userId', 'email', 'author', 'created by', 'banned by id'],
  fill(draft, row) {
    draft.addresses.push(addressIn(row));
    if (row.isSet('password')) draft.refusePassword();
    if (row.isSet('banned')) throw new RowFailure('The link was blocked at its service.');
    const { input } = draft;
    const page = row.text('fallbackUrl');
    if (page !== undefined) draft.setPage(page);
    const deepLink = row.text('deepLinkPath');
    if (deepLink !== undefined) input.deepLinkPath = deepLink;
    if (page === undefined && deepLink === undefined) row.needed('fallbackUrl');
    const params = paramsOf(row);
    if (params !== undefined) input.deepLinkParams = params;
    for (const field of TEXTS) input[field] = row.text(field);
    draft.setTags(row.list('tags', row.text('tags')?.includes('|') ? /\|/ : /,/));
    draft.importedClicks = draft.countIn(row, 'importedClicks');
    draft.setCreated(row.text('createdAt'));
    draft.expire(row.time('expiresAt'), row.text('expiredUrl'));
    draft.limitClicks(row.named('clicksLimit'), row.named('importedClicks'));
    if (row.isSet('archived'))
      draft.note('The link is archived at its service. It is imported like others, and works.');
    if (row.text('id') !== undefined) draft.metadata.id = row.text('id');
  },
});

const TEXTS = [
  'title',
  'campaignId',
  'iosDestination',
  'androidDestination',
  'ogTitle',
  'ogDescription',
  'ogImage',
] as const;

function addressIn(row: Row): string {
  const shortUrl = row.text('shortUrl');
  const host = row.text('host');
  const code = row.text('path') ?? shortUrl;
  if (code === undefined) throw new RowFailure(`${row.nameOf('path')} is empty.`);
  if (shortUrl === undefined) return /^https?:\/\//i.test(code) ? code : addressOf(host, code);
  // A code alone under the name of an address.
  return /[./]/.test(shortUrl) ? shortUrl : addressOf(host, shortUrl);
}

function paramsOf(row: Row): Record<string, unknown> | undefined {
  const value = row.get('deepLinkParams');
  if (value === undefined) return undefined;
  const params = typeof value === 'string' ? parseJson(value) : value;
  if (!isObject(params)) throw new RowFailure(`${row.nameOf('deepLinkParams')} is no JSON object.`);
  return params;
}
