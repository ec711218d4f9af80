import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inAppBrowserIn } from './in-app-browsers.ts';

it('a user agent is read in time that grows with its length, whatever it repeats', () => {
  const many = (text: string) => text.repeat(20_000);
  const phones = `${many('iPhone ')}${many('AppleWebKit/')}`;
  assert.equal(inAppBrowserIn(phones), 'webview');
  assert.equal(inAppBrowserIn(`${phones} Safari/`), null);
});

it('of an Apple phone what does not end in Safari is an app’s web view, a computer’s and what names no engine is none', () => {
  const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)';
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
  const engine = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
  const found = [`${phone} ${engine}`, `${phone} ${engine} Safari/604.1`, `${mac} ${engine}`, phone];
  assert.deepEqual(found.map(inAppBrowserIn), ['webview', null, null, null]);
});
