/** Clicks, installs, opens and events in lists and exports. */
import { type Static, Type } from 'typebox';
import type { ClicksTable, EventsTable, InstallsTable, OpensTable } from '../db/index.ts';
import { modelFields, presentModel } from '../devices/index.ts';
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

const ErasedAt = Nullable(Timestamp, {
  description: 'When the personal data of the record was erased; null if it was not',
});

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
  ...modelFields,
  sandbox: Type.Boolean(),
  erasedAt: ErasedAt,
});

const device = {
  ...modelFields,
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
  invitedBy: Nullable(Id, { description: 'The install that made the link' }),
  erasedAt: ErasedAt,
});
export const OpenItem = Named('Open', {
  id: Id,
  openedAt: Timestamp,
  installId: Nullable(Id),
  ...attribution,
  ...device,
  erasedAt: ErasedAt,
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
  erasedAt: ErasedAt,
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
    ...presentModel(row.device_model),
    sandbox: row.sandbox === 1,
    erasedAt: row.erased_at,
  };
}

export function presentInstall(row: InstallsTable, codes: Codes): Static<typeof InstallItem> {
  return {
    id: row.id,
    installedAt: row.installed_at,
    ...presentAttribution(row, codes),
    ...presentDevice(row),
    existingUser: row.existing_user === 1,
    invitedBy: row.invited_by,
    erasedAt: row.erased_at,
  };
}

export function presentOpen(row: OpensTable, codes: Codes): Static<typeof OpenItem> {
  return {
    id: row.id,
    openedAt: row.opened_at,
    installId: row.install_id,
    ...presentAttribution(row, codes),
    ...presentDevice(row),
    erasedAt: row.erased_at,
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
    ...presentModel(row.device_model),
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
    erasedAt: row.erased_at,
  };
}
