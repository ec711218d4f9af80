import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReader } from './create-reader.ts';
import { readHead } from './file-head.ts';
import { IMPORT_SOURCES, ImportFileError, type ImportSource } from './imported-row.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const head = (text: string, source: ImportSource = 'csv', isWhole = true) =>
  readHead(bytes(text), { source, isWhole });

describe('the beginning of a file', () => {
  it('names columns as an import takes them, with an example of each', () => {
    const { format, columns, problem } = head(
      '\ufeffKurz;Target;"Passwort; long"\r\n;https://a.example/;\r\nhttps://go.example.com/x;;Hi\r\n',
    );
    assert.equal(format, 'csv');
    assert.deepEqual(columns, [
      { name: 'Kurz', example: 'https://go.example.com/x', field: null, mayProtect: false },
      { name: 'Target', example: 'https://a.example/', field: 'fallbackUrl', mayProtect: false },
      { name: 'Passwort; long', example: 'Hi', field: null, mayProtect: true },
    ]);
    assert.match(problem?.message ?? '', /The file has no “short link”/);
  });

  it('guesses each column as the reader of the whole file does, for every source', () => {
    const files = [
      'Short link,Destination URL,Title,Clicks,link\nhttps://go.example.com/a,https://a.example/,A,1,\n',
      'short_link,link,name\nhttps://go.example.com/a,https://a.example/,A\n',
      '{"shortUrl":"go.example.com/a","destination":"https://a.example/","clicks":3}\n',
      '{"link":"https://go.example.com/a","long_url":"https://a.example/","tags":["x"]}\n',
    ];
    for (const file of files)
      for (const source of IMPORT_SOURCES) {
        const { format, columns, problem } = head(file, source);
        const reader = createReader({ source, format });
        let refusal: string | null = null;
        try {
          reader.write(bytes(file));
          reader.end();
        } catch (error) {
          refusal = (error as Error).message;
        }
        assert.equal(problem?.message ?? null, refusal, `${source}: ${file}`);
        const first = new Map(
          columns.toReversed().flatMap(({ name, field }) => (field === null ? [] : [[field, name]])),
        );
        for (const [name, field] of Object.entries(reader.columns))
          assert.equal(first.get(field), name, source);
      }
  });

  it('says whose columns they are instead', () => {
    const file =
      '{"id":"go.example.com/a","link":"https://go.example.com/a","long_url":"https://a.example/","archived":false,"custom_bitlinks":[]}\n';
    assert.equal(head(file, 'shlink').problem?.rightful, 'bitly');
  });

  it('is read without its last row, and refused for what is no file of links', () => {
    assert.equal(head('path,url\na,https://a.exa', 'csv', false).columns[1]?.example, '');
    assert.deepEqual(head('[{"link":"x"', 'bitly', false), { format: 'ndjson', columns: [], problem: null });
    for (const [file, message] of [
      ['PK\u0003\u0004 workbook', /ZIP archive or an Excel workbook/],
      ['<!doctype html>\n', /web page/],
      ['', /no links/],
      ['path,url\n', /no links/],
    ] as const)
      assert.throws(
        () => head(file),
        (error) => error instanceof ImportFileError && message.test(error.message),
      );
  });
});
