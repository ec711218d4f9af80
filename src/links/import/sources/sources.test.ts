import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReader } from '../create-reader.ts';
import type { ImportedLink, ImportedRow, ImportSource } from '../imported-row.ts';

function readObject(source: ImportSource, object: object): ImportedRow[] {
  const reader = createReader({ source, format: 'ndjson' });
  return [...reader.write(Buffer.from(`${JSON.stringify(object)}\n`)), ...reader.end()];
}

function readTable(source: ImportSource, table: string): ImportedRow[] {
  const reader = createReader({ source, format: 'csv' });
  return [...reader.write(Buffer.from(table)), ...reader.end()];
}

function linksOf(rows: readonly ImportedRow[]): readonly ImportedLink[] {
  return rows.flatMap((row) => ('links' in row ? row.links : assert.fail(row.failure)));
}

function only(rows: readonly ImportedRow[]): ImportedLink {
  const links = linksOf(rows);
  assert.equal(links.length, 1);
  return links[0] ?? assert.fail();
}

function failureOf(rows: readonly ImportedRow[]): string {
  const [row] = rows;
  return row !== undefined && 'failure' in row ? row.failure : '';
}

const PAGE = 'https://www.example.com/p/1?id=2';
const BASE: Record<ImportSource, object> = {
  csv: { shortUrl: 'https://go.example.com/Ab', destination: PAGE },
  firebase: { short_link: 'https://go.example.com/Ab', link: PAGE },
  branch: { url: 'https://go.example.com/Ab', data: { $desktop_url: PAGE } },
  bitly: { link: 'https://go.example.com/Ab', long_url: PAGE },
  rebrandly: { shortUrl: 'go.example.com/Ab', destination: PAGE },
  shortio: { shortURL: 'https://go.example.com/Ab', originalURL: PAGE },
  shlink: { shortUrl: 'https://go.example.com/Ab', longUrl: PAGE },
};
const SOURCES = Object.keys(BASE) as ImportSource[];

describe('a link of any source', () => {
  for (const source of SOURCES)
    it(`of ${source} keeps its address, and its page as path, parameters and fallback`, () => {
      const { host, path, input } = only(readObject(source, BASE[source]));
      assert.deepEqual(
        { host, path, deepLinkPath: input.deepLinkPath, fallbackUrl: input.fallbackUrl },
        { host: 'go.example.com', path: 'Ab', deepLinkPath: '/p/1', fallbackUrl: PAGE },
      );
      if (source !== 'branch') assert.deepEqual(input.deepLinkParams, { id: '2' });
    });

  const addresses: [address: string, host: string | null, path: string | RegExp][] = [
    ['https://GO.Example.com/Summer/Sale', 'go.example.com', 'Summer/Sale'],
    ['go.example.com:8443/a/', 'go.example.com:8443', 'a'],
    ['http://go.example.com/a?d=1#x', 'go.example.com', 'a'],
    ['https://go.example.com/%61b', 'go.example.com', 'ab'],
    ['https://bücher.example/a', 'xn--bcher-kva.example', 'a'],
    ['https://go.example.com/', 'go.example.com', /is the root of a host/],
    [
      'https://go.example.com/?link=https://example.com&apn=a',
      'go.example.com',
      /long link of Firebase.*firebaseLongLinks/,
    ],
    ['https://go.example.com/a/b/c/d/e/f', 'go.example.com', /up to 5 segments/],
    ['https://go.example.com/a%20b', 'go.example.com', /cannot be kept/],
    ['https://go.example.com/%2561', 'go.example.com', /cannot be kept/],
    ['https://go.example.com/%ff', 'go.example.com', /cannot be kept/],
    ['https://go.example.com/straße', 'go.example.com', /cannot be kept/],
    [`https://go.example.com/${'a'.repeat(256)}`, 'go.example.com', /255 characters/],
    ['https://', null, /is no address/],
  ];
  for (const [address, host, path] of addresses)
    it(`has the address ${address.slice(0, 60)} as path, or says why not`, () => {
      const rows = readObject('csv', { shortUrl: address, destination: PAGE });
      if (path instanceof RegExp) assert.match(failureOf(rows), path);
      else assert.deepEqual([only(rows).host, only(rows).path], [host, path]);
    });

  const times: [value: string | number, iso: string | null, hasNote?: boolean][] = [
    ['2020-01-01T00:00:00+0000', '2020-01-01T00:00:00.000Z'],
    ['2020-01-01T02:00:00.5+02:00', '2020-01-01T00:00:00.500Z'],
    ['2020-01-01T02:00+02', '2020-01-01T00:00:00.000Z'],
    ['2020-01-01 00:00:00 UTC', '2020-01-01T00:00:00.000Z'],
    ['2020-01-01 00:00:00', '2020-01-01T00:00:00.000Z', true],
    ['2020-01-01', '2020-01-01T00:00:00.000Z', true],
    [1_577_836_800, '2020-01-01T00:00:00.000Z'],
    [1_577_836_800_000, '2020-01-01T00:00:00.000Z'],
    ['1577836800', '2020-01-01T00:00:00.000Z'],
    ['2020-02-30', null],
    ['01/02/2020', null],
    ['soon', null],
  ];
  for (const [value, iso, hasNote = false] of times)
    it(`ends at ${value} and is gone then, or says that this is no time`, () => {
      const rows = readObject('csv', { ...BASE.csv, expiresAt: value });
      if (iso === null) return assert.match(failureOf(rows), /expiresAt: “.*” is no time/);
      const { input, notes } = only(rows);
      assert.deepEqual([input.expiresAt, input.goneWhenExpired], [iso, true]);
      assert.equal(
        notes.some((note) => note.includes('taken as UTC')),
        hasNote,
      );
    });

  const protections: [ImportSource, object, RegExp][] = [
    ['csv', { password: 'x' }, /password/],
    ['csv', { password: true }, /password/],
    ['csv', { banned: true }, /blocked/],
    ['csv', { maxVisits: 5, visits: 5 }, /has had the 5 clicks/],
    ['csv', { maxVisits: 1 }, /one click only/],
    ...[-5, 1.5, '1e5', 'unlimited', '2000,1500 visits', { total: 1 }].map(
      (value): [ImportSource, object, RegExp] => [
        'csv',
        { maxVisits: value },
        /^maxVisits is no number of clicks, and the link may have ended/,
      ],
    ),
    ['csv', { maxVisits: 1500, visits: 'many' }, /^visits is no number of clicks, and the link may/],
    ['csv', { expiresAt: { _seconds: 1 } }, /is no time/],
    ['branch', { data: { $one_time_use: 'true' } }, /works once/],
    ['shortio', { clicksLimit: 'some' }, /^clicksLimit is no number of clicks/],
    ['shlink', { meta: { maxVisits: 'some' } }, /^meta.maxVisits is no number of clicks/],
    ['shlink', { meta: { maxVisits: '5' }, visits: '5' }, /has had the 5 clicks/],
    ['shlink', { maxVisits: 'some' }, /^maxVisits is no number of clicks/],
    ['shlink', { maxVisits: 9, visitsSummary: { total: [] } }, /^visitsSummary.total is no number/],
    ['shlink', { meta: '{"maxVisits":5}', visits: 5 }, /has had the 5 clicks/],
    ['shlink', { meta: 'some' }, /^meta is no JSON object/],
    ['shlink', { meta: { validUntil: { date: 1 } } }, /^meta.validUntil: .* is no time/],
    ['bitly', { is_deleted: true }, /deleted/],
    ['branch', { type: 1 }, /works once/],
    ['branch', { data: { $one_time_use: true } }, /works once/],
    ['branch', { url: 'https://go.example.com/a/key_live_x?$deeplink_path=b' }, /long link/],
    ['branch', { error: { message: 'no link' } }, /no such link/],
    ['rebrandly', { password: 'x' }, /password/],
    ['shortio', { password: 'x' }, /password/],
    ['shortio', { hasPassword: true }, /password/],
    ['shortio', { clicksLimit: 1 }, /one click only/],
    [
      'shlink',
      { meta: { maxVisits: 10 }, visitsSummary: { total: 10, nonBots: 3 } },
      /has had the 10 clicks/,
    ],
  ];
  for (const [source, fields, reason] of protections)
    it(`of ${source} is not opened that was protected or spent: ${JSON.stringify(fields)}`, () => {
      assert.match(failureOf(readObject(source, { ...BASE[source], ...fields })), reason);
    });

  it('is open whose protection is off', () => {
    only(
      readObject('shortio', {
        ...BASE.shortio,
        password: null,
        hasPassword: false,
        clicksLimit: null,
        expiresAt: null,
      }),
    );
    only(readObject('csv', { ...BASE.csv, password: false, banned: 'no', maxVisits: '' }));
  });

  const bounds: [name: string, object, RegExp][] = [
    [
      'a destination that is no web address',
      { destination: 'javascript:alert(1)' },
      /fallbackUrl must be.*the row has “javascript/,
    ],
    [
      'a destination that is too long',
      { destination: `https://example.com/${'a'.repeat(2_100)}` },
      /at most 2,048/,
    ],
    ['a campaign that is too long', { campaignId: 'a'.repeat(256) }, /campaignId must have at most 255/],
    [
      'a deep link that is too long',
      { deepLinkPath: `/${'a'.repeat(2_048)}` },
      /deepLinkPath must have at most 2048/,
    ],
    ['parameters that are too large', { deepLinkParams: { a: 'a'.repeat(17_000) } }, /16 KiB/],
    ['parameters that are no object', { deepLinkParams: '[1]' }, /no JSON object/],
    ['a NUL', { title: 'a\0b' }, /NUL/],
    ['a lone surrogate', { deepLinkPath: '/\uD800' }, /surrogate/],
    ['a store that is no address', { iosDestination: 'App Store' }, /iosDestination must be/],
    ['no destination', { destination: '' }, /destination is empty/],
  ];
  for (const [name, fields, reason] of bounds)
    it(`fails with the bound of the API with ${name}`, () => {
      assert.match(failureOf(readObject('csv', { ...BASE.csv, ...fields })), reason);
    });

  it('keeps labels that are too long in part, and says so', () => {
    const { input, notes } = only(
      readObject('csv', {
        ...BASE.csv,
        title: `${'a'.repeat(254)}🎈`,
        tags: [...Array.from({ length: 25 }, (_, index) => `tag ${index}`), 't'.repeat(70)],
        ogImage: 'picture.png',
      }),
    );
    assert.equal(input.title, 'a'.repeat(254));
    assert.equal(input.tags?.length, 20);
    assert.equal(input.ogImage, undefined);
    assert.deepEqual(notes.slice(1), [
      'title is cut to 255 characters.',
      'Tags are cut to 64 characters.',
      'Only the first 20 tags are imported.',
      'ogImage is no http(s) address, and is left out.',
    ]);
  });

  const counts: [text: string | number, count: number | null][] = [
    ...['2000', '2000.0', '2000,00', '2.000', '2,000', '2 000', '2\u00A0000', '2\u202F000'].map(
      (text): [string, number] => [text, 2000],
    ),
    ...["2'000", '2’000', '2.000,00', '2,000.00', '2 000,0'].map((text): [string, number] => [text, 2000]),
    ['1.077', 1077],
    ['12.345.678', 12_345_678],
    ['1 234 567,00', 1_234_567],
    ['5.0', 5],
    [1000, 1000],
    ...[
      1.077,
      '0.500',
      '2.000.00',
      '1,000.000',
      '1.000,000',
      '2000.000',
      '1.2345',
      '12,34',
      '1.5',
      '2.00.000',
    ].map((text): [string | number, null] => [text, null]),
  ];
  it('has its clicks as people write thousands, and a note for what may be another number', () => {
    for (const [visits, count] of counts) {
      const { importedClicks, notes } = only(readObject('csv', { ...BASE.csv, visits }));
      const isNoted = notes.includes('visits is no number of clicks, and is left out.');
      assert.deepEqual([importedClicks, isNoted], [count, count === null], String(visits));
    }
    assert.match(
      failureOf(readObject('csv', { ...BASE.csv, visits: '2.000', maxVisits: '1.500' })),
      /has had the 1500 clicks/,
    );
  });

  it('says which numbers of clicks are left out, and keeps where a link leads that ends later', () => {
    for (const [source, name] of [
      ['csv', 'visits'],
      ['shlink', 'visits'],
      ['rebrandly', 'clicks'],
      ['shortio', 'clicks'],
    ] as const)
      for (const value of [-5, 1e308, 1.5, '1e5', 'many', { total: 1 }]) {
        const { importedClicks, notes } = only(readObject(source, { ...BASE[source], [name]: value }));
        const note = `${name} is no number of clicks, and is left out.`;
        assert.deepEqual([importedClicks, notes.includes(note)], [null, true], `${name} ${value}`);
      }
    const expiredUrl = 'https://www.example.com/over';
    assert.equal(only(readObject('csv', { ...BASE.csv, expiredUrl })).input.expiredUrl, expiredUrl);
  });

  it('leads phones to the page that they got before, whatever store the app names then or later', () => {
    const { input, notes } = only(
      readObject('shlink', {
        ...BASE.shlink,
        redirectRules: [
          {
            priority: 1,
            longUrl: 'https://de.example.com/',
            conditions: [{ type: 'language', matchValue: 'de' }],
          },
        ],
      }),
    );
    assert.deepEqual(
      [input.iosDestination, input.androidDestination, input.landingPage],
      [PAGE, PAGE, 'never'],
    );
    assert.ok(
      notes.includes(
        'Phones without the app get the page that they got before, whatever store the app’s settings name.',
      ),
    );
    const [rule] = input.rules ?? [];
    assert.deepEqual(
      [rule?.then.iosDestination, rule?.then.androidDestination],
      ['https://de.example.com/', 'https://de.example.com/'],
    );
    for (const source of ['csv', 'firebase', 'bitly', 'rebrandly', 'shortio', 'shlink'] as const) {
      const { input: plain } = only(readObject(source, BASE[source]));
      assert.deepEqual(
        [plain.iosDestination, plain.androidDestination, plain.landingPage],
        [PAGE, PAGE, 'never'],
      );
    }
    const store = 'https://apps.apple.com/app/id1';
    const shortio = only(readObject('shortio', { ...BASE.shortio, iphoneURL: store })).input;
    assert.deepEqual(
      [shortio.iosDestination, shortio.androidDestination, shortio.landingPage],
      [store, PAGE, undefined],
    );
    const firebase = only(readObject('firebase', { ...BASE.firebase, apn: 'com.example', isi: '1' })).input;
    assert.match(
      `${firebase.iosDestination} ${firebase.androidDestination}`,
      /apps.apple.com.*play.google.com/,
    );
  });
});

describe('an address without its scheme', () => {
  it('as destination is told to need one', () => {
    const rows = readObject('csv', { ...BASE.csv, destination: 'www.shop.test/x' });
    assert.match(failureOf(rows), /Put https:\/\/ in front of it/);
  });

  it('keeps its host', () => {
    const { host, path } = only(readObject('csv', { ...BASE.csv, shortUrl: '//go.example.com/x5' }));
    assert.deepEqual([host, path], ['go.example.com', 'x5']);
  });
});

describe('a failed row', () => {
  for (const source of SOURCES)
    it(`of ${source} has the address of its link`, () => {
      const broken = source === 'branch' ? { error: { code: 404 } } : { 'x password': 'y' };
      const [row] = readObject(source, { ...BASE[source], ...broken });
      assert.ok(row !== undefined && 'failure' in row);
      assert.equal(row.oldAddress, 'go.example.com/Ab');
    });

  for (const source of ['csv', 'bitly', 'rebrandly', 'shortio'] as const)
    it(`of ${source} with a password has it too`, () => {
      const [row] = readObject(source, { ...BASE[source], password: 'y' });
      assert.ok(row !== undefined && 'failure' in row);
      assert.equal(row.oldAddress, 'go.example.com/Ab');
      assert.match(row.failure, /Create it without one if all may follow it/);
    });
});

describe('a failed row whose address', () => {
  for (const [what, source, file, address] of [
    [
      'is before the cells too many',
      'csv',
      `Short link,Target,Title\nhttps://go.example.com/Ab,${PAGE},a,b\n`,
      'go.example.com/Ab',
    ],
    [
      'is in url, has it once',
      'branch',
      'url,type,data\nhttps://go.example.com/Ab,1,"{""a"":1}"\n',
      'go.example.com/Ab',
    ],
    [
      'may have moved, has none',
      'csv',
      `Title,Short link,Target\na,b,https://go.example.com/Ab,${PAGE}\n`,
      '',
    ],
    [
      'is a long link of Branch',
      'branch',
      'data\n"{""url"":""https://go.example.com/a/key_live_x""}"\n',
      'go.example.com/a/key_live_x',
    ],
  ] as const)
    it(what, () => {
      const [row] = readTable(source, file);
      assert.ok(row !== undefined && 'failure' in row);
      assert.equal(row.oldAddress, address);
    });
});

describe('a row of Dub, YOURLS or Kutt', () => {
  it('is read as a plain table', () => {
    const dub = linksOf(
      readTable(
        'csv',
        'Short link,Destination URL,Clicks,Created at,Leads,Tags,Archived\nhttps://go.example.com/a,https://example.com,"1,234",2024-01-01T00:00:00Z,1,"a, b",No\nhttps://go.example.com/b,https://example.com,\'-1,,,\'=x,No\n',
      ),
    );
    assert.deepEqual(
      dub.map(({ path, importedClicks, input, notes }) => [path, importedClicks, input.tags, notes.length]),
      [
        ['a', 1_234, ['a', 'b'], 1],
        ['b', null, ['=x'], 2],
      ],
    );
    const yourls = only(
      readTable(
        'csv',
        'keyword,url,title,timestamp,ip,clicks\nAb,https://example.com,T,2024-01-01 00:00:00,192.0.2.1,3\n',
      ),
    );
    assert.deepEqual(
      [yourls.host, yourls.path, yourls.importedClicks, yourls.input.title],
      [null, 'Ab', 3, 'T'],
    );
    const kutt = only(
      readObject('csv', {
        data: [
          {
            address: 'ab',
            target: 'https://example.com',
            domain: 'go.example.com',
            description: 'D',
            created_at: '2024-01-01T00:00:00.000Z',
            expire_in: null,
            password: false,
            visit_count: 7,
            banned: false,
            link: 'https://go.example.com/ab',
          },
        ],
      }),
    );
    assert.deepEqual(
      [kutt.host, kutt.path, kutt.importedClicks, kutt.input.title, kutt.notes.slice(1)],
      ['go.example.com', 'ab', 7, 'D', []],
    );
  });
});
