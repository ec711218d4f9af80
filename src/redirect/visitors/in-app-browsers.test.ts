import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findInAppBrowser } from './in-app-browsers.ts';

it('matching takes linear time for repetitive user agents', () => {
  const many = (text: string) => text.repeat(20_000);
  const phones = `${many('iPhone ')}${many('AppleWebKit/')}`;
  assert.equal(findInAppBrowser(phones), 'webview');
  assert.equal(findInAppBrowser(`${phones} Safari/`), null);
});

it('an iPhone’s user agent with an engine and without `Safari/` is a web view', () => {
  const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)';
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
  const engine = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
  const found = [`${phone} ${engine}`, `${phone} ${engine} Safari/604.1`, `${mac} ${engine}`, phone];
  assert.deepEqual(found.map(findInAppBrowser), ['webview', null, null, null]);
});
