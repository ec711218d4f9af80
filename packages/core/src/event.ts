/** Events as the text that is stored and sent, checked as the service checks it. */
import {
  byteLength,
  describe as describeValue,
  holdsStorableTexts,
  isPlain,
  isStorable,
  toJson,
} from './json-text.ts';
import { AMOUNT, CURRENCY, MAX_CHARACTERS, MAX_PROPERTIES_BYTES } from './limits.ts';
import type { Revenue } from './types.ts';

export interface QueuedEvent {
  readonly eventId: string;
  /** The JSON of an event of `POST /v1/sdk/events`, without the install. */
  readonly text: string;
  /** Whether the text has the user of the time, or says that there was none. */
  readonly hasUser: boolean;
  readonly isPaid: boolean;
  readonly bytes: number;
  /** By both clocks; only in the process that tracked it. */
  readonly trackedAt?: { readonly now: number; readonly uptime: number };
}

/** What the app says. */
export interface Tracked {
  readonly name: string;
  readonly properties?: object | undefined;
  readonly revenue?: Revenue | undefined;
}

/** What the client adds to an event of the app. */
interface Moment {
  readonly eventId: string;
  readonly occurredAt: string;
  /** Null after `logout`; undefined while no user was ever set. */
  readonly userId: string | null | undefined;
}

/** @returns the reason in words if the service would refuse it. */
export function toEvent(
  { eventId, occurredAt, userId }: Moment,
  { name, properties, revenue }: Tracked,
): QueuedEvent | string {
  const fault = faultOfLength('the name', name) ?? faultOfRevenue(revenue);
  if (fault !== null) return fault;
  const json =
    properties === undefined || properties === null
      ? ''
      : toJson('properties', properties, MAX_PROPERTIES_BYTES);
  if (typeof json === 'object') return json.fault;
  const { amount, currency, transactionId } = revenue ?? {};
  const field = (key: string, value: unknown) =>
    value === undefined ? '' : `,"${key}":${JSON.stringify(value)}`;
  const text = `{"eventId":"${eventId}","occurredAt":"${occurredAt}"${field('eventName', name)}${
    revenue ? field('revenue', { amount, currency }) + field('transactionId', transactionId ?? undefined) : ''
  }${field('userId', userId)}${json && `,"properties":${json}`}}`;
  // Most events are plain, and engines of phones are slow at more than one look at a text.
  if (isPlain(text)) return describe(text, { eventId, userId, isPaid: !!revenue, bytes: text.length });
  const unstorable =
    [name, transactionId ?? ''].some((each) => !isStorable(each)) || !holdsStorableTexts(json);
  if (unstorable) return 'it has a NUL character or half of a surrogate pair';
  if (json.includes('"__proto__":')) return 'properties have a field __proto__';
  return describe(text, { eventId, userId, isPaid: !!revenue, bytes: byteLength(text) });
}

/** @returns null for a text that is no event. */
export function readEvent(value: unknown): QueuedEvent | null {
  const { eventId, userId, revenue } = (value ?? {}) as Record<string, unknown>;
  if (typeof eventId !== 'string') return null;
  const text = JSON.stringify(value);
  const bytes = byteLength(text);
  return describe(text, { eventId, userId: userId as string | null | undefined, isPaid: !!revenue, bytes });
}

/** Of an event that was tracked before the stored user was known. */
export function withUser(event: QueuedEvent, userId: string | null | undefined): QueuedEvent {
  if (event.hasUser || userId === undefined) return event;
  const text = `${event.text.slice(0, -1)},"userId":${JSON.stringify(userId)}}`;
  return { ...event, text, hasUser: true, bytes: byteLength(text) };
}

function describe(
  text: string,
  {
    userId,
    ...rest
  }: Pick<Moment, 'eventId' | 'userId'> & { readonly isPaid: boolean; readonly bytes: number },
): QueuedEvent {
  return { ...rest, text, hasUser: userId !== undefined };
}

/** Of a text that goes in no event. */
export function faultOfText(what: string, text: unknown, maxCharacters = MAX_CHARACTERS): string | null {
  const fault = faultOfLength(what, text, maxCharacters);
  if (fault !== null) return fault;
  return isStorable(text as string) ? null : `${what} has a NUL character or half of a surrogate pair`;
}

function faultOfLength(what: string, text: unknown, maxCharacters = MAX_CHARACTERS): string | null {
  if (typeof text !== 'string' || text === '') return `${what} must be a text that is not empty`;
  if (text.length > maxCharacters && Array.from(text).length > maxCharacters)
    return `${what} has more than ${maxCharacters} characters`;
  return null;
}

export function faultOfRevenue(revenue: Revenue | null | undefined): string | null {
  if (revenue === undefined || revenue === null) return null;
  const { amount, currency, transactionId } = revenue;
  if (typeof amount !== 'string' || !AMOUNT.test(amount))
    return `revenue.amount must be a text such as "19.99", with at most 12 digits before and 4 after the point, not ${describeValue(amount)}`;
  if (typeof currency !== 'string' || !CURRENCY.test(currency))
    return `revenue.currency must be three capitals such as "EUR", not ${describeValue(currency)}`;
  return transactionId === undefined || transactionId === null
    ? null
    : faultOfLength('revenue.transactionId', transactionId);
}
