import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Verdict } from './answer.ts';
import type { Row } from './check-link.ts';
import { describeRun } from './summary.ts';
import { Tally } from './tally.ts';
import { VISITOR_NAMES } from './visitors.ts';

const row = (line: number, visitor: string, verdict: Verdict, changes: Partial<Row> = {}): Row => ({
  line,
  visitor,
  verdict,
  oldAddress: `https://go.example.com/${line}`,
  oldStatus: '302',
  oldAnswer: 'https://shop.example/',
  newAddress: `https://go.example.com/${line}`,
  newStatus: '404',
  newAnswer: 'ended',
  note: '',
  oldWay: '',
  ...changes,
});
const forAll = (line: number, verdict: Verdict, changes: Partial<Row> = {}) =>
  VISITOR_NAMES.map((name) => row(line, name, verdict, changes));
const describeRows = (
  links: readonly (readonly Row[])[],
  failures: readonly { line: number; failure: string }[] = [],
) => {
  const tally = new Tally();
  for (const rows of links) tally.add(rows);
  return describeRun(tally, { failures }, 'go.example.com');
};

describe('the summary of a rehearsal', () => {
  it('has the counts, then the worst links first, with the visitors of one answer together', () => {
    const text = describeRows([
      forAll(1, 'equal'),
      forAll(2, 'only new'),
      [row(3, 'iphone', 'different', { note: 'A note.' }), row(3, 'computer', 'equal')],
      forAll(4, 'only old'),
    ]);
    assert.match(
      text,
      /^Compared 4 links at go\.example\.com: 17 answers\.\n\n {2}equal {12}6\n {2}only new {9}5 {2}works here/,
    );
    const shown = text.slice(text.indexOf('The worst first:'));
    assert.equal(
      shown.slice(0, shown.indexOf('line 2')),
      `The worst first:

line 4  https://go.example.com/4
  only old for everybody
  old 302 https://shop.example/
  new 404 ended

line 3  https://go.example.com/3
  different for iPhone
  old 302 https://shop.example/
  new 404 ended
  A note.

`,
    );
  });

  it('blames nobody where no link was compared', () => {
    assert.doesNotMatch(describeRows([]), /knows none|has ended all/);
  });

  it('shows twenty at most', () => {
    const text = describeRows(Array.from({ length: 100 }, (_none, line) => forAll(line, 'different')));
    assert.equal(text.match(/^line /gm)?.length, 20);
  });

  it('names one cause where all links fail alike, and rows of the file that are no links', () => {
    assert.match(describeRows([forAll(1, 'only old')]), /knows none of the links.*shortLinkHost=/);
    assert.match(describeRows([forAll(1, 'only new')]), /has ended all links.*--against-file/);
    const failures = Array.from({ length: 7 }, (_none, line) => ({ line, failure: 'It has a password.' }));
    const text = describeRows(
      [forAll(1, 'equal', { note: 'Other utm parameters: old a, new none.' })],
      failures,
    );
    assert.match(text, /5 equal answers with other utm parameters/);
    assert.match(text, /7 rows of the file cannot become a link[^\n]+\n {2}line 0: It has a password\.\n/);
    assert.match(text, /\n {2}and 2 more$/);
    assert.doesNotMatch(text, /knows none|has ended all/);
  });
});
