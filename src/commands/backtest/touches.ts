/** The input lines of `throughline backtest`. */
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { Fingerprint, playTimes } from '../../attribution/schemas.ts';
import type { PageReport } from '../../devices/index.ts';
import { normaliseAddress } from '../../lib/address.ts';
import { isMoment } from '../../lib/clock.ts';
import { Id, Nullable } from '../../server/schemas.ts';

const Text = Type.Optional(Nullable(Type.String()));
const Size = Type.Optional(Nullable(Type.Number()));

/** Signals collected by the landing page; sizes in CSS pixels. */
const Page = Type.Object({
  screenWidth: Size,
  screenHeight: Size,
  pixelRatio: Size,
  timezone: Text,
  languages: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  model: Text,
  platformVersion: Text,
  maxTouchPoints: Size,
  coarsePointer: Type.Optional(Nullable(Type.Boolean())),
});

const ClickTouch = Type.Object({
  type: Type.Literal('click'),
  id: Id,
  at: Type.String({ description: 'ISO 8601' }),
  ipAddress: Text,
  userAgent: Text,
  acceptLanguage: Text,
  signals: Type.Optional(Type.Union([Page, Type.Null()])),
  campaignId: Text,
});
export type ClickTouch = Omit<Static<typeof ClickTouch>, 'signals'> & {
  readonly signals?: PageReport | null;
};

const InstallTouch = Type.Object({
  type: Type.Literal('install'),
  id: Id,
  at: Type.String({ description: 'ISO 8601' }),
  // Recordings may hold fractions of a pixel.
  fingerprint: Type.Object({ ...Fingerprint.properties, screenWidth: Size, screenHeight: Size }),
  installReferrer: Text,
  clickId: Text,
  ...playTimes,
});
export type InstallTouch = Static<typeof InstallTouch>;

/** @throws Error whose message names the invalid field. */
export function readTouch(line: string): ClickTouch | InstallTouch {
  const touch = parse(line);
  if (touch.type !== 'click' && touch.type !== 'install')
    throw new Error('type must be "click" or "install"');
  const [fault] = Value.Errors(touch.type === 'click' ? ClickTouch : InstallTouch, touch);
  if (fault !== undefined) {
    const field = fault.instancePath.slice(1).replaceAll('/', '.');
    throw new Error(`${field === '' ? 'the line' : field} ${fault.message}`);
  }
  const read = touch as unknown as ClickTouch | InstallTouch;
  if (!isMoment(read.at))
    throw new Error('at must be an ISO 8601 time that ends in Z or an offset, as 2026-11-20T12:00:00.000Z');
  const [field, address] =
    read.type === 'click'
      ? ['ipAddress', read.ipAddress]
      : ['fingerprint.ipAddress', read.fingerprint.ipAddress];
  if (typeof address === 'string' && normaliseAddress(address) === null)
    throw new Error(`${field} must be an IPv4 or IPv6 address`);
  return read;
}

function parse(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error('the line is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('the line is not a JSON object');
  return value as Record<string, unknown>;
}
