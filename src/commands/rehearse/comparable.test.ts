import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparable, utmOf } from './comparable.ts';

const SAME: readonly (readonly [string, string])[] = [
  ['https://shop.example/sale', 'https://SHOP.example/sale/'],
  ['https://shop.example/sale?a=1&b=2', 'https://shop.example/sale/?b=2&utm_source=x&a=1&gclid=7&fbclid=8'],
  ['https://shop.example/?q=a+b', 'https://shop.example?q=a%20b'],
  ['https://shop.example/gr%c3%bcn', 'https://shop.example/grün'],
  ['https://shop.example/?_branch_match_id=1&_branch_referrer=2', 'https://shop.example'],
  ['https://apps.apple.com/app/id1?pt=2&ct=3&mt=8', 'https://apps.apple.com/de/app/shoe-shop/id1'],
  ['itms-apps://itunes.apple.com/app/id1', 'https://apps.apple.com/app/id1'],
  ['itms-appss://apps.apple.com/app/id1', 'https://apps.apple.com/app/id1'],
  [
    'https://play.google.com/store/apps/details?id=com.shop&referrer=svc_click_id%3D1&hl=de',
    'market://details?id=com.shop',
  ],
  [
    'intent://open/sale#Intent;scheme=shop;package=com.shop;end',
    'https://play.google.com/store/apps/details?id=com.shop',
  ],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['https://shop.example/sale', 'https://shop.example/Sale'],
  ['https://shop.example/sale', 'http://shop.example/sale'],
  ['https://shop.example/sale', 'https://www.shop.example/sale'],
  ['https://shop.example/sale', 'https://shop.example/sale?color=red'],
  ['https://shop.example/#a', 'https://shop.example/#b'],
  ['https://apps.apple.com/app/id1', 'https://apps.apple.com/app/id2'],
  ['https://apps.apple.com/app/id1', 'https://apps.apple.com/app/id1?ppid=45'],
  [
    'https://play.google.com/store/apps/details?id=com.shop',
    'https://play.google.com/store/apps/details?id=com.other',
  ],
  ['https://play.google.com/store/apps/details?id=com.shop', 'market://details?id=com.shop&listing=sale'],
  ['shop://sale', 'shop://other'],
];

describe('comparable addresses', () => {
  it('are the same without what makes no difference to a visitor', () => {
    for (const [one, other] of SAME) assert.equal(comparable(one), comparable(other), one);
  });

  it('are not the same where a visitor may get something else', () => {
    for (const [one, other] of DIFFERENT) assert.notEqual(comparable(one), comparable(other), other);
  });

  it('and texts that are none do not throw', () => {
    for (const text of [
      '',
      'x',
      'https://shop.example/%E0%A4%A',
      'intent:#Intent;end',
      'market:details',
      'itms-apps:x',
    ])
      assert.equal(typeof comparable(text), 'string', text);
  });

  it('have their utm parameters beside', () => {
    assert.equal(utmOf('https://shop.example/?utm_term=b&x=1&utm_source=a'), 'utm_source=a&utm_term=b');
    assert.equal(utmOf('no address'), '');
  });
});
