/** The link fields of the contract and of this service, with a value and a default for each. */
import type { InputType } from './shapes.ts';

interface LinkField {
  readonly name: string;
  readonly type: InputType;
  readonly required?: true;
  readonly value: unknown;
  readonly other: unknown;
  /** The value returned if the field is omitted or cleared. */
  readonly unset?: unknown;
}

export const LINK_FIELDS: readonly LinkField[] = [
  { name: 'deepLinkPath', type: 'string', required: true, value: '/sale', other: '/new' },
  {
    name: 'deepLinkParams',
    type: 'object',
    value: { id: 7, nested: { list: [1, null] } },
    other: { id: 8 },
    unset: {},
  },
  { name: 'campaignId', type: 'string', value: 'spring', other: 'autumn', unset: null },
  {
    name: 'iosDestination',
    type: 'string',
    value: 'https://apps.apple.com/app/id1',
    other: 'https://apps.apple.com/app/id2',
    unset: null,
  },
  {
    name: 'androidDestination',
    type: 'string',
    value: 'https://play.google.com/store/apps/details?id=com.example',
    other: 'https://play.google.com/store/apps/details?id=com.other',
    unset: null,
  },
  {
    name: 'fallbackUrl',
    type: 'string',
    value: 'https://example.com/app',
    other: 'https://example.com/other',
    unset: null,
  },
  { name: 'ogTitle', type: 'string', value: 'Red shoes', other: 'Blue shoes', unset: null },
  { name: 'ogDescription', type: 'string', value: 'At half price', other: 'New', unset: null },
  {
    name: 'ogImage',
    type: 'string',
    value: 'https://example.com/red.png',
    other: 'https://example.com/blue.png',
    unset: null,
  },
  { name: 'landingPage', type: 'string', value: 'always', other: 'never', unset: null },
  { name: 'metadata', type: 'object', value: { channel: 'tv' }, other: { channel: 'radio' }, unset: {} },
  { name: 'expiresInDays', type: 'int', value: 30, other: 60, unset: null },
  { name: 'sandbox', type: 'boolean', value: true, other: false, unset: false },
  { name: 'title', type: 'string', value: 'Poster at the station', other: 'Flyer', unset: null },
  { name: 'tags', type: 'list', value: ['spring', 'print'], other: ['autumn'], unset: [] },
  { name: 'passPath', type: 'boolean', value: true, other: false, unset: false },
  {
    name: 'rules',
    type: 'list',
    value: [{ name: 'Austria', when: { country: 'AT' }, then: { deepLinkPath: '/at' } }],
    other: [{ when: { platform: 'IOS' }, then: { campaignId: 'ios' } }],
    unset: [],
  },
  { name: 'passQuery', type: 'list', value: ['ref', 'utm_*'], other: [], unset: ['utm_*'] },
  {
    name: 'expiredUrl',
    type: 'string',
    value: 'https://example.com/over',
    other: 'https://example.com/past',
    unset: null,
  },
  { name: 'goneWhenExpired', type: 'boolean', value: true, other: false, unset: false },
  { name: 'minAppVersion', type: 'object', value: { ios: '4.12' }, other: { android: '17' }, unset: null },
];

/** A link with every field set. */
export const FULL_LINK: Readonly<Record<string, unknown>> = Object.fromEntries(
  LINK_FIELDS.map(({ name, value }) => [name, value]),
);

const DAY_MS = 24 * 3_600_000;

/** The returned fields for a value: `expiresInDays` is returned as `expiresAt`, relative to the time of the call. */
export function returned(field: LinkField, value: unknown, calledAt: string): [name: string, value: unknown] {
  if (field.name !== 'expiresInDays') return [field.name, value];
  if (typeof value !== 'number') return ['expiresAt', null];
  return ['expiresAt', new Date(Date.parse(calledAt) + value * DAY_MS).toISOString()];
}
