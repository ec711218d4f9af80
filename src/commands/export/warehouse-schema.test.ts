import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parquetMetadata } from 'hyparquet';
import { toParquet } from '../../records/parquet.ts';
import { KINDS } from './options.ts';
import { readWarehouseOptions } from './warehouse-options.ts';
import { SCHEMA_VERSION } from './warehouse-state.ts';

const FILE = new URL(`../../../test/fixtures/warehouse-schema-${SCHEMA_VERSION}.json`, import.meta.url);

async function columnsOf(kind: keyof typeof KINDS): Promise<Record<string, string>> {
  const pieces: Uint8Array[] = [];
  const none = (async function* () {})();
  for await (const piece of toParquet(KINDS[kind].item, none, { 'throughline.kind': kind }))
    pieces.push(piece);
  const metadata = parquetMetadata(new Uint8Array(Buffer.concat(pieces)).buffer);
  assert.deepEqual(metadata.key_value_metadata, [{ key: 'throughline.kind', value: kind }]);
  const columns = metadata.schema.slice(1).map(({ name, type, converted_type: as, precision, scale }) => {
    const decimal = precision === undefined ? '' : ` ${type}(${precision},${scale})`;
    return [name, `${as ?? type}${decimal}`];
  });
  return Object.fromEntries(columns) as Record<string, string>;
}

describe('the columns of a warehouse', () => {
  it('are those of their version: another name, type or order needs another one', async () => {
    const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
    const columns = Object.fromEntries(
      await Promise.all(kinds.map(async (kind) => [kind, await columnsOf(kind)] as const)),
    );
    if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(FILE, `${JSON.stringify(columns, null, 2)}\n`);
    assert.deepEqual(JSON.parse(readFileSync(FILE, 'utf8')), columns);
  });
});

describe('the options of a warehouse', () => {
  const ALL = ['--format', 'parquet', '--app', 'A', '--output', 'folder'];
  const WRONG: readonly (readonly [readonly string[], RegExp])[] = [
    [['--app', 'A', '--output', 'folder'], /Name a kind of records/],
    [['--format', 'csv', '--app', 'A', '--output', 'folder'], /Name a kind of records/],
    [['--format', 'parquet', '--output', 'folder'], /--app is missing/],
    [['--format', 'parquet', '--app', 'A'], /--output is missing/],
    [[...ALL, '--from', '2026-02-30'], /“2026-02-30”/],
    [[...ALL, '--rewrite-days', '0'], /“0”/],
    [[...ALL, '--force'], /--force/],
  ];
  for (const [args, message] of WRONG)
    it(`are refused by name: ${args.join(' ')}`, () =>
      assert.throws(() => readWarehouseOptions(args), message));

  it('rewrite three days without another number', () =>
    assert.equal(readWarehouseOptions(ALL).rewriteDays, 3));
});
