import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReader } from './create-reader.ts';
import { type ImportedRow, ImportFileError, type ImportFormat, type ImportSource } from './imported-row.ts';

const HEADER = 'Short link,Destination URL,Title\n';
const ROW = 'https://go.example.com/a,https://example.com/a,One\n';

function read(
  file: string | Buffer,
  {
    source = 'csv',
    format = 'csv',
    columns,
    pieceBytes = 1_000_000,
  }: {
    source?: ImportSource;
    format?: ImportFormat;
    columns?: Record<string, string>;
    pieceBytes?: number;
  } = {},
): ImportedRow[] {
  const reader = createReader({ source, format, columns });
  const bytes = Buffer.from(file);
  const rows: ImportedRow[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    rows.push(...reader.write(bytes.subarray(at, at + pieceBytes)));
  return [...rows, ...reader.end()];
}

/** Line and title of each link; line and reason of each failed row. */
function summary(rows: readonly ImportedRow[]): [number, string | null | undefined][] {
  return rows.map((row) => [row.line, 'links' in row ? row.links[0]?.input.title : row.failure]);
}

const COUNTS = [
  '{"size":100,"page":1,"search_after":""}',
  '{"cursors":{"after":"x"}}',
  '[{"page":1},{"page":2}]',
  '7',
];

/** Two pages of an API, in each layout that saving them gives, with counts before and after the list. */
function answersTwice(link: string): [name: string, file: string, ImportFormat, [number, string][]][] {
  return COUNTS.flatMap((counts) => {
    const pages = [
      `{"links":[${link}],"pagination":${counts}}`,
      `{"pagination":${counts},"links":[${link}]}`,
    ];
    const shlink = `{"shortUrls":{"data":[${link}],"pagination":${counts}},"x":${counts}}`;
    return [...pages, shlink].flatMap((page): ReturnType<typeof answersTwice> => {
      const [before = ''] = indented(page).split('"destination"', 1);
      const at = before.split('\n').length - 2;
      return [
        [`of two answers on a line: ${page.slice(0, 60)}`, page + page, 'ndjson', twice(1, 1)],
        [
          `of an answer, and two on a line: ${page.slice(0, 60)}`,
          `${page}\n${page}${page}`,
          'ndjson',
          [[1, 'One'], ...twice(2, 2)],
        ],
        [`of an indented answer: ${page.slice(0, 60)}`, indented(page), 'ndjson', [[at, 'One']]],
      ];
    });
  });
}

const indented = (json: string) => JSON.stringify(JSON.parse(json), null, 2);
const twice = (first: number, second: number): [number, string][] => [
  [first, 'One'],
  [second, 'One'],
];

describe('a file of links', () => {
  const ONE = [[2, 'One']];
  const json = '{"shortUrl":"https://go.example.com/a","destination":"https://example.com/a","title":"One"}';
  const readable: [name: string, file: string | Buffer, format: ImportFormat, expected: unknown][] = [
    ['with commas', HEADER + ROW, 'csv', ONE],
    ['with semicolons', (HEADER + ROW).replaceAll(',', ';'), 'csv', ONE],
    ['with tabs', (HEADER + ROW).replaceAll(',', '\t'), 'csv', ONE],
    [
      'with Excel’s line for the separator',
      `sep=;\n${(HEADER + ROW).replaceAll(',', ';')}`,
      'csv',
      [[3, 'One']],
    ],
    ['with a byte order mark', `\uFEFF${HEADER}${ROW}`, 'csv', ONE],
    ['with CRLF', (HEADER + ROW).replaceAll('\n', '\r\n'), 'csv', ONE],
    ['with CR alone', (HEADER + ROW).replaceAll('\n', '\r'), 'csv', ONE],
    ['without a last line break', HEADER + ROW.trimEnd(), 'csv', ONE],
    ['with empty lines and rows', `\n \n${HEADER}\n,,\n${ROW}\n`, 'csv', [[6, 'One']]],
    [
      'with a line break within quotes',
      `${HEADER}"https://go.example.com/a","https://example.com/a","On\r\ne"\n${ROW}`,
      'csv',
      [
        [2, 'On\ne'],
        [4, 'One'],
      ],
    ],
    ['with other letters', HEADER + ROW.replace('One', 'Grüße 你好 🎈'), 'csv', [[2, 'Grüße 你好 🎈']]],
    ['with names in other forms', `SHORT_LINK,destination-url,title\n${ROW}`, 'csv', ONE],
    [
      'with more cells than its header',
      `${HEADER}${ROW.trimEnd()},more\n${ROW}`,
      'csv',
      [
        [2, 'The row has more cells than the header. Put a cell with the separator in it between quotes.'],
        [3, 'One'],
      ],
    ],
    [
      'with shorter rows',
      `${HEADER}https://go.example.com/a,https://example.com/a\n${ROW}`,
      'csv',
      [
        [2, undefined],
        [3, 'One'],
      ],
    ],
    [
      'of an object in each line',
      `${json}\n\n${json}\n`,
      'ndjson',
      [
        [1, 'One'],
        [3, 'One'],
      ],
    ],
    ['of one line', json, 'ndjson', [[1, 'One']]],
    [
      'with a line that is no JSON',
      `${json}\n{"title":"a"b"}\n7\n${json}\n`,
      'ndjson',
      [
        [1, 'One'],
        [2, 'The line is no JSON object. Mend it, and send it again.'],
        [3, 'The line is no JSON object. Mend it, and send it again.'],
        [4, 'One'],
      ],
    ],
    ['with control characters in its texts', json.replace('One', 'O\u0001ne'), 'ndjson', [[1, 'O ne']]],
    [
      'that is a list',
      `[\n ${json},\n ${json}\n]\n`,
      'ndjson',
      [
        [2, 'One'],
        [3, 'One'],
      ],
    ],
    [
      'that is an answer of an API',
      `{"count":1,"links":[${json}],"next":{"links":[{}]}}`,
      'ndjson',
      [[1, 'One']],
    ],
    [
      'that is several answers',
      `{\n"links":[\n${json}]}\n{"links":[${json}],"more":"}"}`,
      'ndjson',
      [
        [3, 'One'],
        [4, 'One'],
      ],
    ],
    ...answersTwice(json),
    [
      'that is a list of answers',
      `[{"links":[${json}]},{"links":[${json}]}]`,
      'ndjson',
      [
        [1, 'One'],
        [1, 'One'],
      ],
    ],
  ];
  for (const [name, file, format, expected] of readable)
    it(`is read ${name}, in whatever pieces it comes`, () => {
      for (const pieceBytes of [1, 7, 1_000_000])
        assert.deepEqual(summary(read(file, { format, pieceBytes })), expected);
    });

  const refused: [name: string, file: string | Buffer, message: RegExp, ImportFormat?][] = [
    ['that is empty', '', /no links/],
    ['with a header alone', HEADER, /no links/],
    ['of an empty list', '[]', /no links/, 'ndjson'],
    ['in UTF-16', Buffer.from(`\uFEFF${HEADER}`, 'utf16le'), /UTF-16.*CSV UTF-8/],
    ['in UTF-16 of the other order', Buffer.from([0xfe, 0xff, 0, 65]), /UTF-16/],
    ['in UTF-16 without its mark', Buffer.from(HEADER, 'utf16le'), /UTF-16/],
    [
      'in Latin-1',
      Buffer.from(`${HEADER}${ROW}${ROW.replace('One', 'Grün')}`, 'latin1'),
      /Line 3 is not UTF-8/,
    ],
    ['that ends within a character', Buffer.from(`${HEADER}${ROW}\xE2\x82`, 'latin1'), /Line 3 is not UTF-8/],
    ['that is a workbook', 'PK\x03\x04rest', /Excel workbook/],
    ['that is an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1]), /Excel workbook/],
    ['that is compressed', Buffer.from([0x1f, 0x8b, 8, 0, 0]), /gzip/],
    ['that is a web page', '<!DOCTYPE html>\n<html></html>', /web page/],
    ['of the other format, JSON', `${json}\n`, /JSON.*x-ndjson/],
    ['of the other format, CSV', HEADER + ROW, /Line 1 is no JSON object/, 'ndjson'],
    ['that ends within a quote', `${HEADER}${ROW}"https://go.example.com/b`, /quote that line 3 opens/],
    ['with a quote that is not closed', `${HEADER}"https://go.example.com/a,b\n${ROW}${ROW}`, /line 2/],
    ['with a quote within a cell', `${HEADER}a"b",c,d\n${ROW}`, /quotes of line 2 do not fit/],
    [
      'that ends within a row',
      `${HEADER}${ROW}https://go.example.com/b,htt`,
      /ends within line 3, which has 2 of 3 cells/,
    ],
    ['that ends within an object', `${json}\n{"shortUrl":"ht`, /begins in line 2: it is cut off/, 'ndjson'],
    ['that ends within a list', `[${json},\n{"shortUrl":"ht`, /begins in line 2: it is cut off/, 'ndjson'],
    ['that ends after an object of a list', `[${json},\n`, /begins in line 1: it is cut off/, 'ndjson'],
    ['with brackets that do not fit', `[${json}}`, /Line 1 is no JSON object/, 'ndjson'],
    ['of very many levels', `[${'{"a":'.repeat(100)}`, /more than 64 levels/, 'ndjson'],
    ['without a header', ROW, /first line must name the columns/],
    [
      'without a needed column',
      'Short link,Title\na,b\n',
      /no “fallbackUrl” or “destination”.*It has: “Short link”, “Title”.*--column shortUrl=NAME/,
    ],
    [
      'with one column twice',
      'Short link,Link,Target\na,b,c\n',
      /“Short link”, “Link” are both taken for shortUrl/,
    ],
    ['with very many columns', `${'a,'.repeat(300)}\n`, /more than 200 columns/],
    ['with an endless row', `${HEADER}"${'a\n'.repeat(600_000)}`, /quotes of line 2/],
    ['with an endless line', `${HEADER}${'a'.repeat(1_100_000)}`, /Line 2 is longer than 1 MiB/],
    [
      'with an endless object',
      `${json}\n{"a":"${'a'.repeat(1_100_000)}`,
      /Line 2: an object is longer than 1 MiB/,
      'ndjson',
    ],
    [
      'with an endless object in a list',
      `[{"a":"${'a'.repeat(1_100_000)}`,
      /Line 1: an object is longer than 1 MiB/,
      'ndjson',
    ],
  ];
  for (const [name, file, message, format] of refused)
    it(`is refused with the remedy ${name}`, () => {
      for (const pieceBytes of [Buffer.byteLength(file) > 10_000 ? 4_096 : 1, 2_000_000])
        assert.throws(
          () => read(file, { format: format ?? 'csv', pieceBytes }),
          (error) => error instanceof ImportFileError && message.test(error.message),
        );
    });
});

describe('an error of a service’s API among saved pages', () => {
  const errors: [ImportSource, object, string][] = [
    ['rebrandly', { message: 'Too Many Requests', code: 'TooManyRequests' }, 'Too Many Requests'],
    [
      'bitly',
      { message: 'RATE_LIMIT_EXCEEDED', resource: 'bitlinks', description: 'x' },
      'RATE_LIMIT_EXCEEDED',
    ],
    [
      'shlink',
      { title: 'Invalid API key', type: 'https://shlink.io/api/error/x', detail: 'No key', status: 401 },
      'No key',
    ],
    ['shortio', { error: 'Unauthorized' }, 'Unauthorized'],
    ['csv', { errors: [{ message: 'x' }], code: 'limited' }, 'limited'],
  ];
  const LINKS: Partial<Record<ImportSource, object>> = {
    rebrandly: { slashtag: 'a', destination: 'https://example.com', title: 'One' },
    bitly: { link: 'https://bit.ly/a', long_url: 'https://example.com', title: 'One' },
    shlink: { shortUrl: 'https://s.example.com/a', longUrl: 'https://example.com', title: 'One' },
    shortio: { shortURL: 'https://s.example.com/a', originalURL: 'https://example.com', title: 'One' },
    csv: { link: 'https://s.example.com/a', target: 'https://example.com', title: 'One' },
  };
  for (const [source, error, text] of errors)
    it(`is named, with the page that is missing: ${source}`, () => {
      const page = JSON.stringify([LINKS[source]]);
      const refusal = new RegExp(`answered with an error, “${text}”, in place of links: a page is missing`);
      const rows = summary(read(page + JSON.stringify(error) + page, { source, format: 'ndjson' }));
      assert.deepEqual([rows.length, rows[0], rows[2]], [3, [1, 'One'], [1, 'One']]);
      assert.match(rows[1]?.[1] ?? '', refusal);
      assert.throws(() => read(JSON.stringify(error), { source, format: 'ndjson' }), refusal);
    });
});

describe('a table of Shlink’s command line', () => {
  for (const start of ['+------+------+', '| Short code |', '┌──────┐'])
    it(`is refused: ${start}`, () => {
      assert.throws(() => read(`${start}\n| abc | def |\n`, { source: 'shlink' }), /drawn with lines/);
    });
});

describe('columns of a file', () => {
  const HEADERS: Record<Exclude<ImportSource, 'csv'>, string> = {
    firebase: 'Short link,Deep link,Android package name,iOS bundle ID',
    branch: 'link_id,branch_identity_id,channel,campaign,data,alias,domain,url',
    bitly: 'long_url,custom_bitlink,title,archived,tags,created_at',
    rebrandly: 'slashtag,destination,domainName,title,description,tags',
    shortio: 'originalURL,path,shortURL,iphoneURL,androidURL,skipQS',
    shlink: 'createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits',
  };
  const sources = Object.keys(HEADERS) as (keyof typeof HEADERS)[];

  for (const source of sources)
    it(`of ${source} are known as such where another source is named`, () => {
      const file = `${HEADERS[source]}\n${HEADERS[source].replaceAll(/\w+/g, 'x')}\n`;
      for (const other of sources.filter((name) => name !== source))
        assert.throws(() => read(file, { source: other }), new RegExp(`use source=${source}`));
      read(file, { source });
    });

  const answers: [ImportSource, object][] = [
    [
      'bitly',
      { links: [{ id: 'bit.ly/a', link: 'https://bit.ly/a', long_url: 'https://example.com', tags: [] }] },
    ],
    [
      'rebrandly',
      [{ slashtag: 'a', destination: 'https://example.com', shortUrl: 'go.example.com/a', clicks: 1 }],
    ],
    [
      'shortio',
      { links: [{ shortURL: 'https://go.example.com/a', originalURL: 'https://example.com', path: 'a' }] },
    ],
    [
      'shlink',
      { shortUrls: { data: [{ shortUrl: 'https://s.example.com/a', longUrl: 'https://example.com' }] } },
    ],
    ['branch', { channel: 'a', data: { url: 'https://go.example.com/a' }, type: 2 }],
  ];
  for (const [source, answer] of answers)
    it(`of an answer of ${source} are known as such where another source is named`, () => {
      for (const other of answers.map(([name]) => name).filter((name) => name !== source))
        assert.throws(
          () => read(JSON.stringify(answer), { source: other, format: 'ndjson' }),
          new RegExp(`use source=${source}`),
        );
    });

  it('of a service are not read as a plain table with a loss', () => {
    const file = `${HEADERS.shortio}\nhttps://example.com,a,https://go.example.com/a,,,\n`;
    assert.throws(() => read(file), /columns of Short.io, not of a plain table: use source=shortio/);
  });

  it('that are unknown are named in a note of each row that has a value there', () => {
    const rows = read(
      'Short link,Target,Mood\na.example/a,https://example.com,glad\na.example/b,https://example.com,\n',
    );
    assert.deepEqual(
      rows.map((row) => 'links' in row && row.links[0]?.notes.filter((note) => note.startsWith('“'))),
      [['“Mood” is not read.'], []],
    );
  });

  it('that are unknown and may protect or end the link fail the row that has a value there', () => {
    for (const name of ['Password hint', 'Expiration', 'Max uses', 'Disabled']) {
      const rows = read(
        `Short link,Target,x ${name}\na.example/a,https://example.com,1\na.example/b,https://example.com,no\n`,
      );
      assert.match(rows[0] && 'failure' in rows[0] ? rows[0].failure : '', /may protect or end the link/);
      assert.ok(rows[1] && 'links' in rows[1]);
    }
  });

  it('that are labels twice are read once', () => {
    const [row] = read('Short link,Target,Title,Description\na.example/a,https://example.com,One,Two\n');
    assert.deepEqual(row && 'links' in row && [row.links[0]?.input.title, row.links[0]?.notes.slice(0, 1)], [
      'One',
      ['“Description” is not read: another column is title.'],
    ]);
  });

  it('are told by the field that each was taken for', () => {
    const reader = createReader({ source: 'csv', format: 'csv' });
    reader.write(Buffer.from('Short link,Target,Mood\n'));
    assert.deepEqual(reader.columns, { 'Short link': 'shortUrl', Target: 'fallbackUrl' });
  });

  it('can be chosen: nothing else is read then', () => {
    const file = 'Kurz,Ziel,Title,Password\na,https://example.com/p,Not read,x\n';
    const rows = read(file, { columns: { path: 'kurz', fallbackUrl: 'Ziel' } });
    assert.deepEqual(rows[0] && 'links' in rows[0] && rows[0].links, [
      {
        host: null,
        path: 'a',
        input: {
          deepLinkPath: '/p',
          fallbackUrl: 'https://example.com/p',
          iosDestination: 'https://example.com/p',
          androidDestination: 'https://example.com/p',
          landingPage: 'never',
          metadata: { importedFrom: 'csv' },
        },
        importedClicks: null,
        notes: [
          'Phones without the app get the page that they got before, whatever store the app’s settings name.',
        ],
      },
    ]);
    const refused: [Record<string, string>, RegExp][] = [
      [{ path: 'Kurz', fallbackUrl: 'Zeil' }, /no column “Zeil”. It has: Kurz, Ziel/],
      [{ where: 'Ziel' }, /“where” is no field. The fields are shortUrl/],
      [{ fallbackUrl: 'Ziel' }, /must name the column of shortUrl or path/],
      [{ path: 'Kurz', fallbackUrl: 'kurz' }, /names “kurz” for two fields/],
    ];
    for (const [columns, message] of refused) assert.throws(() => read(file, { columns }), message);
  });

  it('about people are kept nowhere', () => {
    const files: [ImportSource, ImportFormat, string][] = [
      ['csv', 'csv', 'keyword,url,ip\na,https://example.com,192.0.2.1\n'],
      [
        'shortio',
        'ndjson',
        '{"shortURL":"https://go.example.com/a","originalURL":"https://example.com","User":{"email":"ann@example.com"}}',
      ],
      [
        'bitly',
        'ndjson',
        '{"link":"https://go.example.com/a","long_url":"https://example.com","created_by":"ann"}',
      ],
    ];
    for (const [source, format, file] of files)
      assert.doesNotMatch(JSON.stringify(read(file, { source, format })), /192\.0|ann/);
  });
});
