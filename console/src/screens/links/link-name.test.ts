import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linkAddress, linkName } from './link-name.ts';

describe('the name of a link', () => {
  it('is its title, else its path where that is its address, else its code', () => {
    for (const [title, path, shortUrl, name, address] of [
      ['Poster', 'summer/sale', 'https://go.shop.example/summer/sale', 'Poster', '/summer/sale'],
      [null, 'summer/sale', 'https://go.shop.example/summer/sale', '/summer/sale', '/summer/sale'],
      [null, null, 'https://go.shop.example/l/97JXWTzQ', '/97JXWTzQ', '/97JXWTzQ'],
      // The app has no host of its own any more: the path leads nowhere.
      [null, 'summer/sale', 'https://links.example/l/97JXWTzQ', '/97JXWTzQ', '/97JXWTzQ'],
    ] as const) {
      const link = { title, path, shortUrl, shortCode: '97JXWTzQ' };
      assert.deepEqual([linkName(link), linkAddress(link)], [name, address]);
    }
  });
});
