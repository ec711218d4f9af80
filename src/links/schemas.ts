import { type Static, Type } from 'typebox';
import { LANDING_PAGES, type LandingPage } from '../apps/index.ts';
import { Id, JsonObject, Named, Nullable, Text, Timestamp } from '../server/schemas.ts';
import { MinAppVersion, Rule } from './choice/rule-schemas.ts';
import { type LinkRule, MAX_RULES } from './choice/rules.ts';
import { inviterOf, metadataFor } from './inviter.ts';
import {
  type LinkRow,
  minAppVersionOf,
  passQueryOf,
  SHORT_CODE_PATTERN,
  type ShortLinkBase,
  shortUrlOf,
} from './link.ts';
import { LINK_PATH_PATTERN } from './look-up/link-address.ts';

const MAX_EXPIRES_IN_DAYS = 3_650;

const deepLinkPath = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'Path delivered to the app',
});
const landingPage = Type.Unsafe<LandingPage | null>({
  type: ['string', 'null'],
  enum: [...LANDING_PAGES, null],
  description: 'Whether visitors on phones see a page before the store. Default: the setting of the app',
});
const optionalFields = {
  deepLinkParams: Nullable(JsonObject(), { description: 'Delivered with the path; at most 16 KiB as JSON' }),
  campaignId: Nullable(Type.String({ minLength: 1, maxLength: 255 })),
  iosDestination: Nullable(Type.String({ minLength: 1 }), { description: 'Store address for iOS' }),
  androidDestination: Nullable(Type.String({ minLength: 1 }), { description: 'Store address for Android' }),
  fallbackUrl: Nullable(Type.String({ minLength: 1 }), { description: 'For other visitors' }),
  ogTitle: Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
    description: 'Title of the card that chats show for the link. Default: the app’s name',
  }),
  ogDescription: Nullable(Type.String({ minLength: 1, maxLength: 1_000 }), {
    description: 'Text of that card',
  }),
  ogImage: Nullable(Type.String({ minLength: 1 }), { description: 'http(s) address of that card’s picture' }),
  landingPage,
  metadata: Nullable(JsonObject(), { description: 'Stored with the link; at most 16 KiB as JSON' }),
  expiresInDays: Nullable(Type.Integer({ minimum: 1, maximum: MAX_EXPIRES_IN_DAYS })),
  sandbox: Nullable(Type.Boolean(), {
    description: 'Only debug builds can claim its clicks. Default: true for test keys',
  }),
  title: Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
    description: 'For the team: in lists and searches, never on a page',
  }),
  tags: Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20 }), {
    description:
      'At most 20, each of at most 64 characters. Their spelling is kept; tags that differ in capitals alone are one',
  }),
  path: Nullable(Text(LINK_PATH_PATTERN, 'up to 5 segments of A-Z a-z 0-9 . _ ~ -, as summer/sale'), {
    description:
      'up to 5 segments of A-Z a-z 0-9 . _ ~ -, as summer/sale: the address at the root of the app’s own host (`shortLinkHost`). At most 255 characters, not below a path of the service',
  }),
  passPath: Nullable(Type.Boolean(), {
    description:
      'Whether the link has the addresses below its own too; what follows is appended to `deepLinkPath` and to the path of `fallbackUrl`',
  }),
  rules: Nullable(Type.Array(Rule, { maxItems: MAX_RULES }), {
    description: 'Who gets something else: the first rule whose conditions hold wins. At most 32 KiB as JSON',
  }),
  passQuery: Nullable(
    Type.Array(Text('^[^*\\s]{0,63}[*]?$', 'a name of at most 63 characters, * at the end for any'), {
      maxItems: 20,
    }),
    {
      description:
        'Names of query parameters that a tap carries on to web addresses and `deepLinkParams`, where these have no such parameter; `*` at the end of a name for any. Default: `["utm_*"]`',
    },
  ),
  expiredUrl: Nullable(Type.String({ minLength: 1 }), {
    description: 'Where an expired link leads, in place of `fallbackUrl`',
  }),
  goneWhenExpired: Nullable(Type.Boolean(), {
    description: 'Whether the expired link is 410, even with an `expiredUrl` or a `fallbackUrl`',
  }),
  minAppVersion: Nullable(MinAppVersion, {
    description: 'Older versions of the app are told that they must be updated, with the deep link',
  }),
};
const expiresAt = Type.Optional(
  Nullable(Type.String(), {
    description:
      'ISO 8601 time with a zone, in place of expiresInDays. In PATCH the present value may be sent beside it',
  }),
);
const shortCode = Nullable(
  Text(SHORT_CODE_PATTERN, '3 to 64 of A-Z a-z 0-9 - _; it is generated if left out'),
);

/** Body of `POST /v1/links`. `columnsOf` checks URLs and the size of objects. */
export const CreateLink = Named('CreateLink', {
  deepLinkPath,
  ...Type.Partial(Type.Object({ ...optionalFields, shortCode })).properties,
  expiresAt,
});
/** Body of `PATCH /v1/links/{shortCode}`: null clears a field. */
const UpdateLink = Type.Object({
  ...Type.Partial(Type.Object({ deepLinkPath, ...optionalFields })).properties,
  expiresAt,
});
/** Body of the PATCH with the field that it checks and never changes, so that a link that was read can be written back. */
export const WriteLink = Named('UpdateLink', {
  ...UpdateLink.properties,
  shortCode: Type.Optional(
    Type.String({ description: 'Cannot be changed: omit it, or send the present value' }),
  ),
});
/** A link of `PATCH /v1/links/batch`: the same, of the link with the code. */
export const UpdateOfBatch = Named('UpdateLinkOfBatch', {
  ...UpdateLink.properties,
  shortCode: Type.String({ description: 'Of the link to change' }),
});
export type UpdateOfBatchInput = Static<typeof UpdateOfBatch>;
export type CreateLinkInput = Static<typeof CreateLink>;
export type UpdateLinkInput = Static<typeof UpdateLink>;
export type WriteLinkInput = Static<typeof WriteLink>;

export const PathWarning = Named('PathWarning', {
  code: Type.Enum(['path.is_url', 'path.has_space']),
  message: Type.String({ description: 'The problem and its remedy' }),
});

export const Link = Named('Link', {
  id: Id,
  shortCode: Type.String(),
  shortUrl: Type.String(),
  deepLinkPath: Type.String(),
  deepLinkParams: JsonObject(),
  campaignId: Nullable(Type.String()),
  iosDestination: Nullable(Type.String()),
  androidDestination: Nullable(Type.String()),
  fallbackUrl: Nullable(Type.String()),
  ogTitle: Nullable(Type.String()),
  ogDescription: Nullable(Type.String()),
  ogImage: Nullable(Type.String()),
  landingPage,
  metadata: JsonObject(),
  sandbox: Type.Boolean(),
  expiresAt: Nullable(Timestamp),
  title: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  path: Nullable(Type.String()),
  passPath: Type.Boolean(),
  rules: Type.Array(Rule),
  passQuery: Type.Array(Type.String()),
  expiredUrl: Nullable(Type.String()),
  goneWhenExpired: Type.Boolean(),
  minAppVersion: Nullable(MinAppVersion),
  importedClicks: Nullable(
    Type.Integer({ minimum: 0, description: 'At the service that the link came from; in no other number' }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  clicksTotal: Type.Optional(
    Type.Integer({ minimum: 0, description: 'By humans; only with include=totals' }),
  ),
  installsTotal: Type.Optional(Type.Integer({ minimum: 0, description: 'Only with include=totals' })),
  warnings: Type.Optional(
    Type.Array(PathWarning, {
      description:
        'Only after a request with a `deepLinkPath` that is probably not meant, and that is accepted',
    }),
  ),
});

export interface Totals {
  readonly clicks: number;
  readonly installs: number;
}

export function presentLink(base: ShortLinkBase, row: LinkRow, totals?: Totals): Static<typeof Link> {
  return {
    id: row.id,
    shortCode: row.short_code,
    shortUrl: shortUrlOf(base, row),
    deepLinkPath: row.deep_link_path,
    deepLinkParams: JSON.parse(row.deep_link_params) as Record<string, unknown>,
    campaignId: row.campaign_id,
    iosDestination: row.ios_destination,
    androidDestination: row.android_destination,
    fallbackUrl: row.fallback_url,
    ogTitle: row.og_title,
    ogDescription: row.og_description,
    ogImage: row.og_image,
    landingPage: row.landing_page as LandingPage | null,
    metadata: metadataFor(row, inviterOf(row, null)),
    sandbox: row.sandbox === 1,
    expiresAt: row.expires_at,
    title: row.title,
    tags: JSON.parse(row.tags) as string[],
    path: row.path,
    passPath: row.pass_path === 1,
    rules: JSON.parse(row.rules) as LinkRule[],
    passQuery: passQueryOf(row),
    expiredUrl: row.expired_url,
    goneWhenExpired: row.gone_when_expired === 1,
    minAppVersion: minAppVersionOf(row),
    importedClicks: row.imported_clicks,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(totals !== undefined && { clicksTotal: totals.clicks, installsTotal: totals.installs }),
  };
}
