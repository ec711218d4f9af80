import { Type } from 'typebox';
import { OnlyThese, Text } from '../server/schemas.ts';
import { ERROR_CORRECTIONS, FORMATS } from './qr/qr-code.ts';

/** Query of `GET /v1/links/{shortCode}`. */
export const ReadLink = Type.Object({
  include: Type.Optional(Type.Enum(['totals'], { description: 'Adds `clicksTotal` and `installsTotal`' })),
});

const SearchedText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 2_300, description }));

/** Query of `GET /v1/links`. */
export const ListLinks = OnlyThese({
  ...ReadLink.properties,
  campaignId: Type.Optional(Type.String()),
  tag: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Only links that have it, in whatever capitals',
    }),
  ),
  madeBy: Type.Optional(
    Type.Enum(['team', 'app'], {
      description: '`app`: those that the app made for its users; `team`: all others. Default: both',
    }),
  ),
  q: SearchedText(
    'Part of the short code, path, campaign, path in the app or title, in small letters or capitals; or a whole short URL',
  ),
  search: SearchedText('Another name of `q`, which has precedence'),
  state: Type.Optional(Type.Enum(['active', 'expired'], { description: 'Default: both' })),
  sort: Type.Enum(['createdAt', 'clicks', 'installs'], {
    default: 'createdAt',
    description: '`clicks` and `installs` as in `clicksTotal` and `installsTotal`; equal ones newest first',
  }),
  order: Type.Enum(['desc', 'asc'], { default: 'desc' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
});

/** Query of `GET /v1/links/{shortCode}/qr`. */
export const ReadQrCode = Type.Object({
  format: Type.Enum([...FORMATS], { default: 'png' }),
  size: Type.Integer({
    minimum: 64,
    maximum: 2_048,
    default: 512,
    description: 'Width and height in pixels',
  }),
  margin: Type.Integer({ minimum: 0, maximum: 16, default: 4, description: 'Around the code, in modules' }),
  color: Text('^#[0-9A-Fa-f]{6}$', 'a colour as #rrggbb, with the # written as %23', { default: '#000000' }),
  background: Text(
    '^(#[0-9A-Fa-f]{6}|transparent)$',
    'a colour as #rrggbb, with the # written as %23, or transparent',
    { default: '#ffffff' },
  ),
  errorCorrection: Type.Enum([...ERROR_CORRECTIONS], {
    default: 'M',
    description: 'How much may be covered or torn: about 7, 15, 25 or 30 %',
  }),
  query: Type.Optional(
    Text(
      '^[A-Za-z0-9._~%+&=-]{1,255}$',
      'a query of at most 255 characters for the short URL, such as utm_source=poster; clicks by the code carry it',
    ),
  ),
});
