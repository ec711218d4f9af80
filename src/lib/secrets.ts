import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { UUID } from 'uuidv7';
import { normaliseAddress } from './address.ts';
import { hmacOf, MAX_MESSAGE_BYTES } from './hmac.ts';

/** Operations with keys derived from the root secret, which stays in `DATA_DIR` or in the environment. */
export interface Secrets {
  /**
   * HMAC-SHA256 of an IP address, cut to 132 bits, as 22 characters of base64url. Includes the app, so that the records of
   * two apps cannot be joined. Null for an invalid address.
   */
  hashAddress(appId: string, address: string | undefined): string | null;
  /** The hashes of an address by other root secrets that were in use since a time, or will be. */
  otherAddressHashes(appId: string, address: string, sinceMs: number): string[];
  /** HMAC-SHA256 of an erased address hash. */
  markAddress(ipHash: string): string;
  /** HMAC-SHA256 of a client's identifier in an app, cut to 128 bits, in the form of a UUID. */
  markId(appId: string, id: string): string;
  /** HMAC-SHA256 of a request body, which may hold secrets that a plain hash would let guess. */
  hashRequest(text: string): string;
  /** Signature of 22 characters of base64url (132 bits of HMAC-SHA256). */
  sign(text: string): string;
  /** In constant time. For a while also true for a signature by the root secret before. */
  isSigned(text: string, signature: string): boolean;
  /**
   * AES-256-GCM under a random nonce, as base64url.
   * @param owner the record of the text: it cannot be decrypted for another one.
   */
  encrypt(text: string, owner: string): string;
  /** Null for a text of an unknown root secret or another owner. */
  decrypt(encrypted: string, owner: string): string | null;
  /** Whether the text was encrypted by the present root secret. */
  isOfPresent(encrypted: string, owner: string): boolean;
}

/** Keys derived from a root secret, one for each purpose. */
export interface RootKeys {
  readonly address: Uint8Array;
  readonly signature: Uint8Array;
  readonly encryption: Uint8Array;
  /** What a rotation leaves as it is: a mark must be the same as long as its record is stored. */
  readonly kept: KeptKeys;
}

interface KeptKeys {
  readonly erasedAddress: Uint8Array;
  readonly identifier: Uint8Array;
  readonly request: Uint8Array;
}

export interface OtherKeys {
  readonly keys: RootKeys;
  /** Null for a root secret that is not in use yet. */
  readonly replacedAtMs: number | null;
  /** Whether its signatures are accepted. */
  readonly signs: boolean;
}

/** New values are made by the present keys; values by the others are found and read. */
export interface KeySet {
  readonly present: RootKeys;
  readonly others: readonly OtherKeys[];
}

/** Signed with a root secret, the mark by which a database knows it. */
const MARKED = 'throughline root secret mark v1';

/** 132 bits. */
const HASH_CHARACTERS = 22;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives a key per purpose by HKDF. Never change a purpose's name: stored values would no longer match. */
export function deriveKeys(rootSecret: string): RootKeys {
  return {
    address: deriveKey(rootSecret, 'throughline ip address hash v1'),
    signature: deriveKey(rootSecret, 'throughline signature v1'),
    encryption: deriveKey(rootSecret, 'throughline encryption v1'),
    kept: {
      erasedAddress: deriveKey(rootSecret, 'throughline erased address mark v1'),
      identifier: deriveKey(rootSecret, 'throughline identifier mark v1'),
      request: deriveKey(rootSecret, 'throughline request hash v1'),
    },
  };
}

/** The mark of the present root secret. */
export function markOf(secrets: Pick<Secrets, 'sign'>): string {
  return secrets.sign(MARKED);
}

/** Of one root secret alone. */
export function deriveSecrets(rootSecret: string): Secrets {
  return createSecrets({ present: deriveKeys(rootSecret), others: [] });
}

/** @returns the operations, and `replace`, which changes their keys while the service runs. */
export function createSecrets(first: KeySet): Secrets & { replace(keys: KeySet): void } {
  let { present, others } = open(first);
  return {
    replace(keys) {
      ({ present, others } = open(keys));
    },
    hashAddress(appId, address) {
      const normalised = normaliseAddress(address);
      return normalised === null ? null : present.hashAddress(`${appId} ${normalised}`);
    },
    otherAddressHashes(appId, address, sinceMs) {
      const normalised = normaliseAddress(address);
      if (normalised === null) return [];
      return others
        .filter(({ replacedAtMs }) => replacedAtMs === null || replacedAtMs >= sinceMs)
        .map((other) => other.hashAddress(`${appId} ${normalised}`));
    },
    markAddress: (ipHash) =>
      createHmac('sha256', present.keys.kept.erasedAddress).update(ipHash).digest('base64url'),
    markId: (appId, id) => present.markId(appId, id),
    hashRequest: (text) => createHmac('sha256', present.keys.kept.request).update(text).digest('base64url'),
    sign: (text) => present.sign(text),
    isSigned: (text, signature) =>
      [present, ...others.filter(({ signs }) => signs)].some(({ sign }) => isSame(sign(text), signature)),
    encrypt: (text, owner) => seal(present.keys.encryption, text, owner),
    decrypt(encrypted, owner) {
      for (const { keys } of [present, ...others]) {
        const text = unseal(keys.encryption, encrypted, owner);
        if (text !== null) return text;
      }
      return null;
    },
    isOfPresent: (encrypted, owner) => unseal(present.keys.encryption, encrypted, owner) !== null,
  };
}

function open({ present, others }: KeySet) {
  return {
    present: operations(present),
    others: others.map((other) => ({ ...other, ...operations(other.keys) })),
  };
}

function operations(keys: RootKeys) {
  const addressMac = hmacOf(keys.address);
  const idMac = hmacOf(keys.kept.identifier);
  const signatureMac = hmacOf(keys.signature);
  return {
    keys,
    hashAddress: (text: string) => addressMac(text).slice(0, HASH_CHARACTERS),
    markId(appId: string, id: string) {
      const text = `${appId} ${id}`;
      return uuidOf(idMac(fitsMac(text) ? text : `${appId} sha256 ${digest(id)}`));
    },
    sign: (text: string) => signatureMac(text).slice(0, HASH_CHARACTERS),
  };
}

/** In constant time. */
function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** AES-256-GCM, as base64url of nonce, tag and ciphertext. */
export function seal(key: Uint8Array, text: string, owner: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
}

/** Null for a text of another key or owner. */
export function unseal(key: Uint8Array, encrypted: string, owner: string): string | null {
  const bytes = Buffer.from(encrypted, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
    const ciphertext = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** IDs of apps' own choosing may be long, and in any script. */
function fitsMac(text: string): boolean {
  return text.length <= MAX_MESSAGE_BYTES && !/[\u0100-\uffff]/.test(text);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function uuidOf(hash: string): string {
  return UUID.ofInner(Buffer.from(hash, 'base64url').subarray(0, 16)).toString();
}

/** 256 random bits as base64url. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** HKDF-SHA256 (RFC 5869), 32 bytes. */
function deriveKey(rootSecret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', rootSecret, '', purpose, 32));
}
