import { type Static, Type } from 'typebox';
import { Named, Text } from '../server/schemas.ts';
import type { AppRow } from './app.ts';

const MAX_HOSTS = 50;
const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** As for `shortLinkHost`, with two labels at least, and `*.` before them for all hosts below. */
const ALLOWED_HOST = `^(?=.{1,253}$)([*][.])?(${LABEL}[.])+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`;
const ANY_BELOW = '*.';

export const FirebaseLongLinks = Named(
  'FirebaseLongLinks',
  {
    allowedHosts: Type.Array(
      Text(ALLOWED_HOST, 'a host name such as www.example.com, or *.example.com for all hosts below it'),
      {
        minItems: 1,
        maxItems: MAX_HOSTS,
        description: 'Where `link` and the fallbacks of a long link may lead; other long links are 404',
      },
    ),
  },
  {
    additionalProperties: false,
    description:
      'Whether long links of Firebase Dynamic Links (`/?link=…&apn=…`) answer at the root of the app’s own host. Null: they do not.',
  },
);
export type FirebaseLongLinksSetting = Static<typeof FirebaseLongLinks>;

/** Null if long links do not answer. */
export function firebaseLongLinksOf({
  firebase_long_links: text,
}: Pick<AppRow, 'firebase_long_links'>): FirebaseLongLinksSetting | null {
  return text === null ? null : (JSON.parse(text) as FirebaseLongLinksSetting);
}

/** In small letters, as URLs have host names. */
export function firebaseLongLinksText({ allowedHosts }: FirebaseLongLinksSetting): string {
  return JSON.stringify({ allowedHosts: [...new Set(allowedHosts.map((host) => host.toLowerCase()))] });
}

/** @param host of a parsed URL. */
export function isAllowedHost({ allowedHosts }: FirebaseLongLinksSetting, host: string): boolean {
  return allowedHosts.some((allowed) =>
    allowed.startsWith(ANY_BELOW)
      ? host.endsWith(allowed.slice(1)) && host.length >= allowed.length
      : host === allowed,
  );
}
