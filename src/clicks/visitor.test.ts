import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { classifyVisitor } from './visitor.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1';

const CASES: readonly [userAgent: string, kind: string, platform: string | null][] = [
  [IPHONE, 'human', 'IOS'],
  [
    'Mozilla/5.0 (iPad; CPU OS 16_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.3 Mobile/15E148 Safari/604.1',
    'human',
    'IOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
    'human',
    'ANDROID',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36 Instagram 312.0',
    'human',
    'ANDROID',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/450.0]',
    'human',
    'IOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 9; CUBOT_P20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0.4896.127 Mobile Safari/537.36',
    'human',
    'ANDROID',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    'human',
    null,
  ],
  ['curl/8.5.0', 'tool', null],
  ['okhttp/4.12.0', 'tool', null],
  ['python-requests/2.31', 'tool', null],
  ['App/1 CFNetwork/1410.0.3 Darwin/22.6.0', 'tool', 'IOS'],
  ['', 'tool', null],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'crawler', null],
  ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'preview', null],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'preview', null],
  ['WhatsApp/2.23.20.0 A', 'preview', null],
  ['TelegramBot (like TwitterBot)', 'preview', null],
];

describe('visitors', () => {
  for (const [userAgent, kind, platform] of CASES)
    it(`${kind}, ${platform ?? 'no platform'}: ${userAgent.slice(0, 90)}`, () => {
      assert.deepEqual(classifyVisitor('GET', { 'user-agent': userAgent }), { kind, platform });
    });

  it('a page loaded before anybody tapped is a prefetch', () => {
    for (const headers of [
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'x-moz': 'prefetch' },
    ])
      assert.equal(classifyVisitor('GET', { 'user-agent': IPHONE, ...headers }).kind, 'prefetch');
  });

  it('HEAD is no click, whoever sends it', () => {
    assert.equal(classifyVisitor('HEAD', { 'user-agent': IPHONE }).kind, 'head');
  });
});
