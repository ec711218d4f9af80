import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskerOf } from './mask-secrets.ts';

describe('secrets in the answers of receivers', () => {
  it('the words of credentials are masked, and their scheme is not', () => {
    const headers = { authorization: 'Bearer one-token', cookie: 'a=first-value; b=second-value' };
    const mask = maskerOf({ headers }, { headers }, ['headers']);
    assert.equal(
      mask('Bearer one-token is wrong, and so are b=second-value and a=first-value;'),
      '•••• is wrong, and so are •••• and ••••',
    );
    assert.equal(mask('{"token":"one-token","scheme":"bearer"}'), '{"token":"••••","scheme":"bearer"}');
  });

  it('of thousands of words in headers 200 are looked for, so that a long answer holds up nothing', () => {
    const words = Array.from({ length: 2_000 }, (_, index) => `word-${100_000 + index}`);
    const headers = { authorization: 'Bearer one-token', 'x-words': words.join(' ') };
    const masked = maskerOf({ headers }, { headers }, ['headers'])(`one-token ${words.join(' ')} end`);
    assert.match(masked, /^•••• •••• end$/, 'the values as a whole');
    const some = maskerOf({ headers }, { headers }, ['headers'])(`one-token, ${words.join(', ')}`);
    assert.ok(some.startsWith('••••, ••••, '), some.slice(0, 20));
    assert.ok(some.split('••••').length <= 201);
  });
});
