import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCsvLines } from './csv.ts';

/** The line of one cell, without quotes. */
function lineOf(cell: unknown): string {
  return toCsvLines([[cell]])
    .replace(/\n$/, '')
    .replace(/^"(.*)"$/s, '$1');
}

describe('cells of CSV', () => {
  const FORMULAS = ['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '\u00a0@x', '\t'];
  for (const text of [...FORMULAS, '＝1', '＋1', '－1', '＠SUM(A1)', '\u3000＝1'])
    it(`${JSON.stringify(text)} is not run as a formula`, () => assert.equal(lineOf(text), `'${text}`));

  for (const value of ['-1', '-19.99', -5, 'a=b', 'a\n=b', '', null])
    it(`${JSON.stringify(value)} stays as it is`, () => assert.equal(lineOf(value), String(value ?? '')));
});
