/** Clicks, installs, opens and events in lists and exports. */
import { type Static, Type } from 'typebox';
import type { ClicksTable, EventsTable, InstallsTable, OpensTable } from '../db/index.ts';
import { Id, JsonObject, Named, Nullable, Timestamp } from '../server/schemas.ts';
import { Revenue } from '../stats/index.ts';

const NullableText = Nullable(Type.String());
const Country = Nullable(
  Type.String({ description: 'Two letters of ISO 3166-1, such as DE; null if it is unknown' }),
);
const PLATFORMS = ['ANDROID', 'IOS'] as const;
type PlatformName = (typeof PLATFORMS)[number];
const Platform = Nullable(Type.Enum([...PLATFORMS]));
const ShortCode = Nullable(Type.String({ description: 'Of the link; null without one' }));

const Utm = Named('Utm', {
  source: NullableText,
  medium: NullableText,
  campaign: NullableText,
  term: NullableText,
  content: NullableText,
});
type UtmValues = Static<typeof Utm>;

export const ClickItem = Named('Click', {
  id: Id,
  clickedAt: Timestamp,
  shortCode: ShortCode,
  campaignId: NullableText,
  platform: Platform,
  country: Country,
  visitor: Type.Enum(['human', 'tool', 'crawler', 'preview', 'prefetch', 'embedded', 'head']),
  visitorReason: NullableText,
  referrer: Nullable(Type.String({ description: 'A host name' })),
  utm: Utm,
  query: JsonObject({ description: 'The parameters of the address that was tapped' }),
  sandbox: Type.Boolean(),
});

const device = {
  deviceModel: NullableText,
  osVersion: NullableText,
  locale: NullableText,
  appVersion: NullableText,
  userId: NullableText,
  sandbox: Type.Boolean(),
};
const attribution = {
  shortCode: ShortCode,
  campaignId: NullableText,
  platform: Type.Enum([...PLATFORMS]),
  country: Country,
  method: Type.Enum(['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC', 'DIRECT']),
  confidence: Nullable(Type.String({ description: 'Decimal from 0 to 1; null unless FINGERPRINT' })),
  clickId: Nullable(Id),
};

export const InstallItem = Named('Install', {
  id: Id,
  installedAt: Timestamp,
  ...attribution,
  ...device,
  existingUser: Type.Boolean({
    description: 'The person had the app before the version that brought the SDK: no install in statistics',
  }),
});
export const OpenItem = Named('Open', {
  id: Id,
  openedAt: Timestamp,
  installId: Nullable(Id),
  ...attribution,
  ...device,
});

export const EventItem = Named('Event', {
  id: Id,
  createdAt: Type.String({ format: 'date-time', description: 'Time of recording' }),
  occurredAt: Timestamp,
  installId: Id,
  eventName: Type.String(),
  properties: JsonObject(),
  revenue: Nullable(Revenue),
  userId: NullableText,
  shortCode: ShortCode,
  campaignId: NullableText,
  platform: Platform,
  country: Country,
  lastShortCode: Nullable(
    Type.String({ description: 'Of the link of the install’s latest open in the 30 days before' }),
  ),
  sandbox: Type.Boolean(),
});

/** Short codes of links by ID. */
type Codes = ReadonlyMap<string, string>;

const NO_UTM: UtmValues = { source: null, medium: null, campaign: null, term: null, content: null };

export function presentClick(row: ClicksTable, codes: Codes): Static<typeof ClickItem> {
  return {
    id: row.id,
    clickedAt: row.clicked_at,
    shortCode: codes.get(row.link_id) ?? null,
    campaignId: row.campaign_id,
    platform: row.platform as PlatformName | null,
    country: row.country,
    visitor: row.visitor as Static<typeof ClickItem>['visitor'],
    visitorReason: row.visitor_reason,
    referrer: row.referrer,
    utm: row.utm === null ? NO_UTM : (JSON.parse(row.utm) as UtmValues),
    query: JSON.parse(row.query ?? '{}') as Record<string, unknown>,
    sandbox: row.sandbox === 1,
  };
}

export function presentInstall(row: InstallsTable, codes: Codes): Static<typeof InstallItem> {
  return {
    id: row.id,
    installedAt: row.installed_at,
    ...presentAttribution(row, codes),
    ...presentDevice(row),
    existingUser: row.existing_user === 1,
  };
}

export function presentOpen(row: OpensTable, codes: Codes): Static<typeof OpenItem> {
  return {
    id: row.id,
    openedAt: row.opened_at,
    installId: row.install_id,
    ...presentAttribution(row, codes),
    ...presentDevice(row),
  };
}

function presentAttribution(row: InstallsTable | OpensTable, codes: Codes) {
  return {
    shortCode: row.link_id === null ? null : (codes.get(row.link_id) ?? null),
    campaignId: row.campaign_id,
    platform: row.platform as PlatformName,
    country: row.country,
    method: row.attribution_method as Static<typeof InstallItem>['method'],
    confidence: row.confidence,
    clickId: row.click_id,
  };
}

function presentDevice(row: InstallsTable | OpensTable) {
  const { appVersion = null } = JSON.parse(row.fingerprint ?? '{}') as { appVersion?: string | null };
  return {
    deviceModel: row.device_model,
    osVersion: row.os_version,
    locale: row.locale,
    appVersion,
    userId: row.user_id,
    sandbox: row.sandbox === 1,
  };
}

export function presentEvent(row: EventsTable, codes: Codes): Static<typeof EventItem> {
  const { revenue_amount: amount, revenue_currency: currency } = row;
  const codeOf = (linkId: string | null) => (linkId === null ? null : (codes.get(linkId) ?? null));
  return {
    id: row.id,
    createdAt: row.created_at,
    occurredAt: row.occurred_at,
    installId: row.install_id,
    eventName: row.event_name,
    properties: JSON.parse(row.properties) as Record<string, unknown>,
    revenue: amount === null || currency === null ? null : { amount, currency },
    userId: row.user_id,
    shortCode: codeOf(row.link_id),
    campaignId: row.campaign_id,
    platform: row.platform as PlatformName | null,
    country: row.country,
    lastShortCode: codeOf(row.last_link_id),
    sandbox: row.sandbox === 1,
  };
}

const Moment = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }));
const Text = () => Type.Optional(Type.String({ maxLength: 255 }));

/** Query parameters of all lists. */
const commonParameters = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { default: 'desc', description: '`asc`: oldest first; `desc`: newest first' }),
  ),
  before: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Only items older than that with this `id`: the last one of the previous page',
    }),
  ),
  after: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'Only items newer than that with this `id`: with `order=asc` the last one of the previous page. Records that are still being stored appear later, also before it: to follow a list, read its last minute again',
    }),
  ),
  from: Moment('Time of recording, included, such as 2026-01-31T00:00:00Z'),
  to: Moment('Time of recording, excluded'),
  shortCode: Text(),
  campaignId: Text(),
  platform: Type.Optional(Type.Enum(['ANDROID', 'IOS'])),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: 'Two letters, such as DE' })),
  sandbox: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'true for sandbox records alone; the default is false, and true for a test key',
    }),
  ),
};

const method = (...more: string[]) => ({
  method: Type.Optional(Type.Enum(['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC', ...more])),
});
const installId = { installId: Type.Optional(Id) };

export const ListClicks = Type.Object({
  ...commonParameters,
  visitor: Type.Optional(Type.Enum(['human', 'all'], { default: 'human' })),
});
export const ListInstalls = Type.Object({ ...commonParameters, ...method() });
export const ListOpens = Type.Object({ ...commonParameters, ...method('DIRECT'), ...installId });
export const ListEvents = Type.Object({
  ...commonParameters,
  ...installId,
  eventName: Text(),
  userId: Text(),
});

/** All parameters of the lists; each has some of them. */
export interface ListInput {
  readonly limit?: number;
  readonly order?: 'asc' | 'desc';
  readonly before?: string;
  readonly after?: string;
  readonly from?: string;
  readonly to?: string;
  readonly shortCode?: string;
  readonly campaignId?: string;
  readonly platform?: string;
  readonly country?: string;
  readonly sandbox?: 'true' | 'false';
  readonly visitor?: 'human' | 'all';
  readonly method?: string;
  readonly installId?: string;
  readonly eventName?: string;
  readonly userId?: string;
}
