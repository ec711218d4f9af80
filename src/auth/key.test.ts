import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hintOf, isKeyShaped, isMistyped, KEY_KINDS, makeKey, regionOf } from './key.ts';

describe('keys', () => {
  it('a key names its mode, whether it is publishable, and its region', () => {
    assert.match(makeKey('live', 'us'), /^svc_live_us_[0-9A-Za-z]{28}$/);
    assert.match(makeKey('test', 'eu'), /^svc_test_eu_[0-9A-Za-z]{28}$/);
    assert.match(makeKey('live_publishable', 'us'), /^svc_live_pub_us_[0-9A-Za-z]{28}$/);
    assert.match(makeKey('test_publishable', 'eu'), /^svc_test_pub_eu_[0-9A-Za-z]{28}$/);
    for (const kind of KEY_KINDS) assert.equal(regionOf(makeKey(kind, 'eu')), 'eu');
  });

  it('a mistyped character is detected', () => {
    const key = makeKey('live', 'us');
    const other = key.at(-10) === 'a' ? 'b' : 'a';
    assert.equal(isMistyped(key), false);
    assert.equal(isMistyped(`${key.slice(0, -10)}${other}${key.slice(-9)}`), true);
  });

  it('a missing or extra character is detected at any position', () => {
    for (const kind of KEY_KINDS) {
      const key = makeKey(kind, 'us');
      const start = key.length - 28;
      for (let place = start; place < key.length; place++) {
        assert.equal(isMistyped(key.slice(0, place) + key.slice(place + 1)), true);
        assert.equal(isMistyped(`${key.slice(0, place)}_${key.slice(place)}`), true);
      }
      for (const length of [1, 5, 15, 16]) assert.equal(isMistyped(key.slice(0, start + length)), true);
      assert.equal(isMistyped(key + key), true);
    }
  });

  it('a key without a region has none and is not mistyped', () => {
    assert.equal(regionOf('svc_live_0123456789abcdef'), null);
    assert.equal(isKeyShaped('svc_live_0123456789abcdef'), true);
    assert.equal(isMistyped('svc_live_0123456789abcdef'), false);
  });

  it('other texts do not have the shape of a key', () => {
    for (const text of [
      '',
      'svc_live_',
      'svc_live_short',
      'sk_live_0123456789abcdef',
      'svc_live_0123456789abcde\n',
    ])
      assert.equal(isKeyShaped(text), false);
  });

  it('a hint has the prefix and the last characters', () => {
    const key = makeKey('live_publishable', 'us');
    assert.equal(hintOf(key, 'live_publishable'), `svc_live_pub_us_…${key.slice(-4)}`);
  });
});
