/** What an upload may be, who may import, and what refuses a file. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { conditionOf } from '../../../src/db/index.ts';
import { createLog } from '../../../src/lib/log.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { importFile, reportOf, startImport, tableOf } from '../../helpers/imports.ts';
import { assertError } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const HEADER = 'Short Link,Destination URL,Title';
const GOOD = tableOf(HEADER, 'https://go.test/a,https://www.example.com/,A');
const PIECE = Buffer.alloc(1024 * 1024, 'x');

for (const engine of neutralEngines)
  describe(`uploads of imports on ${engine}`, () => {
    const logged: string[] = [];
    const to = { write: (line: string) => logged.push(line) };
    const world = useWorld(engine, {}, { log: createLog('warn', { to, conditionOf }) });
    let app: TestApp;
    let key: string;
    let port = 0;

    before(async () => {
      app = await world.newApp({ shortLinkHost: 'go.test' });
      key = app.keys.live;
      await world.service.api.listen({ host: '127.0.0.1', port: 0 });
      port = (world.service.api.server.address() as AddressInfo).port;
    });

    const filesOnDisk = () => {
      const folder = join(world.service.dataDir.path, 'imports');
      return existsSync(folder) ? readdirSync(folder) : [];
    };
    const upload = (headers: Record<string, string> = {}) =>
      request({
        ...{ host: '127.0.0.1', port, path: '/v1/imports?source=csv', method: 'POST', agent: false },
        headers: { 'x-api-key': key, 'content-type': 'text/csv', ...headers },
      });
    const answerOf = (sent: ReturnType<typeof upload>) =>
      new Promise<number>((resolve, reject) => {
        sent.on('error', reject).on('response', (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
      });

    for (const [how, headers] of [
      ['with a Content-Length', { 'content-length': String(51 * PIECE.length) }],
      ['without one', {}],
    ] as const)
      it(`more than 50 MB are refused with 413 ${how}, and leave nothing`, async () => {
        const sent = upload(headers);
        const status = answerOf(sent);
        for (let piece = 0; piece < 51; piece++)
          if (!sent.write(PIECE)) await new Promise((r) => sent.once('drain', r));
        sent.end();
        assert.equal(await status, 413);
        assert.deepEqual(filesOnDisk(), []);
        assert.deepEqual((await world.call('GET', '/v1/imports', { key })).body, []);
      });

    it('an upload that breaks off leaves nothing, in the log neither, and the next one begins at once', async () => {
      const sent = upload({ 'content-length': String(PIECE.length) });
      sent.on('error', () => undefined);
      sent.write(PIECE.subarray(0, 100_000));
      await waitFor('the first bytes', () => filesOnDisk()[0]);
      assertError(await startImport(world, GOOD, { key }), 409, 'import.running');
      sent.destroy();
      await waitFor('the end of the upload', () => filesOnDisk().length === 0 || undefined);
      assert.deepEqual((await world.call('GET', '/v1/imports', { key })).body, []);
      assert.equal((await importFile(world, GOOD, { key, query: 'source=csv&dryRun=true' })).created, 1);
      assert.deepEqual(logged, []);
    });

    it('a client that sends on gets the answer of a refused upload', async () => {
      const held = upload({ 'content-length': String(PIECE.length) });
      held.on('error', () => undefined);
      held.write(PIECE.subarray(0, 100_000));
      await waitFor('the first bytes', () => filesOnDisk()[0]);
      for (const [headers, expected] of [
        [{}, 409],
        [{ 'x-api-key': 'unknown' }, 401],
        [{ 'content-type': 'text/plain' }, 415],
      ] as const) {
        const sent = upload(headers);
        const status = answerOf(sent);
        status.catch(() => undefined);
        for (let piece = 0; piece < 20; piece++)
          await new Promise((done) => sent.write(PIECE, () => setTimeout(done, 2)));
        sent.end();
        assert.equal(await status, expected);
      }
      held.destroy();
      await waitFor('the end of the upload', () => filesOnDisk().length === 0 || undefined);
    });

    for (const [name, call, status, code] of [
      ['another type of body', { type: 'text/plain' }, 415, 'request.not_json'],
      ['an unknown source', { query: 'source=tinyurl' }, 400, 'request.invalid'],
      ['no source', { query: 'dryRun=true' }, 400, 'request.invalid'],
      ['a misspelt parameter', { query: 'source=csv&dryrun=true' }, 400, 'request.invalid'],
      ['columns of another source', { query: 'source=bitly&columns={}' }, 400, 'request.invalid'],
      ['columns that are no object', { query: 'source=csv&columns=[1]' }, 400, 'request.invalid'],
    ] as const)
      it(`${name} is refused before the file is kept`, async () => {
        assertError(await startImport(world, GOOD, { key, ...call }), status, code);
      });

    for (const [name, file, query, pattern] of [
      ['an empty file', '', 'source=csv', /no links/],
      [
        'a file without a needed column',
        'Short Link,Title\nhttps://go.test/a,A\n',
        'source=csv',
        /The file has no /,
      ],
      [
        'a file of another service',
        'Short link,Deep link (link)\n',
        'source=shlink',
        /source=firebase|The file has no /,
      ],
      ['a file cut off in a row', `${GOOD}"https://go.test/b,`, 'source=csv', /./],
      [
        'a file in another encoding',
        Buffer.from(`${HEADER}\nhttps://go.test/a,https://www.example.com/,Fr\xfchling\n`, 'latin1'),
        'source=csv',
        /UTF-8/,
      ],
      [
        'a column that is not there',
        GOOD,
        'source=csv&columns={"shortUrl":"Short Link","fallbackUrl":"Target"}',
        /The file has no /,
      ],
      ['a field that is none', GOOD, 'source=csv&columns={"colour":"Title"}', /colour/],
    ] as const)
      it(`${name} ends as failed with what to do, and stores nothing`, async () => {
        const report = await importFile(world, file, { key, query });
        assert.equal(report.status, 'failed');
        assert.match(report.error, pattern);
        assert.equal(report.created, 0);
        assert.equal(report.rows, report.failed);
        assert.deepEqual((await world.call('GET', '/v1/links', { key })).body, []);
      });

    it('a file without one good row says so', async () => {
      const report = await importFile(world, tableOf(HEADER, 'https://go.test/a,no address,A'), { key });
      assert.deepEqual([report.status, report.created, report.failed], ['completed', 0, 1]);
      assert.match(report.error, /No row of the file could be imported/);
    });

    it('columns name those of a plain file', async () => {
      const file = tableOf('Poster,Goes to', 'https://go.test/a,https://www.example.com/');
      const columns = JSON.stringify({ shortUrl: 'Poster', fallbackUrl: 'Goes to' });
      const query = `source=csv&dryRun=true&columns=${encodeURIComponent(columns)}`;
      const report = await importFile(world, file, { key, query });
      assert.deepEqual(
        [report.created, report.columns],
        [1, { Poster: 'shortUrl', 'Goes to': 'fallbackUrl' }],
      );
    });

    it('failures have the columns of the file with line and reason, and a spreadsheet runs none of them', async () => {
      const file = tableOf(HEADER, 'https://go.test/a b,https://www.example.com/,=cmd()', '@x/y,,-1+1');
      const { id } = await importFile(world, file, { key, query: 'source=csv&dryRun=true' });
      const failures = await reportOf(world, key, id, 'failures');
      assert.deepEqual(
        failures.map((row) => [row['Short Link'], row.Title, row.line, (row.reason ?? '') !== '']),
        [
          ['https://go.test/a b', "'=cmd()", '2', true],
          ["'@x/y", "'-1+1", '3', true],
        ],
      );
      const { text } = await world.call('GET', `/v1/imports/${id}/failures`, { key });
      assert.equal(text.split('\n')[0], `${HEADER},line,reason`);
    });

    it('failures that are corrected become the links that the file had meant, letter for letter', async () => {
      const titles = ['Shoes; +1 free', 'We have:\n- shoes', '=1+1', "'=x", ' -x', '-5'];
      const rows = titles.map((title, index) => `https://go.test/f${index},no address,"${title}"`);
      const { id } = await importFile(world, tableOf(HEADER, ...rows), { key });
      const { text } = await world.call('GET', `/v1/imports/${id}/failures`, { key });
      const { failed } = await importFile(world, text.replaceAll('no address', 'https://www.example.com/'), {
        key,
      });
      assert.equal(failed, 0);
      const titlesOf = async () =>
        (await world.call('GET', '/v1/links', { key })).body
          .filter(({ path }: { path: string }) => path.startsWith('f'))
          .toSorted((a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1))
          .map(({ shortCode, title }: { shortCode: string; title: string }) => [shortCode, title]);
      const links = await titlesOf();
      // Dub marks formulas: "'=x" of a table is "=x".
      assert.deepEqual(
        links.map(([, title]: [string, string]) => title),
        ['Shoes; +1 free', 'We have: - shoes', '=1+1', '=x', '-x', '-5'],
      );
      for (const [code] of links) await world.call('DELETE', `/v1/links/${code}`, { key });
    });

    it('another app’s import is unknown', async () => {
      const { id } = await importFile(world, GOOD, { key, query: 'source=csv&dryRun=true' });
      const other = await world.newApp();
      for (const path of ['', '/rows', '/failures'])
        assertError(
          await world.call('GET', `/v1/imports/${id}${path}`, { key: other.keys.live }),
          404,
          'import.not_found',
        );
    });

    it('an import leaves no file when it has ended', async () => {
      await importFile(world, GOOD, { key, query: 'source=csv&dryRun=true' });
      await waitFor('the removal', () => filesOnDisk().length === 0 || undefined);
    });

    it('the folder may be a link or a volume of its own: a start removes earlier files alone', async () => {
      const folder = join(world.service.dataDir.path, 'imports');
      const volume = mkdtempSync(join(tmpdir(), 'throughline-volume-'));
      await world.close();
      rmSync(folder, { recursive: true, force: true });
      symlinkSync(volume, folder);
      const earlier = '01a21686-3cd7-7173-9932-6c77b7c6bf69';
      for (const name of [earlier, `${earlier}.accepted`, 'lost+found'])
        writeFileSync(join(volume, name), '');
      await world.open();
      assert.deepEqual(readdirSync(folder), ['lost+found']);
      assert.equal((await importFile(world, GOOD, { key, query: 'source=csv&dryRun=true' })).rows, 1);
      await waitFor('the end of the file', () => readdirSync(volume).length === 1 || undefined);
      rmSync(volume, { recursive: true });
    });

    it('publishable keys import nothing', async () => {
      const answer = await startImport(world, GOOD, { key: app.keys.live_publishable });
      assertError(answer, 401, 'key.wrong_kind');
    });
  });
