/** Clicks, installs, opens and events in lists and exports. */
import { type Static, Type } from 'typebox';
import type { ClicksTable, EventsTable, InstallsTable, OpensTable } from '../db/index.ts';
import { modelFields, presentModel } from '../devices/index.ts';
import { NetworkClaim, presentClaim } from '../networks/index.ts';
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
  ruleId: Nullable(
    Type.String({
      description: 'Of the link’s rule that the visitor got; equal rules have one. Null without one',
    }),
  ),
  ruleName: Nullable(Type.String({ description: 'Of that rule, if it has a name' })),
  pathRest: Nullable(Type.String({ description: 'What followed the address of a link with `passPath`' })),
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
  network: Nullable(NetworkClaim),
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
  transactionId: Nullable(
    Type.String({
      description: 'As it was sent. An event that repeats a transaction has no revenue',
    }),
  ),
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

/** What records refer to, by ID. */
export interface Names {
  /** Short codes of links. */
  readonly codes: ReadonlyMap<string, string>;
  /** Of rules. */
  readonly rules: ReadonlyMap<string, string>;
}

const NO_UTM: UtmValues = { source: null, medium: null, campaign: null, term: null, content: null };

export function presentClick(row: ClicksTable, { codes, rules }: Names): Static<typeof ClickItem> {
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
    ruleId: row.rule_id,
    ruleName: row.rule_id === null ? null : (rules.get(row.rule_id) ?? null),
    pathRest: row.path_rest,
    ...presentModel(row.device_model),
    sandbox: row.sandbox === 1,
    erasedAt: row.erased_at,
  };
}

export function presentInstall(row: InstallsTable, names: Names): Static<typeof InstallItem> {
  return {
    id: row.id,
    installedAt: row.installed_at,
    ...presentAttribution(row, names),
    ...presentDevice(row),
    existingUser: row.existing_user === 1,
    invitedBy: row.invited_by,
    network: presentClaim(row),
    erasedAt: row.erased_at,
  };
}

export function presentOpen(row: OpensTable, names: Names): Static<typeof OpenItem> {
  return {
    id: row.id,
    openedAt: row.opened_at,
    installId: row.install_id,
    ...presentAttribution(row, names),
    ...presentDevice(row),
    erasedAt: row.erased_at,
  };
}

function presentAttribution(row: InstallsTable | OpensTable, { codes }: Names) {
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

export function presentEvent(row: EventsTable, { codes }: Names): Static<typeof EventItem> {
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
    transactionId: row.transaction_id,
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
