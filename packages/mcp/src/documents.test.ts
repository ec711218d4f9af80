import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf, listed } from './documents.ts';

describe('documents', () => {
  it('are those of llms.txt, at the address that the program uses', () => {
    const list =
      '# T\n\n- [Links [a]](https://links.test/at/docs/guide/links.md): About.\n- [API](https://links.test/docs/reference/api.md)\n- [Else](https://other.test/x.md)\n';
    assert.deepEqual(
      listed('http://127.0.0.1:1', list).map(({ uri, title, ...rest }) => [
        uri,
        title,
        'description' in rest,
      ]),
      [
        ['http://127.0.0.1:1/docs/guide/links.md', 'Links [a]', true],
        ['http://127.0.0.1:1/docs/reference/api.md', 'API', false],
      ],
    );
  });

  it('no other address is asked for', () => {
    assert.equal(addressOf('https://l.test', 'guide', 'links'), 'https://l.test/docs/guide/links.md');
    for (const name of ['..', 'a/b', 'a%2fb', '', 'a?b', 'a.b'])
      assert.throws(() => addressOf('https://l.test', 'guide', name), /llms\.txt/);
  });
});
