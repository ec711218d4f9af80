import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import type { Row } from './check-link.ts';
import { KeptRows } from './kept-rows.ts';
import { openReport } from './report.ts';

const row = (line: number, changes: Partial<Row> = {}): Row => ({
  line,
  visitor: 'iphone',
  verdict: 'equal',
  oldAddress: `https://go.example.com/${line}`,
  oldStatus: '302',
  oldAnswer: 'https://shop.example/',
  newAddress: `https://go.example.com/${line}`,
  newStatus: '302',
  newAnswer: 'https://shop.example/',
  note: '',
  oldWay: '',
  ...changes,
});
const notKept = () => assert.fail('no row is kept');
const linkOf = (line: number) => ({
  line,
  origin: 'https://go.example.com',
  path: String(line),
  input: null,
});
const addressOf = ({ path }: { path: string }) => `https://go.example.com/${path}`;

describe('the report of a rehearsal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-report-'));
  const report = join(folder, 'report.csv');
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => rmSync(report, { force: true }));
  const write = async (...rows: Row[]) => {
    const opened = await openReport({ report, resume: false, force: false }, notKept);
    await opened.write(rows);
    await opened.close();
  };
  const resume = async () => {
    const kept: Row[] = [];
    const opened = await openReport({ report, resume: true, force: false }, (one) => kept.push(one));
    await opened.close();
    return kept;
  };

  it('is continued after a run that was killed in the middle of a line, and what was unreachable is asked again', async () => {
    const note = 'Another card: title “a, "b"”, now “=1+1”.';
    await write(row(1), row(1, { visitor: 'chat', note }), row(2, { verdict: 'old unreachable' }));
    appendFileSync(report, '3,iphone,equal,https://go.exa');
    assert.deepEqual(await resume(), [row(1), row(1, { visitor: 'chat', note })]);
    assert.deepEqual(await resume(), [row(1), row(1, { visitor: 'chat', note })]);
    assert.equal(readFileSync(report, 'utf8').trim().split('\n').length, 3);
  });

  it('leaves to a continued run the links and visitors that it lacks', () => {
    const kept = new KeptRows();
    for (const one of [row(1), row(1, { visitor: 'chat' }), row(2)]) kept.add(one);
    const links = [linkOf(1), linkOf(2), linkOf(3)];
    assert.deepEqual(kept.remaining(links, addressOf, ['iphone', 'chat']), [
      { link: linkOf(2), visitors: ['chat'] },
      { link: linkOf(3), visitors: ['iphone', 'chat'] },
    ]);
    assert.throws(
      () => kept.remaining([linkOf(2)], addressOf, ['iphone']),
      /line 1 https:\/\/go\.example\.com\/1\. /,
    );
  });

  it('is not replaced unless that is asked for, and no other file is taken for one', async () => {
    await write(row(1));
    await assert.rejects(
      write(row(2)),
      /already exists\. Continue it with --resume, or replace it with --force\.$/,
    );
    writeFileSync(report, 'a,b\n1,2\n');
    await assert.rejects(resume(), /is no report of this command/);
    assert.equal(readFileSync(report, 'utf8'), 'a,b\n1,2\n');
    await assert.rejects(openReport({ report: folder, resume: false, force: true }, notKept), /is a folder/);
  });
});
