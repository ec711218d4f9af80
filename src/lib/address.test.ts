import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normaliseAddress } from './address.ts';
import { deriveSecrets } from './secrets.ts';

const CASES: readonly [given: string, normalised: string | null][] = [
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:4711', '203.0.113.9'],
  [' 203.0.113.9 ', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8:0:2::9', '2001:db8:0:2::/64'],
  ['2001:db8:1::2:3', '2001:db8:1:0::/64'],
  ['2001:db8:1:2:3:4:5:6%eth0', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:3:4:5:6:7', null],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', null],
  ['unknown', null],
  ['1', null],
  ['1.2.3', null],
  ['0x7f.1', null],
  ['203.0.113.999', null],
  ['203.0.113.9, 10.0.0.1', null],
];

describe('addresses', () => {
  for (const [given, normalised] of CASES)
    it(`“${given}” is normalised to ${normalised}`, () => assert.equal(normaliseAddress(given), normalised));

  it('a long invalid text and many short ones are rejected quickly', { timeout: 10_000 }, () => {
    assert.equal(normaliseAddress(`${'%'.repeat(1_000_000)}\n.`), null);
    for (let count = 0; count < 100_000; count++) assert.equal(normaliseAddress(':'), null);
  });

  it('a hash is the same for a network and differs between apps and root secrets', () => {
    const { hashAddress } = deriveSecrets('root');
    assert.equal(hashAddress('a', '2001:db8::1'), hashAddress('a', '2001:db8::2'));
    assert.notEqual(hashAddress('a', '203.0.113.9'), hashAddress('b', '203.0.113.9'));
    assert.notEqual(hashAddress('a', '203.0.113.9'), deriveSecrets('other').hashAddress('a', '203.0.113.9'));
    assert.match(hashAddress('a', '203.0.113.9') ?? '', /^[\w-]{22}$/);
    assert.equal(hashAddress('a', 'unknown'), null);
  });
});
