import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResolvedLink } from '../link.ts';
import { chooseDestination } from './choose-destination.ts';

const CLICK = '01a1f88f-e5b7-7d62-aa89-c51860d95758';
const LINK: ResolvedLink = {
  appId: 'a',
  id: 'l',
  shortCode: 'hello',
  shortUrl: 'https://go.test/l/hello',
  deepLinkPath: '/',
  deepLinkParamsText: '{}',
  campaignId: null,
  sandbox: false,
  expiresAtMs: null,
  ...{ expiredUrl: null, goneWhenExpired: false, minAppVersion: null },
  ...{ rules: [], passQuery: [], path: null, passPath: false },
  iosDestination: 'https://apps.apple.com/app/id1',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
  fallbackUrl: 'https://example.com/é',
  ogTitle: null,
  ogDescription: null,
  ogImage: null,
  landingPage: 'auto',
  app: { name: 'Shop', urlScheme: null, androidPackage: null, clipboardToken: false },
};

describe('destination', () => {
  it('each platform gets its own destination, others the fallback', () => {
    assert.equal(chooseDestination(LINK, 'IOS', CLICK), 'https://apps.apple.com/app/id1');
    assert.match(chooseDestination(LINK, 'ANDROID', CLICK) ?? '', /^https:\/\/play\.google\.com\//);
    assert.equal(chooseDestination(LINK, null, CLICK), 'https://example.com/%C3%A9');
  });

  it('a platform without its own destination gets the fallback, or null without one', () => {
    assert.equal(
      chooseDestination({ ...LINK, iosDestination: null }, 'IOS', CLICK),
      'https://example.com/%C3%A9',
    );
    assert.equal(chooseDestination({ ...LINK, iosDestination: null, fallbackUrl: null }, 'IOS', CLICK), null);
  });

  it('a Play URL carries the click ID in its referrer, encoded once', () => {
    assert.equal(
      chooseDestination(LINK, 'ANDROID', CLICK),
      `https://play.google.com/store/apps/details?id=com.example&referrer=svc_click_id%3D${CLICK}`,
    );
  });

  it('the click ID is appended to an existing referrer', () => {
    const androidDestination = 'market://details?id=com.example&referrer=utm_source%3Dx%26utm_medium%3Dy';
    const address = new URL(chooseDestination({ ...LINK, androidDestination }, 'ANDROID', CLICK) ?? '');
    assert.equal(address.searchParams.get('referrer'), `utm_source=x&utm_medium=y&svc_click_id=${CLICK}`);
    assert.equal(address.searchParams.get('id'), 'com.example');
  });

  it('an existing click ID in a Play URL is replaced in any encoding', () => {
    const names = [`svc_click_id=${CLICK}`, `svc_click_id%3D${CLICK}`, 'svc_click_id='];
    for (const name of names) {
      const referrer = encodeURIComponent(`utm_source=x&${name}&svc_click_idea=y`);
      const androidDestination = `https://play.google.com/store/apps/details?id=com.example&referrer=${referrer}`;
      const address = new URL(chooseDestination({ ...LINK, androidDestination }, 'ANDROID', 'new') ?? '');
      assert.equal(address.searchParams.get('referrer'), 'utm_source=x&svc_click_idea=y&svc_click_id=new');
    }
  });

  it('without a click ID, an existing one is removed from a Play URL', () => {
    const play = 'https://play.google.com/store/apps/details?id=com.example';
    const addresses = {
      [`${play}&referrer=svc_click_id%3D${CLICK}`]: play,
      [`${play}&referrer=utm_source%3Dx%26svc_click_id%3D${CLICK}`]: `${play}&referrer=utm_source%3Dx`,
      [`${play}&referrer=utm_source%3Dx`]: `${play}&referrer=utm_source%3Dx`,
      [play]: play,
    };
    for (const [androidDestination, expected] of Object.entries(addresses))
      assert.equal(chooseDestination({ ...LINK, androidDestination }, 'ANDROID', null), expected);
  });

  it('a URL that contains the placeholder is unchanged', () => {
    const androidDestination = 'market:CLICK-ID-GOES-HERE?x=1';
    assert.equal(
      chooseDestination({ ...LINK, androidDestination }, 'ANDROID', CLICK),
      `market:CLICK-ID-GOES-HERE?x=1&referrer=svc_click_id%3D${CLICK}`,
    );
  });

  it('URLs outside of Play and unrecorded clicks carry no click ID', () => {
    const androidDestination = 'https://example.com/get?referrer=a';
    assert.equal(chooseDestination({ ...LINK, androidDestination }, 'ANDROID', CLICK), androidDestination);
    assert.equal(chooseDestination(LINK, 'ANDROID', null), LINK.androidDestination);
  });

  it('passed parameters are added to every address of the web and to none of a store', () => {
    const passed = [
      ['utm_source', 'poster'],
      ['own', 'theirs'],
    ] as const;
    const addresses = {
      'https://m.example/get?own=1#top': 'https://m.example/get?own=1&utm_source=poster#top',
      'http://m.example': 'http://m.example/?utm_source=poster&own=theirs',
      'https://play.google.com.example/store':
        'https://play.google.com.example/store?utm_source=poster&own=theirs',
      'https://apps.apple.com/app/id1': null,
      'https://geo.itunes.apple.com/app/id1': null,
      'https://testflight.apple.com/join/abc': null,
      'itms-apps://apps.apple.com/app/id1': null,
      'market://details?id=com.example': null,
      'https://play.google.com/store/apps/details?id=com.example': null,
      'https://play.google.com/store/apps/dev?id=1': null,
    };
    for (const [address, expected] of Object.entries(addresses)) {
      const link = {
        ...{ ...LINK, passed, rest: '' },
        ...{ iosDestination: address, androidDestination: address, fallbackUrl: address },
      };
      for (const platform of ['IOS', 'ANDROID', null] as const)
        assert.equal(chooseDestination(link, platform, null), expected ?? address, `${platform}`);
    }
  });

  it('the rest of the address is added to the fallback alone', () => {
    const link = { ...LINK, passed: [], rest: 'a/b', iosDestination: 'https://m.example/get' };
    assert.equal(chooseDestination(link, 'IOS', null), 'https://m.example/get');
    assert.equal(chooseDestination(link, null, null), 'https://example.com/%C3%A9/a/b');
  });
});
