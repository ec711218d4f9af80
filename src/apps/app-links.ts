import { type Static, Type } from 'typebox';
import { Named, Nullable } from '../server/schemas.ts';
import { type AppRow, checkDestinations, LANDING_PAGES, type LandingPage } from './app.ts';

/** Of links that the app makes: of an install, and of all installs, in a UTC day. */
export const APP_LINKS_DEFAULTS = { perInstallPerDay: 50, perDay: 100_000 } as const;
const MAX_PER_INSTALL_PER_DAY = 10_000;
const MAX_PER_DAY = 100_000_000;

const Address = Nullable(Type.String({ minLength: 1, maxLength: 2_048 }));

/** What links that the app makes have in place of the app's own defaults. */
const AppLinkDefaults = Named(
  'AppLinkDefaults',
  {
    iosDestination: Type.Optional(Address),
    androidDestination: Type.Optional(Address),
    fallbackUrl: Type.Optional(Address),
    campaignId: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
    landingPage: Type.Optional(
      Type.Unsafe<LandingPage | null>({ type: ['string', 'null'], enum: [...LANDING_PAGES, null] }),
    ),
  },
  { additionalProperties: false },
);

export const AppLinks = Named(
  'AppLinks',
  {
    enabled: Type.Boolean({ description: 'Whether the app may make links' }),
    defaults: Type.Optional(AppLinkDefaults),
    allowCampaignId: Type.Optional(
      Type.Boolean({ description: 'Whether the app may choose the campaign of its links. Default false.' }),
    ),
    perInstallPerDay: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PER_INSTALL_PER_DAY,
        description: `New links of one install in a UTC day. Default ${APP_LINKS_DEFAULTS.perInstallPerDay}.`,
      }),
    ),
    perDay: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PER_DAY,
        description: `New links of all installs in a UTC day. Default ${APP_LINKS_DEFAULTS.perDay}.`,
      }),
    ),
  },
  { additionalProperties: false, description: 'Links that the app makes, such as for invitations' },
);
export type AppLinksInput = Static<typeof AppLinks>;
/** With a value for each field. */
export type AppLinksSetting = Required<AppLinksInput>;

/** Null if the app makes no links. */
export function appLinksOf({ app_links: text }: Pick<AppRow, 'app_links'>): AppLinksSetting | null {
  return text === null ? null : (JSON.parse(text) as AppLinksSetting);
}

/** @throws AppError `request.invalid` for an invalid destination. */
export function appLinksText(input: AppLinksInput): string {
  checkDestinations(input.defaults ?? {}, 'appLinks.defaults.');
  const { enabled, defaults = {}, allowCampaignId = false } = input;
  const { perInstallPerDay = APP_LINKS_DEFAULTS.perInstallPerDay, perDay = APP_LINKS_DEFAULTS.perDay } =
    input;
  return JSON.stringify({ enabled, defaults, allowCampaignId, perInstallPerDay, perDay });
}

/** By name, such as `appLinks.enabled`, for the audit log, which keeps no values of objects. */
export function appLinksFields(setting: AppLinksInput | null): Readonly<Record<string, unknown>> {
  const { defaults, ...others } = { ...setting };
  const named = (place: string, schema: { properties: object }, values: object = {}) =>
    Object.keys(schema.properties)
      .filter((name) => name !== 'defaults')
      .map((name) => [`${place}.${name}`, (values as Readonly<Record<string, unknown>>)[name] ?? null]);
  return Object.fromEntries([
    ...named('appLinks', AppLinks, others),
    ...named('appLinks.defaults', AppLinkDefaults, defaults),
  ]);
}
