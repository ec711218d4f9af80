import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathTyped, wrongPath } from './address-path.ts';

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
      assert.equal(pathTyped(text, 'go.shop.example'), path, text);
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
