/** The command line, with and without a server that owns the data directory. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, neutralEngines, type Place } from '../helpers/engines.ts';
import {
  callCommand,
  makeUnconfiguredPlace,
  type RunningServer,
  runCommand,
  startServer,
} from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

const ID = '01900000-0000-7000-8000-000000000000';

type Run = <T>(...args: string[]) => Promise<T>;

/** Runs commands that succeed and returns the JSON that they print. */
function commandsOn(place: () => Place): Run {
  return async <T>(...args: string[]) => {
    const { code, stdout, stderr } = await callCommand(args, place().env);
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout) as T;
  };
}

for (const engine of neutralEngines)
  describe(`commands with a running server on ${engine}`, () => {
    let place: Place;
    let server: RunningServer;
    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place);
    });
    after(async () => {
      await server?.end('SIGKILL');
      await place?.remove();
    });
    const result = commandsOn(() => place);

    it('create, list and revoke keys, effective at once', async () => {
      const app = await result<{ id: string }>('apps', 'create', 'name=App of keys');
      const made = await result<{ id: string; key: string }>('keys', 'create', app.id, 'live');
      const kept = await result<{ id: string; key: string }>('keys', 'create', app.id, 'test');
      assert.equal(await statusWith(server, made.key), 200);
      const { code, stdout, stderr } = await callCommand(['keys', 'revoke', app.id, made.id], place.env);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^Revoked/);
      assert.equal(await statusWith(server, made.key), 401);
      assert.equal(await statusWith(server, kept.key), 200);
      const listed = await result<{ id: string; revokedAt: string | null; key: string | null }[]>(
        'keys',
        'list',
        app.id,
      );
      assert.deepEqual(
        listed.map(({ id, revokedAt, key }) => [id, revokedAt === null, key]),
        [
          [kept.id, true, null],
          [made.id, false, null],
        ],
      );
    });

    // With a server the commands only call its API, so one engine has all of them.
    if (engine !== engines[0]) return;

    it('create, show, change and list apps', async () => {
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
        'appleAds=true',
        'measureAccuracy=false',
        'fingerprintThreshold=0.85',
        'landingPage=never',
        `androidCertFingerprints=${fingerprint},${fingerprint}`,
      );
      const shown = await result<Record<string, unknown>>('apps', 'show', app.id);
      assert.deepEqual(shown, app);
      assert.equal(shown.name, 'A name = with spaces');
      assert.equal(shown.fingerprintWindowHours, 48);
      assert.equal(shown.fingerprintIos, false);
      assert.equal(shown.clipboardToken, true);
      assert.equal(shown.appleAds, true);
      assert.equal(shown.measureAccuracy, false);
      assert.equal(shown.fingerprintThreshold, 0.85);
      assert.equal(shown.landingPage, 'never');
      assert.equal(shown.shortLinkHost, 'shop.example.com');
      assert.deepEqual(shown.androidCertFingerprints, [fingerprint.toUpperCase(), fingerprint.toUpperCase()]);

      const assignments = ['iosBundleId=', 'shortLinkHost=', 'name=Other'];
      const changed = await result<Record<string, unknown>>('apps', 'update', app.id, ...assignments);
      assert.equal(changed.name, 'Other');
      assert.equal(changed.iosBundleId, null);
      assert.equal(changed.shortLinkHost, null);
      assert.equal(changed.fingerprintWindowHours, 48);
      const listed = await result<{ id: string }[]>('apps', 'list');
      assert.deepEqual(
        listed.find(({ id }) => id === app.id),
        changed,
      );
    });

    it('delete installs by id or by a filter, and only count them with --dry-run', async () => {
      const app = await result<{ id: string }>('apps', 'create', 'name=App of fakes');
      const { key } = await result<{ key: string }>('keys', 'create', app.id, 'live_publishable');
      const installIds = [await install(server, key), await install(server, key), await install(server, key)];
      const [first = '', second = '', third = ''] = installIds;
      const remove = (...args: string[]) =>
        result<{ installs: number }>('installs', 'delete', '--app', app.id, ...args);
      assert.deepEqual(await remove(first, second), { installs: 2, opens: 0, events: 0 });
      const filter = ['--same-address-as', third, '--from', '2020-01-01T00:00:00Z', '--method', 'ORGANIC'];
      assert.equal((await remove(...filter, '--dry-run')).installs, 1);
      assert.equal((await remove(...filter, '--to', '2020-01-02T00:00:00Z')).installs, 0);
      assert.equal((await remove(...filter)).installs, 1);
    });

    it('fail with one line for an error of the API', async () => {
      const { id } = await result<{ id: string }>('apps', 'create', 'name=An app');
      const invalid: [string[], RegExp][] = [
        [['apps', 'show', ID], /no app.*“throughline apps list”/],
        [['apps', 'show', 'x'], /no app/],
        [['apps', 'update', id, 'fingerprintWindowHours=73'], /fingerprintWindowHours/],
        [['apps', 'update', id, 'fingerprintWindowHours=0x10'], /fingerprintWindowHours/],
        [['apps', 'update', id, 'fingerprintIos=maybe'], /fingerprintIos/],
        [['apps', 'update', id, 'landingPage='], /landingPage must be one of auto, always, never/],
        [['keys', 'create', id, 'admin'], /kind/],
        [['keys', 'list', ID], /no app/],
        [['installs', 'delete', '--app', ID, ID], /no app/],
        [['installs', 'delete', '--app', id, '--from', 'today'], /from must be/],
        [['keys', 'revoke', id, ID], /no key.*“throughline keys list APP_ID”/],
      ];
      for (const [args, text] of invalid) {
        const { code, stdout, stderr } = await callCommand(args, place.env);
        assert.deepEqual([code, stdout], [1, ''], args.join(' '));
        assert.match(stderr, /^[^\n]+\n$/, args.join(' '));
        assert.match(stderr, text);
      }
    });
  });

for (const engine of engines)
  describe(`commands without a running server on ${engine}`, () => {
    it('refuse to read or change missing data; the first app is created, and the next server serves it', async (t) => {
      const place = await makeUnconfiguredPlace(engine);
      t.after(() => place.remove());
      const refused = [
        ['keys', 'create', ID, 'live'],
        ['apps', 'list'],
        ['apps', 'update', ID, 'name=Other'],
      ];
      // All commands share the check, so one engine has several.
      for (const args of engine === engines[0] ? refused : refused.slice(0, 1)) {
        const { code, stdout, stderr } = await callCommand(args, place.env);
        assert.deepEqual([code, stdout], [1, '']);
        const where = engine === 'sqlite' ? `${place.dataDir}; set DATA_DIR` : 'the database of DATABASE_URL';
        assert.ok(stderr.startsWith(`There is no Throughline data in ${where}`), stderr);
        assert.match(stderr, /start the service there first\.\n$/);
        assert.ok(!existsSync(place.dataDir));
      }
      const tables = `select tablename from pg_tables where schemaname = 'public'`;
      if (engine === 'postgres') assert.deepEqual(await queryStored(place, tables), []);

      const result = commandsOn(() => place);
      // In a process of its own, which has to end by itself.
      const created = await runCommand(['apps', 'create', 'name=First'], place.env);
      assert.deepEqual([created.code, created.stderr], [0, '']);
      const app = JSON.parse(created.stdout) as { id: string; name: string };
      assert.deepEqual(await result('apps', 'list'), [app]);
      assert.equal(app.name, 'First');
      // PostgreSQL needs no file in the data directory.
      assert.equal(existsSync(place.dataDir), engine === 'sqlite');
      const revoked = await result<{ id: string; key: string }>('keys', 'create', app.id, 'live');
      const kept = await result<{ key: string }>('keys', 'create', app.id, 'test');
      const unknown = await callCommand(['apps', 'show', ID], place.env);
      assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
      assert.match(unknown.stderr, /^[^\n]*no app[^\n]*“throughline apps list”[^\n]*\n$/);

      const before = await startServer(place);
      const installId = await install(before, revoked.key);
      assert.equal((await before.end('SIGTERM')).code, 0);
      assert.equal((await runCommand(['keys', 'revoke', app.id, revoked.id], place.env)).code, 0);
      assert.deepEqual(await result('installs', 'delete', '--app', app.id, installId), {
        installs: 1,
        opens: 0,
        events: 0,
      });
      const server = await startServer(place);
      t.after(() => server.end('SIGKILL'));
      assert.equal(await statusWith(server, revoked.key), 401);
      assert.equal(await statusWith(server, kept.key), 200);
    });
  });

describe('the command line', { concurrency: 4 }, () => {
  it('refuses an unknown argument in one line with the usage of the command, and creates no data directory', async (t) => {
    const place = await makeUnconfiguredPlace('sqlite');
    t.after(() => place.remove());
    // `src/commands/arguments.test.ts` has the other commands.
    for (const [args, text] of [
      [['serve', '--port', '9000'], /“--port”/],
      [['migrate', 'now'], /'now'/],
    ] as const) {
      const { code, stdout, stderr } = await callCommand(args, place.env);
      assert.deepEqual([code, stdout], [78, ''], args.join(' '));
      assert.match(stderr, text);
      assert.match(stderr, new RegExp(`^[^\\n]+ Usage: throughline ${args[0]}[^\\n]*\\n$`));
    }
    assert.ok(!existsSync(place.dataDir));
  });

  it('shows the usage for an unknown or missing command, and creates no data directory', async (t) => {
    const place = await makeUnconfiguredPlace('sqlite');
    t.after(() => place.remove());
    for (const args of [[], ['frobnicate']]) {
      const { code, stdout, stderr } = await callCommand(args, place.env);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /Usage/);
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
    assert.ok(!existsSync(place.dataDir));
  });

  it('shows its version, and for --help every command with the fields at the end', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    assert.equal((await runCommand(['--version'], {})).stdout, `${version}\n`);
    const { code, stdout } = await callCommand(['--help'], {});
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /^[ \t]+$/m);
    for (const name of ['serve', 'migrate', 'db backup FOLDER', 'db move', 'apps update', 'keys revoke'])
      assert.ok(stdout.includes(`throughline ${name}`), name);
    assert.ok(stdout.lastIndexOf('\nthroughline') < stdout.indexOf('A FIELD is'));
    assert.equal((await callCommand(['serve', '--help'], {})).stdout, stdout);
  });

  it('shows only the usage of one command for its --help', async () => {
    for (const [args, first, foreign] of [
      [['apps', 'update', '-h'], 'throughline apps list', 'throughline keys'],
      [['db', 'move', '--help'], 'throughline db backup FOLDER', 'throughline serve'],
    ] as const) {
      const { code, stdout } = await callCommand(args, {});
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`Usage:\n\n${first}`), stdout);
      assert.ok(!stdout.includes(foreign), stdout);
    }
  });

  it('reports an unreadable .env in one line', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-test-'));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, '.env'));
    const { code, stderr } = await runCommand(['--version'], {}, folder);
    assert.equal(code, 1);
    assert.match(stderr, /^[^\n]*\.env\b[^\n]*: [^\n]+\n$/);
  });

  it('reports in one line that the running server does not respond', async (t) => {
    const place = await makePlace(engines[0] ?? 'sqlite');
    const server = await startServer(place);
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    // A stopped process owns the data directory but does not respond.
    process.kill(server.pid, 'SIGSTOP');
    const { code, stderr } = await runCommand(['apps', 'list'], place.env);
    assert.equal(code, 1);
    assert.match(stderr, /^[^\n]+\n$/);
  });
});

async function install({ url }: RunningServer, key: string): Promise<string> {
  const response = await fetch(`${url}/v1/sdk/install`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ fingerprint: { platform: 'IOS' } }),
  });
  return ((await response.json()) as { installId: string }).installId;
}

async function statusWith(server: RunningServer, key: string): Promise<number> {
  return (await fetch(`${server.url}/v1/links`, { headers: { 'x-api-key': key } })).status;
}
