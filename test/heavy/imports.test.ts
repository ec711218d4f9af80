/** `throughline import` beside a running service and without one, and an import whose process is killed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { callCommand, type RunningServer, startCommand, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';

const HEADER = 'Short Link,Destination URL,Title,Tags';
const MANY = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: answers, whose fields the test reads.
type Answer = any;

for (const engine of engines)
  describe(`imports of a real process on ${engine}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-import-'));
    let place: Place;
    let server: RunningServer;
    let key = '';

    const write = (name: string, ...rows: string[]) => {
      writeFileSync(join(folder, name), `${[HEADER, ...rows].join('\n')}\n`);
      return join(folder, name);
    };
    const command = (...args: string[]) => callCommand(['import', '--source', 'csv', ...args], place.env);
    const get = async (path: string): Promise<Answer> =>
      await (await fetch(`${server.url}${path}`, { headers: { 'x-api-key': key } })).json();
    const rowOf = (path: string) =>
      `https://go.kill.test/${path},https://www.example.com/${path},Title of ${path},"one,two"`;

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place);
      const app = JSON.parse(
        (await callCommand(['apps', 'create', 'name=App', 'shortLinkHost=go.kill.test'], place.env)).stdout,
      );
      key = JSON.parse((await callCommand(['keys', 'create', app.id, 'live'], place.env)).stdout).key;
      appId = app.id;
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place?.remove();
      rmSync(folder, { recursive: true, force: true });
    });
    let appId = '';

    it('the command judges, imports, writes the report, and tells by its code what became of the rows', async () => {
      const file = write('links.csv', rowOf('a'), rowOf('b'), 'https://go.kill.test/c,,,');
      const good = write('good.csv', rowOf('a'), rowOf('b'));
      const dry = await command(file, '--app', appId, '--dry-run', '--quiet');
      assert.match(
        dry.stdout,
        /^A dry run, nothing is stored: .*: 2 created, 0 unchanged, 0 in conflict, 1 failed\.\n/,
      );
      assert.deepEqual([dry.code, dry.stderr], [2, '']);
      assert.equal((await get('/v1/links')).length, 0);
      const report = join(folder, 'report.csv');
      const real = await command(
        file,
        '--app',
        appId,
        '--report',
        report,
        '--failures',
        join(folder, 'bad.csv'),
      );
      assert.equal(real.code, 2);
      // No terminal: lines, without a bar that overwrites itself.
      assert.doesNotMatch(real.stderr, /\r/);
      assert.deepEqual(
        readFileSync(report, 'utf8')
          .split('\n')
          .map((line) => line.split(',').slice(0, 2).join(' ')),
        ['line outcome', '2 created', '3 created', '4 failed', ''],
      );
      assert.match(
        readFileSync(join(folder, 'bad.csv'), 'utf8'),
        /^Short Link,.*,line,reason\nhttps:\/\/go\.kill\.test\/c,/,
      );
      const again = await command(good, '--app', appId, '--quiet');
      assert.match(again.stdout, /: 0 created, 2 unchanged, 0 in conflict, 0 failed\.\n/);
      assert.equal(again.code, 0);
    });

    it('the command says what is wrong with a file, and ends with code 1', async () => {
      const empty = join(folder, 'wrong.csv');
      writeFileSync(empty, 'Name\nx\n');
      const { code, stderr } = await command(empty, '--app', appId, '--quiet');
      assert.equal(code, 1);
      assert.match(stderr, /The file has no /);
    });

    it('a report that cannot be written is refused before the file is sent', async () => {
      const file = write('unsent.csv', rowOf('unsent'));
      for (const [option, target, why] of [
        [
          '--report',
          join(folder, 'none', 'rows.csv'),
          /the folder .*none does not exist\. Nothing was imported/,
        ],
        ['--failures', folder, /is a folder/],
      ] as const) {
        const { code, stderr } = await command(file, '--app', appId, '--quiet', option, target);
        assert.equal(code, 1);
        assert.match(stderr, why);
        assert.doesNotMatch(stderr, / at .*\.ts:/);
      }
      assert.equal((await get('/v1/links?q=unsent')).length, 0);
    });

    it('Ctrl+C ends the import, says what is stored, and writes the report', async () => {
      const file = write('long.csv', ...Array.from({ length: MANY }, (_, index) => rowOf(`long/${index}`)));
      const report = join(folder, 'long-report.csv');
      const args = ['import', '--source', 'csv', file, '--app', appId, '--report', report];
      const started = startCommand(args, place.env);
      await waitFor(
        'the first links',
        async () => {
          const [latest] = await get('/v1/imports?limit=1');
          return (latest?.status === 'running' && latest.created > 0) || undefined;
        },
        { everyMs: 250 },
      );
      const { code, stderr } = await started.interrupt();
      assert.equal(code, 1);
      const [{ id, created }] = await get('/v1/imports?limit=1');
      assert.match(stderr, /ended by the operator before its end/);
      assert.ok(stderr.includes(`Import ${id}: ${report} says what became of each row.`), stderr);
      assert.ok(created < MANY);
      assert.equal(readFileSync(report, 'utf8').split(',created,').length - 1, created);
    });

    it('a kill half way leaves whole links, and the import fails, is found so, and can be repeated', async () => {
      const rows = Array.from({ length: MANY }, (_, index) => rowOf(`many/${index}`));
      const file = readFileSync(write('many.csv', ...rows));
      const headers = { 'x-api-key': key, 'content-type': 'text/csv' };
      const send = async (): Promise<Answer> => {
        const options = { method: 'POST', headers, body: new Uint8Array(file) };
        return await (await fetch(`${server.url}/v1/imports?source=csv`, options)).json();
      };
      const { id } = await send();
      await waitFor(
        'the first links',
        async () => ((await get(`/v1/imports/${id}`)).created > 0 ? true : undefined),
        {
          everyMs: 250,
        },
      );
      await server.end('SIGKILL');
      server = await startServer(place);
      assert.deepEqual(readdirSync(join(place.dataDir, 'imports')), []);
      // On PostgreSQL another process might still run it: until its last sign of life is old.
      if (engine === 'sqlite') {
        const ended = await get(`/v1/imports/${id}`);
        assert.equal(ended.status, 'failed');
        assert.match(ended.error, /Import the same file again/);
        assert.ok(ended.created > 0 && ended.created < MANY, `${ended.created}`);
        assert.equal(ended.created + ended.failed, MANY);
        const text = await (
          await fetch(`${server.url}/v1/imports/${id}/rows`, { headers: { 'x-api-key': key } })
        ).text();
        assert.equal(text.split(',created,').length - 1, ended.created);
        const again = await send();
        const report = await waitFor('the import', async () => {
          const state = await get(`/v1/imports/${again.id}`);
          return state.status === 'running' ? undefined : state;
        });
        assert.deepEqual(
          [report.status, report.created, report.unchanged],
          ['completed', MANY - ended.created, ended.created],
        );
        const [last] = await get('/v1/links?limit=1');
        assert.deepEqual([last.tags, last.title === null], [['one', 'two'], false]);
      } else {
        const { status } = await get(`/v1/imports/${id}`);
        assert.equal(status, 'running');
        const refused = await fetch(`${server.url}/v1/imports?source=csv`, {
          method: 'POST',
          headers,
          body: 'x',
        });
        assert.equal(refused.headers.get('x-service-error'), 'import.running');
      }
    });

    it('a stop half way ends the import with what to do', async () => {
      if (engine !== 'sqlite') return;
      const rows = Array.from({ length: MANY }, (_, index) => rowOf(`stop/${index}`));
      const file = readFileSync(write('stop.csv', ...rows));
      const headers = { 'x-api-key': key, 'content-type': 'text/csv' };
      const options = { method: 'POST', headers, body: new Uint8Array(file) };
      const { id } = (await (await fetch(`${server.url}/v1/imports?source=csv`, options)).json()) as Answer;
      await waitFor(
        'the first rows',
        async () => ((await get(`/v1/imports/${id}`)).rows > 0 ? true : undefined),
        { everyMs: 250 },
      );
      await server.end('SIGTERM');
      server = await startServer(place);
      const ended = await get(`/v1/imports/${id}`);
      assert.deepEqual([ended.status, ended.created + ended.failed], ['failed', ended.rows]);
      assert.match(ended.error, /The service was stopped/);
    });
  });
