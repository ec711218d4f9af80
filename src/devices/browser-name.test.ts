import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameBrowser } from './index.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const CHROME = `${WEBKIT} Chrome/141.0.0.0`;
const MAC = 'Macintosh; Intel Mac OS X 10_15_7';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** Forms of https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/User-Agent and of the makers. */
const NAMED: readonly (readonly [string, string | null, string | null])[] = [
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome 141', 'Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/141.0.0.0`, 'Edge 141', 'Windows'],
  [
    `Mozilla/5.0 (${MAC}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`,
    'Safari 18',
    'macOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140', 'Linux'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox 140', 'Android'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, 'Chrome 141', 'ChromeOS'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 'Chrome 141', 'Android'],
  [`${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`, 'Safari 18', 'iOS'],
  [`${IPHONE} CriOS/141.0.7390.26 Mobile/15E148 Safari/604.1`, 'Chrome 141', 'iOS'],
  ['curl/8.5.0', 'curl 8', null],
  ['node', null, null],
  ['', null, null],
];

describe('the browser of a user agent', () => {
  it('has the name that people know, with its major version, and the system without one', () => {
    for (const [userAgent, browser, system] of NAMED)
      assert.deepEqual(nameBrowser(userAgent), { browser, system }, userAgent);
    assert.deepEqual(nameBrowser(null), { browser: null, system: null });
  });
});
