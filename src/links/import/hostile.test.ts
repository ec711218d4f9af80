import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileCheck } from '../../server/validation.ts';
import { columnsOf } from '../columns.ts';
import { LINK_PATH_PATTERN } from '../look-up/link-address.ts';
import { CreateLink } from '../schemas.ts';
import { createReader } from './create-reader.ts';
import {
  IMPORT_FORMATS,
  IMPORT_SOURCES,
  type ImportedRow,
  ImportFileError,
  type ImportFormat,
  type ImportSource,
} from './imported-row.ts';
import { SOURCES } from './sources/index.ts';

const checkShape = compileCheck(CreateLink, 'link');
const ACTOR = { appId: 'a', mode: 'live' } as Parameters<typeof columnsOf>[1];

/** Numbers below `limit`, the same ones in each run. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Rows, or the message of the refusal. Any other error fails the test. */
function readAll(
  { source, format }: { source: ImportSource; format: ImportFormat },
  pieces: readonly Buffer[],
): ImportedRow[] | string {
  const reader = createReader({ source, format });
  try {
    return [...pieces.flatMap((piece) => reader.write(piece)), ...reader.end()];
  } catch (error) {
    if (error instanceof ImportFileError) return error.message;
    throw error;
  }
}

/** That the API would accept each link as it is. */
function assertAccepted(rows: ImportedRow[] | string): void {
  for (const row of typeof rows === 'string' ? [] : rows) {
    if ('failure' in row) assert.notEqual(row.failure, '');
    for (const { input, path } of 'links' in row ? row.links : []) {
      assert.equal(checkShape(structuredClone(input)), null);
      assert.match(path, new RegExp(LINK_PATH_PATTERN));
      columnsOf(input, ACTOR, 0);
    }
  }
}

/** Stands for lists within lists, which `JSON.stringify` cannot write. */
const DEEP = 'lists within lists';
const DEEP_JSON = `${'['.repeat(8_000)}${']'.repeat(8_000)}`;
const HOSTILE: readonly unknown[] = [
  '',
  ' ',
  '=HYPERLINK("https://example.com")',
  "'=1+1",
  '"quoted", "cells"\nand lines\r\n',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'https://',
  'https://[::1',
  'https://user:secret@example.com/a?b#c',
  'https://example.com/%',
  'https://example.com/%00',
  'https://example.com/a\u202Eb',
  '//example.com/a',
  '../../etc/passwd',
  '?__proto__=1&constructor=2',
  'https://example.com/?__proto__=1',
  '\0',
  '\uD800',
  'a'.repeat(5_000),
  '🎈'.repeat(300),
  '{"__proto__":{"a":1}}',
  '[[[[',
  '1e999',
  '-1',
  '99999999999999999999',
  'NaN',
  0,
  -1,
  1e300,
  true,
  false,
  null,
  [],
  {},
  [null, 1, {}, ['a']],
  [
    { os: 'ios', app_uri_path: 7, install_url: 'x' },
    { conditions: 'x', longUrl: 1 },
  ],
  JSON.parse(
    '{"__proto__":{"polluted":true},"$ios_url_de":"javascript:1","$deeplink_path":"?a","fullName":{}}',
  ),
  { data: { data: { data: 1 } }, validUntil: 'x', maxVisits: -1, nonBots: 1.5 },
  DEEP,
];

/** A link that each source reads. */
const LINK = {
  shortUrl: 'https://go.example.com/a',
  shortLink: 'https://go.example.com/a',
  link: 'https://go.example.com/a',
  url: 'https://go.example.com/a',
  destination: 'https://example.com',
  fallbackUrl: 'https://example.com',
  data: { $fallback_url: 'https://example.com' },
} as const;

describe('a hostile file', () => {
  for (const source of IMPORT_SOURCES)
    it(`gives what the API accepts, whatever is in a field: ${source}`, () => {
      const { fields, required } = SOURCES[source];
      const nameOf = (field: string) => fields[field]?.[0] ?? field;
      const base = Object.fromEntries(
        required.flatMap(([field = '']) => [[nameOf(field), LINK[field as keyof typeof LINK]]]),
      );
      for (const field of Object.keys(fields))
        for (const value of HOSTILE) {
          const item = { ...base, [nameOf(field)]: value };
          assertAccepted(
            readAll({ source, format: 'ndjson' }, [
              Buffer.from(JSON.stringify(item).replace(`"${DEEP}"`, DEEP_JSON)),
            ]),
          );
          if (typeof value !== 'string') continue;
          const cells = (texts: readonly unknown[]) =>
            texts.map((text) => `"${String(text).replaceAll('"', '""')}"`).join(',');
          const table = `${cells(Object.keys(item))}\n${cells(Object.values(item))}\n`;
          assertAccepted(readAll({ source, format: 'csv' }, [Buffer.from(table)]));
        }
      assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    });

  const PARTS = [
    'Short link,Destination URL\n',
    'https://go.example.com/a,https://example.com\n',
    '{"shortUrl":"https://go.example.com/a","url":"https://example.com"}',
    '{"links":[',
    '[',
    ']',
    '}',
    '"',
    '""',
    '\\',
    ',',
    ';',
    '\t',
    '\n',
    '\r\n',
    '\r',
    'ü',
    '\uFEFF',
    ':',
    ' ',
    'sep=;\n',
    "'=1",
  ];
  for (const format of IMPORT_FORMATS)
    it(`of random parts is read or refused, the same in whatever pieces it comes: ${format}`, () => {
      for (let seed = 1; seed <= 500; seed++) {
        const random = createRandom(seed);
        const texts = Array.from({ length: 1 + random(12) }, () => PARTS[random(PARTS.length)] ?? '');
        const file = Buffer.from(texts.join(''));
        // Bytes that are no text.
        if (random(10) === 0 && file.length > 0) file[random(file.length)] = random(256);
        const pieces: Buffer[] = [];
        for (let at = 0; at < file.length; ) {
          const end = at + 1 + random(9);
          pieces.push(file.subarray(at, end));
          at = end;
        }
        const whole = readAll({ source: 'csv', format }, [file]);
        assertAccepted(whole);
        const inPieces = readAll({ source: 'csv', format }, pieces);
        // A file with several faults is refused for the one that is met first.
        if (typeof whole === 'string' && typeof inPieces === 'string') continue;
        assert.deepEqual(inPieces, whole, JSON.stringify(texts.join('')));
      }
    });

  it('of very many unknown names keeps few notes', () => {
    const item = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`name ${index}`, 'x']));
    const rows = readAll({ source: 'csv', format: 'ndjson' }, [
      Buffer.from(JSON.stringify({ short: 'go.example.com/a', url: 'https://example.com' })),
      Buffer.from(`\n${JSON.stringify({ short: 'go.example.com/a', url: 'https://example.com', ...item })}`),
    ]);
    const last = typeof rows === 'string' ? undefined : rows.at(-1);
    assert.ok(last !== undefined && 'links' in last && (last.links[0]?.notes.length ?? 0) <= 30);
  });
});
