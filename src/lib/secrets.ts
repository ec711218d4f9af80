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
  /** HMAC-SHA256 of an erased address hash. */
  markAddress(ipHash: string): string;
  /** HMAC-SHA256 of a client's identifier in an app, cut to 128 bits, in the form of a UUID. */
  markId(appId: string, id: string): string;
  /** HMAC-SHA256 of a request body, which may hold secrets that a plain hash would let guess. */
  hashRequest(text: string): string;
  /** Signature of 22 characters of base64url (132 bits of HMAC-SHA256). */
  sign(text: string): string;
  /** In constant time. */
  isSigned(text: string, signature: string): boolean;
  /**
   * AES-256-GCM under a random nonce, as base64url.
   * @param owner the record of the text: it cannot be decrypted for another one.
   */
  encrypt(text: string, owner: string): string;
  /** Null for a text of another root secret or another owner. */
  decrypt(encrypted: string, owner: string): string | null;
}

/** 132 bits. */
const HASH_CHARACTERS = 22;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** IDs of apps' own choosing may be long, and in any script. */
function fitsMac(text: string): boolean {
  return text.length <= MAX_MESSAGE_BYTES && !/[\u0100-\uffff]/.test(text);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Derives a key per purpose by HKDF. Never change a purpose's name: stored values would no longer match. */
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
    markId(appId, id) {
      const text = `${appId} ${id}`;
      return uuidOf(idMac(fitsMac(text) ? text : `${appId} sha256 ${digest(id)}`));
    },
    hashRequest: (text) => createHmac('sha256', requestKey).update(text).digest('base64url'),
    sign,
    isSigned(text, signature) {
      const [expected, given] = [Buffer.from(sign(text)), Buffer.from(signature)];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
    encrypt(text, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, boxKey, nonce).setAAD(Buffer.from(owner));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    decrypt(encrypted, owner) {
      const bytes = Buffer.from(encrypted, 'base64url');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv(CIPHER, boxKey, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
        const ciphertext = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
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
