import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { UUID } from 'uuidv7';
import { normaliseAddress } from './address.ts';
import { hmacOf } from './hmac.ts';

/** Keys derived from the root secret. The root secret itself stays in `DATA_DIR` or in the environment. */
export interface Secrets {
  /**
   * What an IP address is kept as: the first 132 bits of HMAC-SHA256 under a key that is not in the database, as
   * 22 characters of base64url. The app is part of the message, so that two apps' records cannot be joined by it. Null for
   * what is no IP address.
   */
  hashAddress(appId: string, address: string | undefined): string | null;
  /** What an erased address hash is remembered by: as the hash itself, it says nothing without the key. */
  markAddress(ipHash: string): string;
  /** What an identifier that a client made is known by, of one app: 128 bits of HMAC-SHA256, in the form of a UUID. */
  markId(appId: string, id: string): string;
  /** HMAC-SHA256 of a request, to know it again: it may hold secrets that could be guessed from a plain hash. */
  hashRequest(text: string): string;
  /** Signs what leaves the service and comes back: 22 characters of base64url (132 bits of HMAC-SHA256). */
  sign(text: string): string;
  /** Whether a text was signed so. How long it takes tells nothing of how much is right. */
  isSigned(text: string, signature: string): boolean;
  /**
   * Encrypts what must be read again (AES-256-GCM under a random nonce), as base64url.
   * @param owner the record that the text belongs to: in another record it cannot be decrypted.
   */
  encrypt(text: string, owner: string): string;
  /** Null for what was encrypted under another root secret or for another record. */
  decrypt(encrypted: string, owner: string): string | null;
}

/** 132 bits. */
const HASH_CHARACTERS = 22;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key for each purpose, by HKDF. Under another name for a purpose, what is stored would not be known again. */
export function deriveSecrets(rootSecret: string): Secrets {
  const addressMac = hmacOf(deriveKey(rootSecret, 'throughline ip address hash v1'));
  const markKey = deriveKey(rootSecret, 'throughline erased address mark v1');
  const idMac = hmacOf(deriveKey(rootSecret, 'throughline identifier mark v1'));
  const requestKey = deriveKey(rootSecret, 'throughline request hash v1');
  const signatureMac = hmacOf(deriveKey(rootSecret, 'throughline signature v1'));
  const boxKey = deriveKey(rootSecret, 'throughline encryption v1');
  const sign = (text: string) => signatureMac(text).slice(0, HASH_CHARACTERS);
  return {
    hashAddress(appId, address) {
      const normalised = normaliseAddress(address);
      if (normalised === null) return null;
      return addressMac(`${appId} ${normalised}`).slice(0, HASH_CHARACTERS);
    },
    markAddress: (ipHash) => createHmac('sha256', markKey).update(ipHash).digest('base64url'),
    markId: (appId, id) => uuidOf(idMac(`${appId} ${id}`)),
    hashRequest: (text) => createHmac('sha256', requestKey).update(text).digest('base64url'),
    sign,
    isSigned(text, signature) {
      const [expected, given] = [Buffer.from(sign(text)), Buffer.from(signature)];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
    encrypt(text, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, boxKey, nonce).setAAD(Buffer.from(owner));
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url');
    },
    decrypt(encrypted, owner) {
      const bytes = Buffer.from(encrypted, 'base64url');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv(CIPHER, boxKey, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
        const hidden = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(hidden), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

/** The first 128 bits of what is given as base64url. */
function uuidOf(hash: string): string {
  return UUID.ofInner(Buffer.from(hash, 'base64url').subarray(0, 16)).toString();
}

/** A random secret of 256 bits, as text. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** HKDF-SHA256 (RFC 5869), 32 bytes. */
function deriveKey(rootSecret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', rootSecret, '', purpose, 32));
}
