import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { addressOf, listed, partOf } from './documents.ts';

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

  it('are whole in at most 40,000 characters each: a long one in parts, which say how to go on', () => {
    const at = 'https://l.test/docs/reference/api.md';
    for (const text of [
      readFileSync('docs/reference/api.md', 'utf8'),
      'x'.repeat(100_000),
      `# A\n${'line\n'.repeat(20_000)}`,
    ]) {
      let whole = '';
      let next: string | undefined = `${at}?part=1`;
      for (let part = 1; next !== undefined; part++) {
        assert.equal(next, `${at}?part=${part}`);
        const read = partOf(at, text, part);
        assert.ok(read.length <= 40_000);
        whole += read.replace(/\n\n\[Part .*\]\n$/, '');
        next = /\[Part \d+ of \d+\. Read on at (\S+)\.\]\n$/.exec(read)?.[1];
      }
      assert.equal(whole.replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
    }
    assert.equal(partOf(at, 'short', 1), 'short');
    for (const part of [0, 2, 1.5, Number.NaN]) assert.throws(() => partOf(at, 'short', part), /from 1 to 1/);
  });
});
