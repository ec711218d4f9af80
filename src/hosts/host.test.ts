import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../config.ts';
import { placeOf, type Watching } from './host.ts';

const CASES: readonly (readonly [string, Record<string, string>, string | null, Watching])[] = [
  ['without a setting', {}, null, 'not_public'],
  ['of PUBLIC_URL', { PUBLIC_URL: 'https://links.example.org' }, null, 'on'],
  ['of SHORT_LINK_URL', { SHORT_LINK_URL: 'https://go.example.org/x' }, null, 'on'],
  ['of the app', { PUBLIC_URL: 'https://links.example.org' }, 'shop.example.net', 'on'],
  ['with WATCH_HOSTS=0', { PUBLIC_URL: 'https://links.example.org', WATCH_HOSTS: '0' }, null, 'off'],
  ['by http', { PUBLIC_URL: 'http://links.example.org' }, null, 'not_public'],
  ['that is an address', { PUBLIC_URL: 'https://192.0.2.7' }, null, 'not_public'],
  ['that is an address of IPv6', { PUBLIC_URL: 'https://[2001:db8::1]' }, null, 'not_public'],
  ['with a single label', { PUBLIC_URL: 'https://intranet' }, null, 'not_public'],
  ['of a private network', { PUBLIC_URL: 'https://links.home.arpa' }, null, 'not_public'],
  ['localhost', { PUBLIC_URL: 'https://links.localhost' }, null, 'not_public'],
  [
    'localhost that is allowed',
    { PUBLIC_URL: 'https://links.localhost', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
    null,
    'on',
  ],
];

describe('whether a host is looked at', () => {
  for (const [title, env, ownHost, watching] of CASES)
    it(`${title}: ${watching}`, () =>
      assert.equal(placeOf(readConfig(env), { short_link_host: ownHost }).watching, watching));
});
