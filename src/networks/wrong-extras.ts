/** What networks and stores tell the app is an extra: one of a wrong form must not cost the install. */
import type { preValidationHookHandler } from 'fastify';
import { MAX_APPLE_TOKEN_CHARACTERS, MAX_META_REFERRER_CHARACTERS } from './schemas.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Empties or leaves out what is wrong among the fields of networks in the body of a call; the trace says so of an empty
 * token or referrer.
 */
export function dropWrongExtras(call: unknown): unknown {
  if (!isObject(call)) return call;
  const { appleAdsToken: token, metaReferrer: meta } = call;
  const times = (['referrerClickTimestampSeconds', 'referrerClickTimestampServerSeconds'] as const).filter(
    (name) => name in call,
  );
  return {
    ...call,
    ...(token != null && { appleAdsToken: isText(token, MAX_APPLE_TOKEN_CHARACTERS) ? token : '' }),
    ...(meta != null && { metaReferrer: metaReferrerOf(meta) }),
    ...Object.fromEntries(times.map((name) => [name, secondsOf(call[name])])),
  };
}

/** For a route whose body is a call. */
export const withoutWrongExtras: preValidationHookHandler = (request, _reply, done) => {
  request.body = dropWrongExtras(request.body);
  done();
};

function metaReferrerOf(meta: unknown) {
  if (!isObject(meta) || !isText(meta.installReferrer, MAX_META_REFERRER_CHARACTERS))
    return { installReferrer: '' };
  const { installReferrer, isClickThrough: flag, actualTimestampSeconds } = meta;
  return {
    installReferrer,
    // The content provider of Meta's apps has a number.
    isClickThrough: flag === 0 || flag === 1 ? flag === 1 : typeof flag === 'boolean' ? flag : null,
    actualTimestampSeconds: secondsOf(actualTimestampSeconds),
  };
}

function secondsOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

function isText(value: unknown, maxCharacters: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxCharacters;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
