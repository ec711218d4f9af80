import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readLinks } from './read-links.ts';

describe('the links of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-links-'));
  after(() => rmSync(folder, { recursive: true }));
  const read = async (text: string, fromLine = 1) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, text);
    return await readLinks({ file, source: null, format: 'csv', columns: null, fromLine });
  };

  it('are addresses one a line, with or without a scheme, a header, quotes and comments', async () => {
    const { links, failures } = await read(
      '\uFEFFlink\r\nhttps://go.example.com/Summer/Sale\r\n\r\n# printed\r\n"go.example.com/a%20b?x=1"\r\nhttp://127.0.0.1:81/c,d\r\n',
    );
    assert.deepEqual(failures, []);
    assert.deepEqual(
      links.map(({ line, origin, path }) => [line, origin, path]),
      [
        [2, 'https://go.example.com', 'Summer/Sale'],
        [5, 'https://go.example.com', 'a%20b?x=1'],
        [6, 'http://127.0.0.1:81', 'c,d'],
      ],
    );
  });

  it('are Firebase’s long links too', async () => {
    const [link] = (await read('https://shop.page.link/?link=https%3A%2F%2Fshop.example%2F&apn=com.shop\n'))
      .links;
    assert.equal(link?.path, '?link=https%3A%2F%2Fshop.example%2F&apn=com.shop');
  });

  it('and what is none is named by its line', async () => {
    const { links, failures } = await read('go.example.com/a\nno address\ngo.example.com/b\n');
    assert.deepEqual(
      links.map(({ line }) => line),
      [1, 3],
    );
    assert.deepEqual(failures, [{ line: 2, failure: 'The line is no address. Write one address a line.' }]);
  });

  it('are those of an export, with the rows that cannot become one', async () => {
    const { links, failures } = await read(
      'Short link;Destination URL\nhttps://Go.example.com/Summer/Sale;https://shop.example/\nhttps://go.example.com/a b;https://shop.example/\n',
    );
    assert.deepEqual(
      links.map(({ line, origin, path, input }) => [line, origin, path, input?.fallbackUrl]),
      [[2, 'https://go.example.com', 'Summer/Sale', 'https://shop.example/']],
    );
    assert.deepEqual(
      failures.map(({ line }) => line),
      [3],
    );
  });

  it('cannot be read without a column of addresses, which names --source as the remedy', async () => {
    await assert.rejects(read('name,age\na,1\n'), {
      name: 'StartError',
      message: /^.*links\.csv: .* Name the service that it comes from with --source\.$/,
    });
  });

  it('begin where --from says', async () => {
    const list = 'go.example.com/a\ngo.example.com/b\n';
    assert.deepEqual(
      (await read(list, 2)).links.map(({ path }) => path),
      ['b'],
    );
    await assert.rejects(read(list, 3), /links\.csv has no link at or after line 3\.$/);
  });

  it('are read from a file that exists', async () => {
    const file = join(folder, 'none.csv');
    await assert.rejects(readLinks({ file, source: null, format: 'csv', columns: null, fromLine: 1 }), {
      name: 'StartError',
      message: /^Failed to read .*none\.csv: /,
    });
  });
});
