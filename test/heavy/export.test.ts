/** `throughline export` beside a running service, without one, and when it is interrupted. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { readConfig } from '../../src/config.ts';
import { type DataDir, openDataDir } from '../../src/lib/data-dir/index.ts';
import { fill, mountDisk, noDisk, unmount } from '../helpers/disks.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { callCommand, makePlayLink, runCommand, startCommand, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { PIXEL } from '../helpers/world.ts';

const ID = '01900000-0000-7000-8000-000000000000';
const PROPERTIES = { level: 7, text: '=1+1, "é"\u2028\n', nested: { list: [1, null] } };
const AMOUNTS = ['999999999999.9999', '-0.5', null];

// biome-ignore lint/suspicious/noExplicitAny: records, whose fields the test reads.
type Item = any;

for (const engine of engines)
  describe(`export on ${engine}`, () => {
    let place: Place;
    const folder = mkdtempSync(join(tmpdir(), 'throughline-export-'));
    let appId = '';
    let listed: Item[] = [];

    before(async () => {
      place = await makePlace(engine);
      const server = await startServer(place);
      const command = async (...args: string[]) =>
        JSON.parse((await callCommand(args, place.env)).stdout) as Item;
      appId = (await command('apps', 'create', 'name=App')).id;
      const { key } = await command('keys', 'create', appId, 'live');
      await record(server.url, key);
      listed = (await (
        await fetch(`${server.url}/v1/events`, { headers: { 'x-api-key': key } })
      ).json()) as Item[];
      listed.reverse();
      const { code, stderr } = await exportTo('beside.ndjson', '--quiet');
      assert.deepEqual([code, stderr], [0, '']);
      await server.end('SIGTERM');
    });
    after(async () => {
      rmSync(folder, { recursive: true, force: true });
      await place?.remove();
    });

    const exportTo = (name: string, ...more: string[]) =>
      callCommand(
        ['export', 'events', '--app', appId, '--output', name === '-' ? name : join(folder, name), ...more],
        place.env,
      );
    const read = (name: string) => readFileSync(join(folder, name));
    const linesOf = (name: string) => read(name).toString().trim().split('\n');

    it('NDJSON has the records of the list, written beside a running service or without one', async () => {
      assert.equal(listed.length, AMOUNTS.length);
      assert.equal((await exportTo('alone.ndjson')).code, 0);
      for (const name of ['beside.ndjson', 'alone.ndjson'])
        assert.deepEqual(
          linesOf(name).map((line) => JSON.parse(line)),
          listed,
        );
      const { stdout } = await exportTo('-', '--format', 'ndjson');
      assert.equal(stdout, read('alone.ndjson').toString());
    });

    it('Parquet has them with types, and amounts exactly', async () => {
      const { code, stdout } = await exportTo('events.parquet');
      assert.deepEqual([code, stdout], [0, `Wrote 3 events to ${join(folder, 'events.parquet')}.\n`]);
      const file = new Uint8Array(read('events.parquet')).buffer;
      const rows = await parquetReadObjects({ file });
      assert.deepEqual(
        rows.map(({ revenueAmount, ...row }) => row),
        listed.map(({ revenue, createdAt, occurredAt, ...item }) => ({
          ...item,
          createdAt: new Date(createdAt),
          occurredAt: new Date(occurredAt),
          revenueCurrency: revenue?.currency ?? null,
        })),
      );
      const amounts = await readUnscaled(file, 'revenueAmount');
      assert.deepEqual(amounts, [9_999_999_999_999_999n, -5_000n, null]);
    });

    it('CSV has a header and no formula, and filters are those of the list', async () => {
      const filters = ['--short-code', listed[0].shortCode, '--from', '2020-01-01T00:00:00Z'];
      assert.equal((await exportTo('events.csv', ...filters)).code, 0);
      const [header = '', first = ''] = linesOf('events.csv');
      assert.match(header, /^id,createdAt,.*,revenueAmount,revenueCurrency,/);
      assert.match(first, new RegExp(`^${listed[0].id},.*,999999999999.9999,EUR,[^,]*,'=user,`, 's'));
      assert.equal((await exportTo('none.csv', '--to', '2020-01-01T00:00:00Z')).code, 0);
      assert.deepEqual(linesOf('none.csv'), [header]);
      const invalid = await exportTo('invalid.csv', '--from', 'yesterday');
      assert.match(invalid.stderr, /^from must be a date-time[^\n]*\n$/);
      assert.equal(invalid.code, 1);
    });

    it('an existing file stays without --force', async () => {
      writeFileSync(join(folder, 'kept.csv'), 'mine');
      const { code, stderr } = await exportTo('kept.csv');
      assert.equal(code, 1);
      assert.match(stderr, /^[^\n]*kept\.csv already exists[^\n]*--force\.\n$/);
      assert.equal(read('kept.csv').toString(), 'mine');
      assert.equal((await exportTo('kept.csv', '--force')).code, 0);
      assert.notEqual(read('kept.csv').toString(), 'mine');
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.endsWith('.partial')),
        [],
      );
    });
  });

describe('an export that does not end', () => {
  let place: Place;
  let dataDir: DataDir;
  let server: Server;
  /** What the server does after some records. */
  let then: (response: ServerResponse) => void = () => undefined;
  const folder = mkdtempSync(join(tmpdir(), 'throughline-export-'));
  const ITEM = `${JSON.stringify({ id: ID, createdAt: '2026-01-01T00:00:00Z', properties: {} })}\n`;

  before(async () => {
    place = await makePlace('sqlite');
    server = createServer((_request, response) => {
      response.write(ITEM.repeat(1_000));
      then(response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    dataDir = openDataDir(readConfig(place.env));
    dataDir.announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    server.closeAllConnections();
    server.close();
    dataDir.release();
    await place.remove();
  });

  const argumentsFor = (file: string) => ['export', 'events', '--app', ID, '--output', file, '--quiet'];

  it('because of Ctrl-C leaves no file', async () => {
    then = () => undefined;
    const command = startCommand(argumentsFor(join(folder, 'a.ndjson')), place.env);
    const [partial = ''] = await waitFor('the temporary file', () => {
      const names = readdirSync(folder);
      return names.length > 0 ? names : undefined;
    });
    assert.match(partial, /^a\.ndjson\.\d+\.partial$/);
    await command.kill('SIGINT');
    assert.deepEqual(readdirSync(folder), []);
  });

  for (const [how, end] of [
    ['breaks the connection', (response: ServerResponse) => response.destroy()],
    ['ends within a record', (response: ServerResponse) => response.end('{"id":')],
  ] as const)
    it(`because the server ${how} fails in one line and leaves no file`, async () => {
      then = (response) => setTimeout(end, 100, response);
      for (const name of ['a.ndjson', 'a.parquet']) {
        const { code, stderr } = await callCommand(argumentsFor(join(folder, name)), place.env);
        assert.equal(code, 1);
        assert.match(stderr, /^(The response from the server|The last record)[^\n]* again\.\n$/);
        assert.deepEqual(readdirSync(folder), []);
      }
    });

  it('because the disk is full fails in one line and leaves no file', { skip: noDisk }, async () => {
    then = (response) => response.end();
    const disk = mountDisk();
    try {
      fill(disk);
      const before = readdirSync(disk);
      const { code, stderr } = await runCommand(argumentsFor(join(disk, 'a.csv')), place.env);
      assert.equal(code, 1);
      assert.match(stderr, /^Failed to write [^\n]*a\.csv: ENOSPC[^\n]*\n$/);
      assert.deepEqual(readdirSync(disk), before);
    } finally {
      unmount(disk);
    }
  });
});

/** An install that is due to a link, with events. */
async function record(url: string, key: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as Item;
  };
  const shortCode = await makePlayLink(url, key);
  const tap = await fetch(`${url}/l/${shortCode}`, { headers: { 'user-agent': PIXEL }, redirect: 'manual' });
  const referrer = new URL(tap.headers.get('location') ?? '').searchParams.get('referrer') ?? '';
  const clickId = new URLSearchParams(referrer).get('svc_click_id');
  const installId = randomUUID();
  await post('/v1/sdk/install', { installId, clickId, fingerprint: { platform: 'ANDROID' } });
  for (const amount of AMOUNTS) {
    const revenue = amount === null ? {} : { revenue: { amount, currency: 'EUR' } };
    const event = { installId, eventName: 'level', properties: PROPERTIES, userId: '=user' };
    await post('/v1/sdk/event', { ...event, ...revenue });
  }
}

/** The stored integers of a decimal column, which `hyparquet` would turn into floating-point numbers. */
async function readUnscaled(file: ArrayBuffer, name: string): Promise<unknown[]> {
  const metadata = parquetMetadata(file);
  const schema = metadata.schema.map((element) => {
    const { converted_type: _converted, logical_type: _logical, ...plain } = element;
    return element.name === name ? plain : element;
  });
  const rows = await parquetReadObjects({ file, columns: [name], metadata: { ...metadata, schema } });
  return rows.map((row) => row[name]);
}
