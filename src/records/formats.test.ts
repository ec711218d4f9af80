import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsOf, toCsv, toNdjson } from './formats.ts';
import { ClickItem, EventItem } from './schemas.ts';

const EVENT = {
  id: '1',
  eventName: '=1+1',
  properties: { plan: 'yearly' },
  revenue: { amount: '-1.50', currency: 'EUR' },
  sandbox: false,
};

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function* chunk(...items: object[]) {
  yield items;
}

/** The cells of the last line by column, where no cell has a comma. */
async function cellsOf(item: object): Promise<Record<string, string | undefined>> {
  const [head = '', line = ''] = (await textOf(toCsv(EventItem, chunk(item)))).split('\n');
  const cells = line.split(',');
  return Object.fromEntries(head.split(',').map((name, index) => [name, cells[index]]));
}

describe('exports as text', () => {
  it('have a column for each field of utm and revenue', () => {
    const columns = Object.keys(columnsOf(ClickItem));
    assert.ok(columns.includes('utmSource') && columns.includes('utmContent'));
    assert.ok(!columns.includes('utm'));
    assert.ok(Object.keys(columnsOf(EventItem)).includes('revenueAmount'));
  });

  it('leave the cells of a missing object empty, and write others as JSON', async () => {
    const { revenueAmount, revenueCurrency, properties } = await cellsOf({ ...EVENT, revenue: null });
    assert.deepEqual([revenueAmount, revenueCurrency], ['', '']);
    assert.equal(properties, '"{""plan"":""yearly""}"');
  });

  it('neutralise a formula in CSV, but not a negative number, and nothing in NDJSON', async () => {
    const { eventName, revenueAmount, sandbox } = await cellsOf(EVENT);
    assert.deepEqual([eventName, revenueAmount, sandbox], ["'=1+1", '-1.50', 'false']);
    assert.equal(await textOf(toNdjson(chunk(EVENT))), `${JSON.stringify(EVENT)}\n`);
  });

  it('without records are a header, or nothing', async () => {
    assert.match(await textOf(toCsv(EventItem, chunk())), /^id,createdAt,[^\n]*\n$/);
    assert.equal(await textOf(toNdjson(chunk())), '');
  });
});
