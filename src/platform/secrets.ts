import { hkdfSync, randomBytes } from 'node:crypto';
import { normaliseAddress } from './address.ts';
import { hmacOf } from './hmac.ts';

/** Keys derived from the root secret. The root secret itself stays in `DATA_DIR` or in the environment. */
export interface Secrets {
  /**
   * What an IP address is kept as: the first 132 bits of HMAC-SHA256 under a key that is not in the database, as
   * 22 characters of base64url. The app is part of the message, so that two apps' records cannot be joined by it. Null for what is no
   * IP address.
   */
  hashAddress(appId: string, address: string | undefined): string | null;
}

const HASH_CHARACTERS = 22;

export function deriveSecrets(rootSecret: string): Secrets {
  const addressMac = hmacOf(deriveKey(rootSecret, 'throughline ip address hash v1'));
  return {
    hashAddress(appId, address) {
      const normalised = normaliseAddress(address);
      if (normalised === null) return null;
      return addressMac(`${appId} ${normalised}`).slice(0, HASH_CHARACTERS);
    },
  };
}

/** A random secret of 256 bits, as text. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** HKDF-SHA256 (RFC 5869), 32 bytes. */
function deriveKey(rootSecret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', rootSecret, '', purpose, 32));
}
