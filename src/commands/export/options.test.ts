import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readExportOptions } from './options.ts';

const of = (kind: string, ...args: string[]) =>
  readExportOptions([kind, '--app', 'shop', '--output', 'a.csv', ...args]);

it('an export takes the networks of installs as their list does, and no other kind does', () => {
  const { query } = of('installs', '--network', 'meta', '--network-campaign', '654321');
  assert.deepEqual([query.network, query.networkCampaign], ['meta', '654321']);
  assert.throws(() => of('clicks', '--network', 'meta'), /--network/);
});
