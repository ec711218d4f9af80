import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { toCsvLines, toMarkedCsvLines, unmarked } from './csv.ts';

/** The line of one cell, without quotes. */
function lineOf(cell: unknown): string {
  return toCsvLines([[cell]])
    .replace(/\n$/, '')
    .replace(/^"(.*)"$/s, '$1');
}

describe('cells of CSV', () => {
  const FORMULAS = ['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '\u00a0@x', '\t'];
  for (const text of [...FORMULAS, '＝1', '＋1', '－1', '＠SUM(A1)', '\u3000＝1'])
    it(`${JSON.stringify(text)} is not run as a formula`, () =>
      assert.equal(lineOf(text).replace(/(?<=[\t\r\n])'/g, ''), `'${text}`));

  const PARTS: Readonly<Record<string, string>> = {
    'a;=1': "a;'=1",
    'a;+1': "a;'+1",
    'a;-1+1': "a;'-1+1",
    'a;@SUM(A1)': "a;'@SUM(A1)",
    'a; =1': "a;' =1",
    'a;;=1': "a;;'=1",
    'a;"=1"': `a;'"=1"`,
    'a\t=1': "a\t'=1",
    'a\n=b': "a\n'=b",
    'a\r\n=b': "a\r'\n'=b",
    'a;\uff1d1': "a;'\uff1d1",
    '=1;=2': "'=1;'=2",
    '-5;=2': "'-5;'=2",
  };
  for (const [text, safe] of Object.entries(PARTS))
    it(`${JSON.stringify(text)} is not run where a semicolon, a tab or a line end begins a cell`, () =>
      assert.equal(lineOf(text).replaceAll('""', '"'), safe));

  for (const value of ['-1', '-19.99', -5, 'a=b', 'a;b', 'a;-5', 'a;-5.5;b', 'a; b=c', 'a,=b', '', null])
    it(`${JSON.stringify(value)} stays as it is`, () => assert.equal(lineOf(value), String(value ?? '')));
});

describe('marked cells of CSV', () => {
  const PARTS = [
    "'",
    '=',
    '+',
    '-',
    '@',
    '＝',
    '1',
    '.',
    'x',
    ' ',
    '\u00a0',
    '\t',
    '\n',
    '\r',
    ';',
    ',',
    '"',
  ];

  it('are read as they were, and none begins as a formula', () => {
    const pairs = PARTS.flatMap((one) => PARTS.map((other) => one + other));
    const texts = [...PARTS, ...pairs, ...pairs.flatMap((one) => pairs.map((other) => one + other))];
    const [cells = []] = parse(toMarkedCsvLines([texts])) as string[][];
    assert.deepEqual(cells.map(unmarked), texts);
    const formulas = cells.filter((cell) => /^\s*[=+\-@＝]/.test(cell) && !/^-\d+(\.\d+)?$/.test(cell));
    assert.deepEqual(formulas, []);
  });

  it('are as they were where a formula could only begin inside', () => {
    for (const text of ['Shoes; +1 free', 'We have:\n- shoes', '-5', "'quoted'"])
      assert.deepEqual(parse(toMarkedCsvLines([[text]])), [[text]]);
  });
});
