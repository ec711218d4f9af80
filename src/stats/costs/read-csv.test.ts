import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CsvFile, inColumns, readCsv } from './read-csv.ts';

const HEADER = 'date,campaignId,amount,currency';
const value = (campaignId: string, amount: string, date = '2026-01-31', currency = 'EUR') => ({
  ...{ date, campaignId },
  cost: { amount, currency },
});
const read = (text: string | Buffer): CsvFile => readCsv(Buffer.from(text as string));
const rowsOf = (text: string) =>
  read(text).rows.map(({ row, ...is }) => [row, 'value' in is ? is.value : is.refusal]);

describe('a CSV file of costs', () => {
  const READ: readonly (readonly [string, string, readonly unknown[]])[] = [
    ['with commas', `${HEADER}\n2026-01-31,spring,19.99,EUR`, [[2, value('spring', '19.99')]]],
    [
      'with a byte order mark',
      `\uFEFF${HEADER}\n2026-01-31,spring,19.99,EUR\n`,
      [[2, value('spring', '19.99')]],
    ],
    ['with CRLF', `${HEADER}\r\n2026-01-31,spring,1,EUR\r\n`, [[2, value('spring', '1')]]],
    ['with CR', `${HEADER}\r2026-01-31,spring,1,EUR\r`, [[2, value('spring', '1')]]],
    [
      'with semicolons and decimal commas',
      '\uFEFFdate;campaign;amount;currency\r\n2026-01-31;spring;19,99;EUR\r\n',
      [[2, value('spring', '19.99')]],
    ],
    [
      'with semicolons and points',
      'date;campaign;amount;currency\n2026-01-31;spring;19.99;EUR',
      [[2, value('spring', '19.99')]],
    ],
    [
      'with tabs',
      'date\tcampaign\tamount\tcurrency\n2026-01-31\tspring\t0,5\tEUR',
      [[2, value('spring', '0.5')]],
    ],
    [
      'with Excel’s line for the separator',
      'sep=;\r\ndate;campaign;amount;currency\r\n2026-01-31;spring;1;EUR',
      [[3, value('spring', '1')]],
    ],
    [
      'with other names and another order of columns',
      ' Currency ,"Campaign ID",Cost,DATE\nEUR,spring,1,2026-01-31',
      [[2, value('spring', '1')]],
    ],
    ['with quotes', `${HEADER}\n2026-01-31,"a ""b"", c",1,EUR`, [[2, value('a "b", c', '1')]]],
    [
      'with spaces and small letters',
      `${HEADER}\n 2026-01-31 , spring , 1 , eur `,
      [[2, value('spring', '1')]],
    ],
    [
      'with empty lines and a cell of two lines',
      `${HEADER}\r\n\r\n,,,\r\n2026-01-31,"a\r\nb",1,EUR\r\n2026-01-31,c,1,EUR`,
      [
        [4, value('a\nb', '1')],
        [6, value('c', '1')],
      ],
    ],
    [
      'of a network',
      'date,network,networkCampaignId,amount,currency\n2026-01-31,apple_ads,17,1,EUR',
      [
        [
          2,
          {
            date: '2026-01-31',
            network: 'apple_ads',
            networkCampaignId: '17',
            cost: { amount: '1', currency: 'EUR' },
          },
        ],
      ],
    ],
  ];
  for (const [name, text, rows] of READ)
    it(`${name} is read, each row with its line`, () => assert.deepEqual(rowsOf(text), rows));

  const WRONG: readonly (readonly [string, string, RegExp])[] = [
    ['has a cell too many', `${HEADER}\n2026-01-31,spring,19,99,EUR`, /more cells than the header/],
    ['has no currency', `${HEADER}\n2026-01-31,spring,19`, /currency is missing/],
    ['has no amount', `${HEADER}\n2026-01-31,spring,,EUR`, /^amount is missing/],
    ['has no cost', 'Day,Campaign,Cost,Date,Currency\n1,a,,2026-01-31,EUR', /^Cost is missing/],
    ['is a total', `${HEADER}\n,Total,19,EUR`, /date is missing/],
    [
      'can be read in two ways',
      'date;campaign;amount;currency\n2026-01-31;a;1.234;EUR',
      /^amount: “1\.234” can be read in two ways/,
    ],
    [
      'can be read in two ways, with a comma',
      'date;campaign;amount;currency\n2026-01-31;a;1,234;EUR',
      /two ways/,
    ],
  ];
  for (const [name, text, message] of WRONG)
    it(`says that a row ${name}`, () => assert.match(String(rowsOf(text)[0]?.[1]), message));

  const REFUSED: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['that is empty', ' \r\n', /is empty/],
    ['with a header alone', `${HEADER}\n`, /no rows/],
    ['without a header', '2026-01-31,spring,19.99,EUR', /columns date, amount and currency are missing/],
    ['with two columns for one field', `${HEADER},cost\n2026-01-31,a,1,EUR,1`, /Two columns are amount/],
    ['without two columns', 'date,campaign\n2026-01-31,a', /columns amount and currency are missing/],
    ['without a column', 'date,campaign,cost\n2026-01-31,a,1', /column currency is missing/],
    ['of Excel', Buffer.from('PK\x03\x04\x14\0\xff', 'latin1'), /is an Excel workbook\. Save it as/],
    ['of an old Excel', Buffer.from('\xd0\xcf\x11\xe0\xa1', 'latin1'), /is an Excel workbook/],
    ['with too many columns', `${HEADER}${',a'.repeat(300)}\n1`, /more than 200 columns/],
    ['that is not UTF-8', Buffer.from(`${HEADER}\n2026-01-31,M\u00e4rz,1,EUR`, 'latin1'), /not UTF-8/],
    ['in UTF-16', Buffer.from(`\uFEFF${HEADER}\n`, 'utf16le'), /UTF-8/],
    ['with a NUL character', `${HEADER}\n2026-01-31,a\0,1,EUR`, /NUL/],
    ['with a quote that does not end', `${HEADER}\n2026-01-31,"a,1,EUR`, /quotes of line 2/],
    ['with a quote within a cell', `${HEADER}\n2026-01-31,a"b,1,EUR`, /quotes of line 2/],
    ['with too many rows', `${HEADER}\n${'2026-01-31,a,1,EUR\n'.repeat(5_001)}`, /more than 5000 rows/],
    ['with too many cells', `${HEADER}\n${','.repeat(60_000)}`, /more than 50000 cells/],
  ];
  for (const [name, text, message] of REFUSED)
    it(`${name} is refused with what to do`, () => assert.throws(() => read(text), { status: 400, message }));

  const filled = (text: string) => `${HEADER}\n${text.repeat(MIB / text.length - 1)}`;
  const MIB = 1024 * 1024;
  for (const text of [' \n', '""\n', '\t\n', 'a\n', '"\n', '\n', '\r', '\r\n', ',\n', '"a\n",\n', '""\r'])
    it(`of 1 MiB of ${JSON.stringify(text)} is refused before its lines take time`, () => {
      const { user } = process.cpuUsage();
      assert.throws(() => read(filled(text)), { status: 400, message: /more than 6000 lines/ });
      assert.ok(process.cpuUsage().user - user < 300_000);
    });
  for (const text of [',', '"', 'a', '""', ' ', '\uFEFF'])
    it(`of 1 MiB of ${JSON.stringify(text)} takes no time to speak of`, () => {
      const { user } = process.cpuUsage();
      try {
        read(filled(text).slice(0, MIB));
      } catch (error) {
        assert.equal((error as { status: number }).status, 400);
      }
      assert.ok(process.cpuUsage().user - user < 300_000);
    });

  const WORDS: readonly (readonly [string, string])[] = [
    ['cost.amount must be a decimal number.', 'Cost: “12,x” is not a decimal number.'],
    ['cost.currency must be three capitals.', 'Currency: “euro” is not three capitals.'],
    [
      'campaignId must have at most 255 characters.',
      `Ad: “${'a'.repeat(64)}…” must have at most 255 characters.`,
    ],
    ['Row 2 has the same date.', 'Row 2 has the same date.'],
    ['campaignId, or the network.', 'campaignId, or the network.'],
  ];
  for (const [message, words] of WORDS)
    it(`says “${words.slice(0, 20)}…” with the names of its columns and the cell`, () => {
      const names = { amount: 'Cost', currency: 'Currency', campaignId: 'Ad' };
      const value = { campaignId: 'a'.repeat(300), cost: { amount: '12,x', currency: 'euro' } };
      assert.equal(inColumns(names, value, message), words);
    });

  it('names the columns that it ignores', () => {
    const { ignoredColumns } = read(`clicks,${HEADER},,__proto__\n1,2026-01-31,a,1,EUR,,2`);
    assert.deepEqual(ignoredColumns, ['clicks', '__proto__']);
  });

  it('with as many rows as are allowed is read', () => {
    assert.equal(read(`${HEADER}\n${'2026-01-31,a,1,EUR\n'.repeat(5_000)}`).rows.length, 5_000);
  });
});
