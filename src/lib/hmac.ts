import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
export const MAX_MESSAGE_BYTES = 256;

/**
 * HMAC-SHA256 (RFC 2104) of short messages, as base64url. Two one-shot digests take half the time of `createHmac`, which
 * allocates a native object per message.
 * @param key at most 64 bytes. Messages are Latin-1, at most 256 characters.
 */
export function hmacOf(key: Uint8Array): (message: string) => string {
  const inner = Buffer.alloc(BLOCK_BYTES + MAX_MESSAGE_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c);
  key.forEach((byte, index) => {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  });
  const innerOf = Array.from({ length: MAX_MESSAGE_BYTES + 1 }, (_, length) =>
    inner.subarray(0, BLOCK_BYTES + length),
  );
  return (message) => {
    if (message.length > MAX_MESSAGE_BYTES) throw new RangeError('The message is longer than 256 bytes');
    inner.write(message, BLOCK_BYTES, 'latin1');
    const digest = hash('sha256', innerOf[message.length] as Buffer, 'binary');
    outer.write(digest, BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, 'base64url');
  };
}
