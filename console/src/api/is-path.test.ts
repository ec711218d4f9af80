import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isPath } from './is-path.ts';

it('a page after the sign-in is one of the console', () => {
  const others = [
    ...[
      '/../l/phish',
      '/..',
      '/%2e%2e/l/phish',
      '/.%2E/l/phish',
      '/..//x',
      '//example.org',
      '/\\example.org',
    ],
    ...[
      '/\\..\\..\\l',
      '/a/../../l',
      '/a/..//example.org',
      '/./../l',
      'https://example.org/',
      'a',
      '/a b',
      '',
    ],
  ];
  for (const next of [...others, undefined]) assert.equal(isPath(next), false, next);
  for (const next of ['/', '/APP_ID/installs?q=/../x', '/APP_ID/links/%2Fx', '/...', '/a/../b'])
    assert.equal(isPath(next), true, next);
});
