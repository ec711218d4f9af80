import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { customAlphabet } from 'nanoid';
import type { Region } from '../platform/config.ts';

/**
 * An API key reads `svc_<mode>_[pub_]<region>_<random><checksum>`. Live and test keys are secrets of a server;
 * publishable ones go into the app, where anybody can read them, and open the SDK's endpoints only.
 */
export const KEY_KINDS = ['live', 'test', 'live_publishable', 'test_publishable'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

const PREFIXES: Record<KeyKind, string> = {
  live: 'svc_live_',
  test: 'svc_test_',
  live_publishable: 'svc_live_pub_',
  test_publishable: 'svc_test_pub_',
};

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 22 of 62 characters are 131 bits. */
const RANDOM_CHARACTERS = 22;
const CHECKSUM_CHARACTERS = 6;
const randomPart = customAlphabet(BASE62, RANDOM_CHARACTERS);

const KEY = /^svc_(?:live|test)_(?:pub_)?(?:(us|eu)_)?[A-Za-z0-9_-]{16,200}$/;
/** Made here, so with a region: of any length, since one that was cut is still meant as a key. */
const MADE_KEY = /^svc_(?:live|test)_(?:pub_)?(?:us|eu)_([A-Za-z0-9_-]+)$/;

/** A new key, of a region, with a checksum at its end. Nothing is stored. */
export function makeKey(kind: KeyKind, region: Region): string {
  const body = `${PREFIXES[kind]}${region}_${randomPart()}`;
  return body + checksum(body);
}

/** What is stored instead of the key. A key has 128 bits of chance or more, so a plain hash cannot be turned back. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Enough of a key to tell it from others, and too little to use it. */
export function hintOf(key: string, kind: KeyKind): string {
  return `${key.slice(0, PREFIXES[kind].length + 3)}…${key.slice(-4)}`;
}

/** The region that is part of the key; null for a key without one, which belongs to the region it was made in. */
export function regionOf(key: string): Region | null {
  return (KEY.exec(key)?.[1] as Region | undefined) ?? null;
}

/** Whether a text can be a key at all, also one that was not made here. The checksum is looked at by `isMistyped`. */
export function isKeyShaped(key: string): boolean {
  return KEY.test(key);
}

/** True for what begins as every made key does but has another length or checksum: somebody mistyped or cut it. */
export function isMistyped(key: string): boolean {
  const rest = MADE_KEY.exec(key)?.[1];
  if (rest === undefined) return false;
  return (
    rest.length !== RANDOM_CHARACTERS + CHECKSUM_CHARACTERS ||
    checksum(key.slice(0, -CHECKSUM_CHARACTERS)) !== key.slice(-CHECKSUM_CHARACTERS)
  );
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
