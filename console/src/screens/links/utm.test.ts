import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readUtm, setUtm, usedUtm } from './utm.ts';

it('UTM parameters are read, set and removed without a change to the rest of the address', () => {
  const before = 'https://s.example/a?x=%20+1&utm_source=old&&utm_source=again#top';
  assert.equal(readUtm(before).utm_source, 'old');
  const set = setUtm(before, 'utm_source', 'a b&c=ü');
  assert.equal(set, 'https://s.example/a?x=%20+1&utm_source=a%20b%26c%3D%C3%BC#top');
  assert.equal(readUtm(set).utm_source, 'a b&c=ü');
  assert.equal(setUtm(set, 'utm_source', ''), 'https://s.example/a?x=%20+1#top');
  assert.equal(setUtm('https://s.example', 'utm_term', 'x'), 'https://s.example/?utm_term=x');
  for (const none of ['', 'nothing', 'shop://a', 'mailto:a@b.example'])
    assert.equal(setUtm(none, 'utm_source', 'x'), none);
});

it('values of addresses used before are listed once', () => {
  const used = usedUtm([
    'https://a.example/?utm_source=x',
    null,
    'https://b.example/?utm_source=x&utm_term=y',
  ]);
  assert.deepEqual([used.utm_source, used.utm_term, used.utm_medium], [['x'], ['y'], []]);
});
