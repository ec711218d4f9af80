import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { customAlphabet } from 'nanoid';
import type { Region } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Actor } from './actor.ts';

/**
 * An API key reads `svc_<mode>_[pub_]<region>_<random><checksum>`. Live and test keys are secrets of a server;
 * publishable keys are part of the app, so they are public, and open the SDK's endpoints only.
 */
export const KEY_KINDS = ['live', 'test', 'live_publishable', 'test_publishable'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

const PREFIXES: Record<KeyKind, string> = {
  live: 'svc_live_',
  test: 'svc_test_',
  live_publishable: 'svc_live_pub_',
  test_publishable: 'svc_test_pub_',
};

/** Of keys without a name of their own. */
const DEFAULT_NAMES: Record<KeyKind, string> = {
  live: 'Secret live key',
  test: 'Secret test key',
  live_publishable: 'Publishable live key',
  test_publishable: 'Publishable test key',
};

export function nameOf({ name, kind }: { readonly name: string | null; readonly kind: string }): string {
  return name ?? DEFAULT_NAMES[kind as KeyKind];
}

/** Publishable keys are public: whoever has the app can read them. */
export function isPublishable(kind: string): boolean {
  return kind.endsWith('publishable');
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 22 of 62 characters are 131 bits. */
const RANDOM_CHARACTERS = 22;
const CHECKSUM_CHARACTERS = 6;
const randomPart = customAlphabet(BASE62, RANDOM_CHARACTERS);

const KEY = /^svc_(?:live|test)_(?:pub_)?(?:(us|eu)_)?[A-Za-z0-9_-]{16,200}$/;
/** A generated key, of any length: it may be truncated. */
const GENERATED_KEY = /^svc_(?:live|test)_(?:pub_)?(?:us|eu)_([A-Za-z0-9_-]+)$/;

export function makeKey(kind: KeyKind, region: Region): string {
  const body = `${PREFIXES[kind]}${region}_${randomPart()}`;
  return body + checksum(body);
}

/** The stored form. A plain hash suffices: a key has at least 128 random bits. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The start and the end of a key, to recognize it. */
export function hintOf(key: string, kind: KeyKind): string {
  return `${key.slice(0, PREFIXES[kind].length + 3)}…${key.slice(-4)}`;
}

/** Null for a key without a region, which belongs to the region where it was created. */
export function regionOf(key: string): Region | null {
  return (KEY.exec(key)?.[1] as Region | undefined) ?? null;
}

/** Without the checksum: a bootstrap key has none. */
export function isKeyShaped(key: string): boolean {
  return KEY.test(key);
}

/** True for a generated key with a wrong length or checksum. */
export function isMistyped(key: string): boolean {
  const rest = GENERATED_KEY.exec(key)?.[1];
  if (rest === undefined) return false;
  return (
    rest.length !== RANDOM_CHARACTERS + CHECKSUM_CHARACTERS ||
    checksum(key.slice(0, -CHECKSUM_CHARACTERS)) !== key.slice(-CHECKSUM_CHARACTERS)
  );
}

function checksum(text: string): string {
  let remainder = crc32(text);
  let digits = '';
  for (let digit = 0; digit < CHECKSUM_CHARACTERS; digit++) {
    digits = BASE62[remainder % 62] + digits;
    remainder = Math.floor(remainder / 62);
  }
  return digits;
}

/** Keys that a route accepts: `live` secret live keys, `secret` secret keys, `test` test keys, `any` all keys. */
export type KeyDemand = 'live' | 'secret' | 'test' | 'any';

const SECRET_KEYS = {
  secret: 'a secret key (svc_live_… or svc_test_… without pub)',
  live: 'the secret live key (svc_live_… without pub)',
} as const;

/** @throws AppError `key.wrong_kind`. */
export function assertKind(actor: Actor, demand: KeyDemand): Actor {
  if ((demand === 'live' || demand === 'secret') && actor.publishable)
    throw wrongKind(`A publishable key opens /v1/sdk/* only. Use ${SECRET_KEYS[demand]}, from a server.`);
  if (demand === 'live' && actor.mode !== 'live')
    throw wrongKind(
      'A test key does not open this endpoint. Use the secret live key (svc_live_…), from a server.',
    );
  if (demand === 'test' && actor.mode !== 'test')
    throw wrongKind(
      'A live key does not open this endpoint. Use a test key of the app (svc_test_…, publishable or secret).',
    );
  return actor;
}

function wrongKind(message: string): AppError {
  return new AppError('key.wrong_kind', { message });
}
