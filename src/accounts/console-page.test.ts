import assert from 'node:assert/strict';
import { it } from 'node:test';
import { consolePage } from './console-page.ts';

for (const publicUrl of ['https://links.example.com', 'https://example.com/service'])
  it(`a page after the sign-in is one of the console of ${publicUrl}`, () => {
    const start = `${publicUrl}/console/`;
    for (const path of [
      ...[
        '/../l/phish',
        '/..',
        '/../console',
        '/../consolex',
        '/%2e%2e/l/phish',
        '/%2E./l/phish',
        '/.%2e/l/x',
      ],
      ...['/..//x', '//x', '//example.org/x', '/\\example.org', '/\\..\\..\\l\\phish', '/a/../../l/phish'],
      ...['/a/..\\..\\l', '/./../l/phish', '/.//example.org', '/a/..//example.org'],
    ])
      assert.equal(consolePage(publicUrl, path), start, path);
    for (const path of ['/', '/APP_ID/installs?q=/../x#id', '/APP_ID/links/%2Fx', '/...', '/a..b/..c'])
      assert.equal(consolePage(publicUrl, path), `${publicUrl}/console${path}`, path);
    assert.equal(consolePage(publicUrl, '/a/../b'), `${publicUrl}/console/b`);
  });
