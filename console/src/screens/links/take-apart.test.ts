import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_CHARACTERS, type Meaning, takeApart } from './take-apart.ts';

const IOS = 'https://apps.apple.com/de/app/shop/id525463029?l=en';
const PLAY = 'https://play.google.com/store/apps/details?id=com.example.shop';
const long = (start: string) => start.padEnd(MAX_CHARACTERS + 1, 'x');

function takenOf(meaning: Meaning) {
  assert.ok(meaning.kind === 'address', JSON.stringify(meaning));
  return meaning.taken;
}

describe('a text where a path in the app belongs', () => {
  for (const path of [
    '/shoes/42',
    'shoes/42',
    '/a?b=1',
    '/',
    '/größe',
    '/a:b',
    'home',
    '/files/a.b',
    '@user',
  ])
    it(`${path} is a path`, () => {
      assert.deepEqual(takeApart(` ${path} `), { kind: 'path', path });
    });

  for (const [given, taken] of Object.entries({
    'https://shop.example.com/sale?x=1': {
      ...{ deepLinkPath: '/sale', deepLinkParams: '{\n  "x": "1"\n}' },
      fallbackUrl: 'https://shop.example.com/sale?x=1',
    },
    'HTTP://Shop.Example.com': { deepLinkPath: '/', fallbackUrl: 'http://shop.example.com/' },
    '//shop.example.com/a': { deepLinkPath: '/a', fallbackUrl: 'https://shop.example.com/a' },
    'shop.example.com/a': { deepLinkPath: '/a', fallbackUrl: 'https://shop.example.com/a' },
    'https://s.example/a?size=1&size=2&__proto__=3': {
      ...{
        deepLinkPath: '/a',
        deepLinkParams: '{\n  "size": [\n    "1",\n    "2"\n  ],\n  "__proto__": "3"\n}',
      },
      fallbackUrl: 'https://s.example/a?size=1&size=2&__proto__=3',
    },
    'https://s.example/a?utm_source=mail&utm_campaign=spring%20sale&gclid=1&FBCLID=2': {
      ...{ deepLinkPath: '/a', campaignId: 'spring sale' },
      fallbackUrl: 'https://s.example/a?utm_source=mail&utm_campaign=spring+sale',
    },
    'https://ines:secret@s.example/a': { deepLinkPath: '/a', fallbackUrl: 'https://s.example/a' },
    'https://s.example/a#reviews': { deepLinkPath: '/a', fallbackUrl: 'https://s.example/a#reviews' },
    'https://s.example/#/shoes/42?x=1': {
      ...{ deepLinkPath: '/shoes/42', fallbackUrl: 'https://s.example/#/shoes/42?x=1' },
    },
    'https://bücher.example/größe': {
      ...{ deepLinkPath: '/gr%C3%B6%C3%9Fe', fallbackUrl: 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe' },
    },
    'https://s.example/black friday': {
      ...{ deepLinkPath: '/black%20friday', fallbackUrl: 'https://s.example/black%20friday' },
    },
    'https://[2001:db8::1]:8443/a': { deepLinkPath: '/a', fallbackUrl: 'https://[2001:db8::1]:8443/a' },
    [IOS]: { iosDestination: IOS },
    [PLAY]: { androidDestination: PLAY },
    'itms-apps://apps.apple.com/app/id1': { iosDestination: 'itms-apps://apps.apple.com/app/id1' },
    'market://details?id=com.example.shop': { androidDestination: 'market://details?id=com.example.shop' },
    'shop://shoes/42?colour=red#top': {
      ...{ deepLinkPath: '/shoes/42', deepLinkParams: '{\n  "colour": "red"\n}' },
    },
    'com.example.shop:///sale': { deepLinkPath: '/sale' },
    'shop:sale': { deepLinkPath: '/sale' },
    'shop://': { deepLinkPath: '/' },
  }))
    it(`${given} is taken apart`, () => {
      assert.deepEqual(takenOf(takeApart(given)), taken);
    });

  it('words with spaces are no path: two are offered', () => {
    const offers = ['/black-friday', '/black%20friday'];
    for (const given of ['black friday', '/black friday', 'black\u00a0friday'])
      assert.deepEqual(
        takeApart(given),
        {
          kind: 'spaces',
          offers: given.includes('\u00a0') ? ['/black-friday', '/black%C2%A0friday'] : offers,
        },
        given,
      );
  });

  for (const given of [
    ...['https://', 'https://shop example.com/a', 'http://:80/', 'https://s.example:99999/'],
    ...['javascript:alert(1)', 'mailto:a@b.example', 'data:text/html,x', 'file:///etc/passwd'],
    ...[
      'https://go.example.com/l/abc123',
      long('/'),
      long('https://s.example/'),
      `${long('shop://')}xxxxxxx`,
    ],
  ])
    it(`${given.slice(0, 40)} is refused with what to do`, () => {
      const meaning = takeApart(given, ['go.example.com']);
      assert.ok(meaning.kind === 'wrong', JSON.stringify(meaning));
      assert.match(meaning.text, /\. (?:Check|Write|To make|Leave out) /);
    });

  it('what was left out or changed is said', () => {
    const notesOf = (given: string) => {
      const meaning = takeApart(given);
      return meaning.kind === 'address' ? meaning.notes.join(' ') : '';
    };
    assert.match(notesOf('https://ines:secret@s.example/'), /password in it were left out/);
    assert.match(
      notesOf('https://s.example/?gclid=1&x=2'),
      /^gclid was left out: it stands for one visit\.$/,
    );
    assert.match(notesOf('https://bücher.example/'), /bücher\.example is written xn--bcher-kva\.example/);
    assert.match(notesOf('https://s.example/#top'), /#top stays in the address/);
    assert.match(notesOf(IOS), /App Store/);
    assert.match(notesOf('shop://sale?utm_source=x'), /UTM parameters are left out/);
    assert.equal(notesOf('https://s.example/a?x=1'), '');
  });

  it('UTM parameters are shown apart, decoded', () => {
    const meaning = takeApart('https://s.example/a?UTM_Source=x&utm_term=a+b%26c&y=1');
    assert.ok(meaning.kind === 'address');
    assert.deepEqual(meaning.utm, [
      ['UTM_Source', 'x'],
      ['utm_term', 'a b&c'],
    ]);
    assert.equal(meaning.taken.deepLinkParams, '{\n  "y": "1"\n}');
  });
});
