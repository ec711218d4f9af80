import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { baseAt, pathTyped, wrongPath } from './address-path.ts';

describe('the address of a link at its app’s host', () => {
  it('is taken with slashes, scheme and host as people paste it', () => {
    for (const [text, path] of [
      ['summer/sale', 'summer/sale'],
      [' /summer/sale/ ', 'summer/sale'],
      ['https://GO.shop.example/Summer', 'Summer'],
      ['go.shop.example/summer', 'summer'],
      [' / ', null],
      ['', null],
      ['https://go.shop.example/', null],
    ] as const)
      assert.equal(pathTyped(text, 'https://go.shop.example'), path, text);
    for (const text of ['http://go.shop.example:8080/go/summer', 'go.shop.example/summer', 'summer/'])
      assert.equal(pathTyped(text, 'http://go.shop.example:8080/go'), 'summer', text);
  });

  it('is shown with the scheme, port and folder that the app’s links have', () => {
    const serviceUrl = 'http://127.0.0.1:8080/';
    for (const [shortUrl, path, base] of [
      ['https://go.shop.example/summer', 'summer', 'https://go.shop.example'],
      ['http://go.shop.example:8080/summer', 'summer', 'http://go.shop.example:8080'],
      ['http://go.shop.example:8080/l/abc', null, 'http://go.shop.example:8080'],
      ['https://links.example/go/l/abc', 'summer', 'https://go.shop.example/go'],
      [undefined, null, 'http://go.shop.example:8080'],
    ] as const) {
      const link = shortUrl === undefined ? undefined : { shortUrl, path, shortCode: 'abc' };
      assert.equal(baseAt('go.shop.example', { link, serviceUrl }), base, shortUrl);
    }
  });

  it('is refused at once where the service refuses it, with what to write instead', () => {
    for (const [path, reason] of [
      ['summer/sale', null],
      ['a.b_c~d-e/F/1/2/3', null],
      ['laden', null],
      ['summer sale', /no spaces/],
      ['größe', /no ö/],
      ['sale?x=1', /no \?/],
      ['a//b', /Two slashes/],
      ['a/../b', /\.\./],
      ['1/2/3/4/5/6', /at most 5 parts/],
      ['a'.repeat(256), /this has 256/],
      ['l/summer', /begins with l /],
      ['console', /begins with console/],
      ['_next/data', /begins with _next/],
      ['https://other.example/x', /another host/],
    ] as const)
      reason === null
        ? assert.equal(wrongPath(path), null, path)
        : assert.match(wrongPath(path) ?? '', reason);
  });
});
