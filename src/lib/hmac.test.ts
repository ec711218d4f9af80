import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { hmacOf } from './hmac.ts';

describe('hmac', () => {
  it('is HMAC-SHA256, for messages of every length in any order', () => {
    for (const key of [randomBytes(32), randomBytes(64), Buffer.alloc(0)]) {
      const mac = hmacOf(key);
      for (let turn = 0; turn < 600; turn++) {
        const message = randomBytes((turn * 97) % 257).toString('latin1');
        const expected = createHmac('sha256', key).update(message, 'latin1').digest('base64url');
        assert.equal(mac(message), expected);
      }
    }
  });

  it('throws for a message that is too long', () => {
    assert.throws(() => hmacOf(randomBytes(32))('x'.repeat(257)), RangeError);
  });
});
