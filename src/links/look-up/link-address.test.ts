import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prefixesOf, readLinkAddress } from './link-address.ts';

const code = (name: string, rest: string | null = null) => ({ kind: 'code', code: name, rest });
const path = (text: string) => ({ kind: 'path', path: text });
const long = (length: number) => 'a'.repeat(length);

const READ: readonly (readonly [request: string, address: object | null])[] = [
  ['/l/hello', code('hello')],
  ['/l/hello/', code('hello')],
  ['/l//hello', code('hello')],
  ['/%6c/hell%6F', code('hello')],
  ['/l/hello/a/b', code('hello', 'a/b')],
  ['/l/hello//evil.example', code('hello', 'evil.example')],
  ['/l/hello/caf%C3%A9', code('hello', 'café')],
  [`/l/hello/${long(512)}`, code('hello', long(512))],
  [`/l/hello/${long(513)}`, null],
  ['/l/hello/..', null],
  ['/l/hello/%2e%2E/x', null],
  ['/l/hello/%252e%252e/x', null],
  ['/l/hello/./x', null],
  ['/l/hello/a%00b', null],
  ['/l/%zz', null],
  ['/l/hell%F6', null],
  ['/l/', path('l')],
  ['/', path('')],
  ['//', path('')],
  ['/summer', path('summer')],
  ['/%73ummer', path('summer')],
  ['/%2573ummer', path('%73ummer')],
  ['//summer//sale/', path('summer/sale')],
  ['/summer%2Fsale', path('summer/sale')],
  ['/summer/../v1', null],
  ['/s%C3%B6mmer', path('sömmer')],
  [`/${long(255)}/${long(512)}/`, path(`${long(255)}/${long(512)}`)],
  [`/${long(800)}`, null],
  [`${'/'.repeat(800)}a`, null],
];

describe('the address of a link', () => {
  for (const [request, address] of READ)
    it(`${request.slice(0, 40)} is ${JSON.stringify(address)?.slice(0, 60)}`, () =>
      assert.deepEqual(readLinkAddress(request), address));

  it('a path may belong to a link above it, of at most 5 segments and 255 characters, with at most 512 after it', () => {
    assert.deepEqual(prefixesOf('a'), []);
    assert.deepEqual(prefixesOf('a/b/c'), [
      { path: 'a/b', rest: 'c' },
      { path: 'a', rest: 'b/c' },
    ]);
    assert.deepEqual(
      prefixesOf('a/b/c/d/e/f/g').map((each) => each.path),
      ['a/b/c/d/e', 'a/b/c/d', 'a/b/c', 'a/b', 'a'],
    );
    assert.deepEqual(prefixesOf(`${long(256)}/b`), []);
    assert.deepEqual(prefixesOf(`a/b/${long(511)}`), [{ path: 'a/b', rest: long(511) }]);
  });
});
