/** The command line does the same whether a server holds the data directory or nobody does. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from './engines.ts';
import { makeUnconfiguredPlace, type RunningServer, runCommand, startServer } from './process.ts';
import { queryStored } from './stored.ts';

const ID = '01900000-0000-7000-8000-000000000000';

for (const engine of engines)
  for (const beside of ['beside a running server', 'with no server running'] as const)
    describe(`the command line on ${engine}, ${beside}`, () => {
      let place: Place;
      let server: RunningServer | null = null;
      before(async () => {
        place = await makePlace(engine);
        if (beside === 'beside a running server') server = await startServer(place);
      });
      after(async () => {
        await server?.end('SIGKILL');
        await place?.remove();
      });

      const run = (...args: string[]) => runCommand(args, place.env);
      /** Runs a command that succeeds and gives the JSON that it printed. */
      async function result<T>(...args: string[]): Promise<T> {
        const { code, stdout, stderr } = await run(...args);
        assert.equal(stderr, '');
        assert.equal(code, 0);
        return JSON.parse(stdout) as T;
      }

      it('creates, shows, changes and lists apps', async () => {
        const fingerprint = Array.from({ length: 32 }, () => 'aB').join(':');
        const app = await result<{ id: string } & Record<string, unknown>>(
          'apps',
          'create',
          'name=A name = with spaces',
          'iosBundleId=com.example',
          'shortLinkHost=Shop.example.com',
          'fingerprintWindowHours=48',
          'fingerprintIos=false',
          'clipboardToken=true',
          'landingPage=never',
          `androidCertFingerprints=${fingerprint},${fingerprint}`,
        );
        const shown = await result<Record<string, unknown>>('apps', 'show', app.id);
        assert.deepEqual(shown, app);
        assert.equal(shown.name, 'A name = with spaces');
        assert.equal(shown.fingerprintWindowHours, 48);
        assert.equal(shown.fingerprintIos, false);
        assert.equal(shown.clipboardToken, true);
        assert.equal(shown.landingPage, 'never');
        assert.equal(shown.shortLinkHost, 'shop.example.com');
        assert.deepEqual(shown.androidCertFingerprints, [
          fingerprint.toUpperCase(),
          fingerprint.toUpperCase(),
        ]);

        const changed = await result<Record<string, unknown>>(
          'apps',
          'update',
          app.id,
          'iosBundleId=',
          'shortLinkHost=',
          'name=Other',
        );
        assert.equal(changed.name, 'Other');
        assert.equal(changed.iosBundleId, null);
        assert.equal(changed.shortLinkHost, null);
        assert.equal(changed.fingerprintWindowHours, 48);
        const [newest, ...others] = await result<{ id: string }[]>('apps', 'list');
        assert.deepEqual(newest, changed);
        assert.equal(others.length, server === null ? 0 : 1);
      });

      it('makes keys that work, and revokes them at once', async (t) => {
        const app = await result<{ id: string }>('apps', 'create', 'name=App of keys');
        const made = await result<{ id: string; key: string }>('keys', 'create', app.id, 'live');
        const kept = await result<{ id: string; key: string }>('keys', 'create', app.id, 'test');
        assert.deepEqual(
          (await result<{ id: string }[]>('keys', 'list', app.id)).map(({ id }) => id),
          [kept.id, made.id],
        );
        if (server !== null) assert.equal(await statusWith(server, made.key), 200);
        const { code, stdout, stderr } = await run('keys', 'revoke', app.id, made.id);
        assert.deepEqual([code, stderr], [0, '']);
        assert.match(stdout, /^Revoked/);
        const listed = await result<{ id: string; revokedAt: string | null; key?: string }[]>(
          'keys',
          'list',
          app.id,
        );
        assert.deepEqual(
          listed.map(({ id, revokedAt, key }) => [id, revokedAt === null, key]),
          [
            [kept.id, true, undefined],
            [made.id, false, undefined],
          ],
        );

        const running = server ?? (await startServer(place));
        if (server === null) t.after(() => running.end('SIGTERM'));
        assert.equal(await statusWith(running, made.key), 401);
        assert.equal(await statusWith(running, kept.key), 200);
      });

      it('deletes installs by their ids or by a filter, and only counts them with --dry-run', async () => {
        const app = await result<{ id: string }>('apps', 'create', 'name=App of fakes');
        const { key } = await result<{ key: string }>('keys', 'create', app.id, 'live_publishable');
        const running = server ?? (await startServer(place));
        const install = async () => {
          const answer = await fetch(`${running.url}/v1/sdk/install`, {
            method: 'POST',
            headers: { 'x-api-key': key, 'content-type': 'application/json' },
            body: JSON.stringify({ fingerprint: { platform: 'IOS' } }),
          });
          return ((await answer.json()) as { installId: string }).installId;
        };
        const [first = '', second = '', third = ''] = [await install(), await install(), await install()];
        if (server === null) await running.end('SIGTERM');

        const remove = (...args: string[]) =>
          result<{ installs: number }>('installs', 'delete', '--app', app.id, ...args);
        assert.deepEqual(await remove(first, second), { installs: 2, opens: 0, events: 0 });
        const filter = ['--same-address-as', third, '--from', '2020-01-01T00:00:00Z', '--method', 'ORGANIC'];
        assert.equal((await remove(...filter, '--dry-run')).installs, 1);
        assert.equal((await remove(...filter, '--to', '2020-01-02T00:00:00Z')).installs, 0);
        assert.equal((await remove(...filter)).installs, 1);
      });

      it('says in one line what is wrong, and ends with code 1', async () => {
        const { id } = await result<{ id: string }>('apps', 'create', 'name=An app');
        const unknown = '01900000-0000-7000-8000-000000000000';
        const wrong: [string[], RegExp][] = [
          [['apps', 'show', unknown], /no app.*“throughline apps list”/],
          [['apps', 'show', 'x'], /no app/],
          [['apps', 'show'], /app/],
          [['apps', 'create'], /name is required/],
          [['apps', 'create', 'name='], /name/],
          [['apps', 'update', id, 'fingerprintWindowHours=73'], /fingerprintWindowHours/],
          [['apps', 'update', id, 'fingerprintWindowHours=0x10'], /fingerprintWindowHours/],
          [['apps', 'update', id, 'fingerprintIos=maybe'], /fingerprintIos/],
          [['apps', 'update', id, 'clipboardToken=1'], /clipboardToken/],
          [['apps', 'update', id, 'landingPage='], /landingPage must be one of auto, always, never/],
          [['apps', 'update', id, 'iosDestination=javascript:alert(1)'], /iosDestination/],
          [['keys', 'create', id], /kind/],
          [['keys', 'create', id, 'admin'], /kind/],
          [['keys', 'list', unknown], /no app/],
          [['installs', 'delete', '--app', unknown, ID], /no app/],
          [['installs', 'delete', '--app', id, '--from', 'today'], /from must be/],
          [['keys', 'revoke', id, unknown], /no key.*“throughline keys list APP_ID”/],
        ];
        const check = async ([args, text]: [string[], RegExp]) => {
          const { code, stdout, stderr } = await run(...args);
          assert.deepEqual([code, stdout], [1, ''], args.join(' '));
          assert.match(stderr, /^[^\n]+\n$/, args.join(' '));
          assert.match(stderr, text);
        };
        // Without a server each command holds the data directory for as long as it takes.
        if (server === null) for (const one of wrong.slice(0, 4)) await check(one);
        else await Promise.all(wrong.map(check));
      });
    });

for (const engine of engines)
  describe(`the command line where nothing is stored yet, on ${engine}`, () => {
    it('refuses in one line what only reads or changes, and makes nothing', async (t) => {
      const place = await makeUnconfiguredPlace(engine);
      t.after(() => place.remove());
      for (const args of [
        ['apps', 'list'],
        ['apps', 'show', ID],
        ['apps', 'update', ID, 'name=Other'],
        ['keys', 'list', ID],
        ['keys', 'create', ID, 'live'],
        ['keys', 'revoke', ID, ID],
      ]) {
        const { code, stdout, stderr } = await runCommand(args, place.env);
        assert.deepEqual([code, stdout], [1, '']);
        const where = engine === 'sqlite' ? `${place.dataDir}; set DATA_DIR` : 'the database of DATABASE_URL';
        assert.ok(stderr.startsWith(`There is no Throughline data in ${where}`), stderr);
        assert.match(stderr, /start the service there first\.\n$/);
        assert.ok(!existsSync(place.dataDir));
      }
      const tables = `select tablename from pg_tables where schemaname = 'public'`;
      if (engine === 'postgres') assert.deepEqual(await queryStored(place, tables), []);
    });

    it('creates an app there, for a later start to find', async (t) => {
      const place = await makeUnconfiguredPlace(engine);
      t.after(() => place.remove());
      const { code, stderr } = await runCommand(['apps', 'create', 'name=First'], place.env);
      assert.deepEqual([code, stderr], [0, '']);
      const { stdout } = await runCommand(['apps', 'list'], place.env);
      assert.deepEqual(
        (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name),
        ['First'],
      );
      // With the data in PostgreSQL there is nothing to keep in a folder of its own.
      assert.equal(existsSync(place.dataDir), engine === 'sqlite');
    });
  });

describe('the command line', () => {
  it('names the word that is wrong, missing or too much, with the usage of that command, and opens nothing', async (t) => {
    const place = await makeUnconfiguredPlace(engines[0] ?? 'sqlite');
    t.after(() => place.remove());
    const wrong: [string[], RegExp][] = [
      [['apps', 'create', 'name=App', 'fingerprintIo=false'], /“fingerprintIo” is no field.*fingerprintIos/],
      [['apps', 'create', 'name=App', 'name=Other'], /“name” is given twice/],
      [['apps', 'create', 'name='], /name must not be empty/],
      [['apps', 'create'], /name is required/],
      [['apps', 'create', '--name=App'], /no option “--name=App”/],
      [['apps', 'update', ID, 'name='], /name must not be empty/],
      [['apps', 'update', ID], /FIELD=VALUE is missing/],
      [['apps', 'update'], /APP_ID is missing/],
      [['apps', 'show'], /APP_ID is missing/],
      [['apps', 'show', ID, 'more'], /“more” is one word too many/],
      [['apps', 'list', 'more'], /“more” is one word too many/],
      [['keys', 'list'], /APP_ID is missing/],
      [['installs', 'delete', ID], /--app is missing/],
      [['installs', 'delete', '--app', ID], /Give ids, --same-address-as or --from/],
      [['installs', 'delete', '--app', ID, '--all'], /--all/],
      [['keys', 'create', ID], /The kind is missing/],
      [['keys', 'create', ID, 'live', 'test'], /“test” is one word too many/],
      [['keys', 'revoke', ID], /KEY_ID is missing/],
      [['keys', 'revoke', ID, ID, '-f'], /no option “-f”/],
      [['serve', '--port', '9000'], /no option “--port”/],
      [['migrate', 'now'], /“now” is one word too many/],
      [['db', 'move', 'here'], /“here” is one word too many/],
      [['db', 'move', '--force'], /no option “--force”/],
      [['db', 'backup'], /FOLDER is missing/],
    ];
    for (const [args, text] of wrong) {
      const { code, stdout, stderr } = await runCommand(args, place.env);
      assert.deepEqual([code, stdout], [1, ''], args.join(' '));
      assert.match(stderr, text);
      const usage = args.slice(0, ['apps', 'keys', 'db'].includes(args[0] ?? '') ? 2 : 1).join(' ');
      assert.match(stderr, new RegExp(`^[^\\n]+ Usage: throughline ${usage}[^\\n]*\\n$`));
    }
    assert.ok(!existsSync(place.dataDir));
  });

  it('shows every command when asked for help, the fields last, and its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    assert.equal((await runCommand(['--version'], {})).stdout, `${version}\n`);
    const { code, stdout } = await runCommand(['--help'], {});
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /^[ \t]+$/m);
    for (const name of ['serve', 'migrate', 'db backup FOLDER', 'db move', 'apps update', 'keys revoke'])
      assert.ok(stdout.includes(`throughline ${name}`), name);
    assert.ok(stdout.lastIndexOf('\nthroughline') < stdout.indexOf('A FIELD is'));
    assert.equal((await runCommand(['serve', '--help'], {})).stdout, stdout);
  });

  it('shows a command’s own usage alone when that one is asked for help', async () => {
    for (const [args, first, foreign] of [
      [['keys', '--help'], 'throughline keys list APP_ID', 'throughline apps'],
      [['apps', 'update', '-h'], 'throughline apps list', 'throughline keys'],
      [['db', 'move', '--help'], 'throughline db backup FOLDER', 'throughline serve'],
    ] as const) {
      const { code, stdout } = await runCommand([...args], {});
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`Usage:\n\n${first}`), stdout);
      assert.ok(!stdout.includes(foreign), stdout);
    }
  });

  it('shows its usage for what is no command of it, and opens nothing for that', async (t) => {
    const place = await makePlace(engines[0] ?? 'sqlite');
    t.after(() => place.remove());
    for (const args of [
      [],
      ['frobnicate'],
      ['apps'],
      ['apps', 'drop'],
      ['keys', 'steal', 'x', 'y'],
      ['db'],
      ['db', 'drop'],
    ]) {
      const { code, stdout, stderr } = await runCommand(args, place.env);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /Usage/);
      assert.doesNotMatch(stderr, /\n\s+at /);
      assert.ok(!existsSync(join(place.dataDir, 'admin-token')), args.join(' '));
    }
  });

  it('says in one line that .env cannot be read', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-test-'));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, '.env'));
    const { code, stderr } = await runCommand(['--version'], {}, folder);
    assert.equal(code, 1);
    assert.match(stderr, /^\.env cannot be read: [^\n]+\n$/);
  });

  it('says in one line that the server beside it does not answer', async (t) => {
    const place = await makePlace(engines[0] ?? 'sqlite');
    const server = await startServer(place);
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    // Stopped as a debugger stops it: it holds the data directory and answers nobody.
    process.kill(server.pid, 'SIGSTOP');
    const { code, stderr } = await runCommand(['apps', 'list'], place.env);
    assert.equal(code, 1);
    assert.match(stderr, /^[^\n]+\n$/);
  });
});

async function statusWith(server: RunningServer, key: string): Promise<number> {
  return (await fetch(`${server.url}/v1/links`, { headers: { 'x-api-key': key } })).status;
}
