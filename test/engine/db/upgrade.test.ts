/** What surrounds pending migrations of a SQLite file: the copy before, the failure, the way back. */
import assert from 'node:assert/strict';
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { migrations } from '../../../migrations/index.ts';
import { openMigrated } from '../../../src/db/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { completeRollback, listCopies, removeOldCopies, swapData } from '../../../src/lib/data-dir/index.ts';
import { createLog } from '../../../src/lib/log.ts';
import { VERSION } from '../../../src/lib/version.ts';
import { engines, makePlace } from '../../helpers/engines.ts';
import { callCommand } from '../../helpers/process.ts';

const OPTIONS = { log: createLog('silent'), onDeath: () => undefined };
const DAY_MS = 24 * 60 * 60 * 1_000;
const DATABASE = 'throughline.db';

describe('the upgrade of a SQLite file', { skip: !engines.includes('sqlite') }, () => {
  it('begins with a complete copy of the data directory, which is listed', async (t) => {
    const { dataDir, env } = await makeData(t);
    const before = readFileSync(join(dataDir, DATABASE));
    await open(dataDir, next('create table extra (id integer primary key)'));
    const [copy] = listCopies({ dataDir });
    assert.ok(copy !== undefined);
    assert.deepEqual(readFileSync(join(copy.path, DATABASE)), before);
    assert.equal(readFileSync(join(copy.path, 'secret-key'), 'utf8'), 'a secret');
    assert.deepEqual(readdirSync(join(copy.path, 'journal')), ['clicks-000000000001.journal']);
    const { stdout } = await callCommand(['rollback', '--list'], env);
    assert.equal(stdout, `${copy.name}  before an upgrade, data of version ${VERSION} at ${copy.at}\n`);
  });

  it('makes no copy of a new database, nor where nothing is pending', async (t) => {
    const place = await makePlace('sqlite', { isEmpty: true });
    t.after(() => place.remove());
    for (const _ of ['new', 'migrated']) await open(place.dataDir, migrations);
    assert.deepEqual(listCopies(place), []);
  });

  it('leaves every byte as it was if a migration fails, says so in one line, and again without trying', async (t) => {
    const { dataDir, env } = await makeData(t);
    const before = readFileSync(join(dataDir, DATABASE));
    let tries = 0;
    const failing = next('insert into apps select * from nowhere', () => (tries += 1));
    const messages: string[] = [];
    for (const _ of ['first', 'second']) {
      await assert.rejects(open(dataDir, failing), (error: Error & { mayPass: boolean }) => {
        messages.push(error.message);
        return error.name === 'StartError' && !error.mayPass;
      });
      assert.deepEqual(readFileSync(join(dataDir, DATABASE)), before);
    }
    assert.match(
      messages[0] ?? '',
      /^The upgrade to version [^\n]+ failed in migration 9999_next: no such table: nowhere\. The data is unchanged\. Run [^\n]+ again[^\n]+\.$/,
    );
    assert.equal(messages[1], messages[0]);
    assert.equal(tries, 1);
    assert.equal(listCopies({ dataDir }).length, 1);
    // The former version runs on, and what it writes is another state.
    assert.equal((await callCommand(['keys', 'create', 'x', 'live'], env)).code, 1);
    const db = new DatabaseSync(join(dataDir, DATABASE));
    db.exec('create table later (id integer)');
    db.close();
    await assert.rejects(open(dataDir, failing), { message: messages[0] ?? '' });
    assert.deepEqual([tries, listCopies({ dataDir }).length], [2, 2]);
  });

  it('copies again what the version before has acknowledged since the last copy, also in the journal alone', async (t) => {
    const { dataDir } = await makeData(t);
    await assert.rejects(open(dataDir, next('broken')));
    const segment = join('journal', 'clicks-000000000001.journal');
    writeFileSync(join(dataDir, segment), 'a click');
    await open(dataDir, next('create table extra (id integer primary key)'), { triesAgain: true });
    const copies = listCopies({ dataDir });
    assert.deepEqual(
      copies.map(({ path }) => readFileSync(join(path, segment), 'utf8')),
      ['a click', ''],
    );
  });

  it('that meets a full disk changes nothing, and each later start tries again with the same copy', async (t) => {
    const { dataDir } = await makeData(t);
    const before = readFileSync(join(dataDir, DATABASE));
    let isFull = true;
    const growing: typeof migrations = (types) => ({
      ...migrations(types),
      '9999_next': {
        async up(db) {
          await sql.raw(`pragma max_page_count = ${isFull ? 1 : 1_000_000}`).execute(db);
          await sql.raw('create table extra as select randomblob(1000000) as bytes').execute(db);
        },
      },
    });
    for (const _ of ['first', 'second'])
      await assert.rejects(open(dataDir, growing), {
        mayPass: true,
        message:
          /the disk is full [^\n]+Free space on it[^\n]+The data is unchanged\. The next start tries again/,
      });
    assert.deepEqual(readFileSync(join(dataDir, DATABASE)), before);
    isFull = false;
    await open(dataDir, growing);
    assert.equal(listCopies({ dataDir }).length, 1);
  });

  it('needs room for the journal, too', async (t) => {
    const { dataDir } = await makeData(t);
    t.after(() => syncBuiltinESMExports());
    const real = fs.copyFileSync;
    t.mock.method(fs, 'copyFileSync', (from: string, to: string, mode = 0) => {
      if (mode === fs.constants.COPYFILE_FICLONE_FORCE) throw new Error('ENOTSUP');
      real(from, to, mode);
    });
    const reserved = 64 * 1024 * 1024;
    const bavail = reserved + fs.statSync(join(dataDir, DATABASE)).size;
    t.mock.method(fs.promises, 'statfs', async () => ({ bavail, blocks: bavail, bsize: 1 }));
    syncBuiltinESMExports();
    writeFileSync(join(dataDir, 'journal', 'clicks-000000000001.journal'), 'x'.repeat(2_000_000));
    const upgrade = next('create table extra (id integer primary key)');
    await assert.rejects(open(dataDir, upgrade), { message: /needs a copy [^\n]+lacks 2 MB/ });
    writeFileSync(join(dataDir, 'journal', 'clicks-000000000001.journal'), '');
    await open(dataDir, upgrade);
  });

  it('begins although the journal has a disk of its own, and an old copy cannot be removed', async (t) => {
    const { dataDir } = await makeData(t);
    mkdirSync(join(dataDir, 'journal', 'lost+found'));
    for (const second of [1, 2]) await fakeCopy(dataDir, `2020-11-26T00:00:0${second}.000Z`);
    const real = fs.rmSync;
    const refused = t.mock.method(fs, 'rmSync', (path: string, options: object) => {
      if (path.endsWith('-before-x')) throw new Error('EACCES');
      real(path, options);
    });
    syncBuiltinESMExports();
    await open(dataDir, next('create table extra (id integer primary key)'));
    refused.mock.restore();
    syncBuiltinESMExports();
    const [copy] = listCopies({ dataDir });
    assert.deepEqual(readdirSync(join(copy?.path ?? '', 'journal')), ['clicks-000000000001.journal']);
    assert.equal(listCopies({ dataDir }).length, 3);
  });

  it('that meets tables of its own name does not send the operator to another DATA_DIR', async (t) => {
    const { dataDir } = await makeData(t);
    await assert.rejects(open(dataDir, next('create table apps (id integer)')), {
      message: /9999_next: [^\n]*table [^\n]*apps[^\n]* already exists\. The data is unchanged/,
    });
  });

  it('is tried again by `throughline migrate`, which can leave out the copy', async (t) => {
    const { dataDir } = await makeData(t);
    await assert.rejects(open(dataDir, next('broken')));
    rmSync(join(dataDir, 'upgrades'), { recursive: true });
    await open(dataDir, next('create table extra (id integer)'), { triesAgain: true, copies: false });
    assert.deepEqual(listCopies({ dataDir }), []);
    assert.equal(existsSync(join(dataDir, 'failed-upgrade.json')), false);
  });

  it('copies what another program has written to the log and keeps open', async (t) => {
    const { dataDir } = await makeData(t);
    const other = new DatabaseSync(join(dataDir, DATABASE));
    t.after(() => other.close());
    other.exec('pragma journal_mode = wal; create table theirs (id integer); insert into theirs values (7)');
    other.exec('begin; select * from theirs');
    other.prepare('select * from theirs').all();
    const { store } = await openMigrated(
      { databaseUrl: null, dataDir },
      next('create table extra (id integer)'),
      OPTIONS,
    );
    other.exec('rollback');
    await store.close();
    const [copy] = listCopies({ dataDir });
    const copied = new DatabaseSync(join(copy?.path ?? '', DATABASE));
    t.after(() => copied.close());
    assert.deepEqual({ ...copied.prepare('select id from theirs').get() }, { id: 7 });
  });

  it('does not begin on a damaged file, of which nothing changes', async (t) => {
    const { dataDir } = await makeData(t);
    const path = join(dataDir, DATABASE);
    const bytes = readFileSync(path);
    const db = new DatabaseSync(path, { readOnly: true });
    const { rootpage } =
      db.prepare("select rootpage from sqlite_schema where name = 'links_of_team'").get() ?? {};
    db.close();
    bytes.fill(0xff, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096);
    writeFileSync(path, bytes);
    await assert.rejects(open(dataDir, next('create table extra (id integer)')), {
      message: /damaged[^\n]+Restore a backup/,
    });
    assert.deepEqual(readFileSync(path), bytes);
    assert.deepEqual(listCopies({ dataDir }), []);
    assert.deepEqual(readdirSync(join(dataDir, 'upgrades')), []);
  });

  it('keeps two copies, for 14 days', async (t) => {
    const { dataDir } = await makeData(t);
    for (const second of [1, 2, 3]) await fakeCopy(dataDir, `2026-11-26T00:00:0${second}.000Z`);
    mkdirSync(join(dataDir, 'upgrades', 'no-copy'));
    const nowMs = Date.parse('2026-11-27T00:00:00Z');
    assert.deepEqual(removeOldCopies({ dataDir }, nowMs), ['2026-11-26T00-00-01-000-before-x']);
    assert.equal(removeOldCopies({ dataDir }, nowMs + 14 * DAY_MS).length, 2);
    assert.deepEqual(readdirSync(join(dataDir, 'upgrades')), ['no-copy']);
  });

  it('keeps the copy of the last upgrade, which a rollback brings back, whatever the clock said', async (t) => {
    const { dataDir, env } = await makeData(t);
    const names = ['9997_a', '9998_b', '9999_c'];
    const upTo = (count: number) => (types: Parameters<typeof migrations>[0]) => ({
      ...migrations(types),
      ...Object.fromEntries(names.slice(0, count).map((name) => [name, { up: async () => undefined }])),
    });
    const year = t.mock.method(systemClock, 'nowMs', () => Date.now() + 365 * DAY_MS);
    await open(dataDir, upTo(1));
    await open(dataDir, upTo(2));
    year.mock.restore();
    await open(dataDir, upTo(3));
    assert.deepEqual(
      listCopies({ dataDir }).map(({ at }) => at > new Date().toISOString()),
      [false, true],
    );
    assert.equal((await callCommand(['rollback', '--yes'], env)).code, 0);
    assert.deepEqual(migratedBeyond(dataDir), names.slice(0, 2));
    const { stderr } = await callCommand(['rollback'], env);
    assert.match(stderr, /Lost is [^\n]+: how much is unknown, since the clock was ahead/);
  });
});

describe('a rollback', { skip: !engines.includes('sqlite') }, () => {
  it('says what is lost, needs --yes, and keeps the newer data, to which it can return', async (t) => {
    const { dataDir, env } = await makeData(t);
    const before = readFileSync(join(dataDir, DATABASE));
    await open(dataDir, next('create table extra (id integer primary key)'));
    const db = new DatabaseSync(join(dataDir, DATABASE));
    db.exec(`insert into users (id, email, name, is_operator, created_at)
      values ('0', 'a@example.com', 'A', 0, '2999-01-01T00:00:00.000Z')`);
    db.close();
    writeFileSync(join(dataDir, 'secret-key'), 'a newer secret');
    const newer = readFileSync(join(dataDir, DATABASE));

    const unsure = await callCommand(['rollback'], env);
    assert.equal(unsure.code, 1);
    assert.match(
      unsure.stderr,
      /Lost is [^\n]+: 1 users\.[^\n]*\nNothing was changed\. To go on, add --yes\.\n$/,
    );
    assert.deepEqual(readFileSync(join(dataDir, DATABASE)), newer);

    const { code, stdout } = await callCommand(['rollback', '--yes'], env);
    assert.equal(code, 0);
    assert.match(stdout, /^The data is that of [^\n]+ again\. Now start the service\./);
    assert.deepEqual(readFileSync(join(dataDir, DATABASE)), before);
    assert.equal(readFileSync(join(dataDir, 'secret-key'), 'utf8'), 'a secret');
    const [aside, ...others] = listCopies({ dataDir });
    assert.deepEqual([aside?.kind, others], ['newer', []]);

    assert.equal((await callCommand(['rollback'], env)).code, 1);
    assert.equal((await callCommand(['rollback', aside?.name ?? '', '--yes'], env)).code, 0);
    assert.deepEqual(readFileSync(join(dataDir, DATABASE)), newer);
    assert.equal(readFileSync(join(dataDir, 'secret-key'), 'utf8'), 'a newer secret');
  });

  it('brings the secrets back with the data that they are of', async (t) => {
    const { dataDir, env } = await makeData(t);
    const secret = (name: string, text: string) => writeFileSync(join(dataDir, name), text);
    const secrets = () =>
      ['secret-key', 'secret-key.previous'].map((name) =>
        existsSync(join(dataDir, name)) ? readFileSync(join(dataDir, name), 'utf8') : null,
      );
    // The start that copies is the first one after a rotation: the data is still that of the previous secret.
    secret('secret-key', 'second');
    secret('secret-key.previous', 'first');
    await open(dataDir, next('create table extra (id integer primary key)'));
    rmSync(join(dataDir, 'secret-key.previous'));
    assert.equal((await callCommand(['rollback', '--yes'], env)).code, 0);
    assert.deepEqual(secrets(), ['second', 'first']);
    const [aside] = listCopies({ dataDir });
    assert.equal((await callCommand(['rollback', aside?.name ?? '', '--yes'], env)).code, 0);
    assert.deepEqual(secrets(), ['second', null]);

    // Two rotations since: the previous secret of the newer data is none of the older.
    secret('secret-key', 'fourth');
    secret('secret-key.previous', 'third');
    const [back] = listCopies({ dataDir });
    assert.equal((await callCommand(['rollback', back?.name ?? '', '--yes'], env)).code, 0);
    assert.deepEqual(secrets(), ['second', 'first']);
  });

  it('by root leaves nothing that the user of the service cannot read', {
    skip: process.getuid?.() !== 0 && 'needs root',
  }, async (t) => {
    const { dataDir, env } = await makeData(t);
    const USER = 65_534;
    const all = () => ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })];
    const ofOthers = () =>
      all().filter((name) => name !== 'lock.db' && fs.statSync(join(dataDir, name)).uid !== USER);
    for (const name of all()) fs.chownSync(join(dataDir, name), USER, USER);
    await open(dataDir, next('create table extra (id integer primary key)'));
    assert.deepEqual(ofOthers(), []);
    assert.equal((await callCommand(['rollback', '--yes'], env)).code, 0);
    assert.deepEqual(ofOthers(), []);
    assert.equal((await callCommand(['secret', 'rotate'], env)).code, 0);
    assert.deepEqual(ofOthers(), []);
  });

  it('goes back one upgrade at a time, and never forward', async (t) => {
    const { dataDir, env } = await makeData(t);
    const migrated = () => migratedBeyond(dataDir);
    const first = next('create table extra (id integer primary key)');
    await open(dataDir, first);
    await open(dataDir, (types) => ({ ...first(types), '9999_other': { up: async () => undefined } }));
    const [newest] = listCopies({ dataDir });
    // A rollback that is killed after its plan, and asked for again.
    assert.ok(newest !== undefined);
    const aside = swapData({ dataDir }, newest, null);
    writeFileSync(
      join(dataDir, 'rollback.json'),
      JSON.stringify({ copy: newest.path, aside, leaving: [], returning: [], refusal: null }),
    );
    const again = await callCommand(['rollback', '--yes'], env);
    assert.match(again.stdout, new RegExp(`complete now: the data is that of ${newest.name}`));
    assert.deepEqual(migrated(), ['9999_next']);
    // To the oldest one, beside the copy of newer data.
    await open(dataDir, first);
    await open(dataDir, (types) => ({ ...first(types), '9999_other': { up: async () => undefined } }));
    const oldest = listCopies({ dataDir })
      .filter(({ kind }) => kind === 'before')
      .at(-1);
    assert.equal((await callCommand(['rollback', oldest?.name ?? '', '--yes'], env)).code, 0);
    assert.deepEqual(migrated(), []);
    const beyond = await callCommand(['rollback', '--yes'], env);
    assert.equal(beyond.code, 1);
    assert.match(beyond.stderr, /no copy from before an upgrade/);
    assert.deepEqual(migrated(), []);
  });

  it('is not undone by a start of the newer version, until the older one has run or a person asks for it', async (t) => {
    const { dataDir, env } = await makeData(t);
    const newer = next('create table extra (id integer primary key)');
    await open(dataDir, newer);
    assert.equal((await callCommand(['rollback', '--yes'], env)).code, 0);
    await assert.rejects(open(dataDir, newer), {
      name: 'StartError',
      message: /^A rollback has brought back the data of version [^\n]+\. Start [^\n]+ “throughline migrate”/,
    });
    assert.deepEqual(migratedBeyond(dataDir), []);
    await open(dataDir, newer, { triesAgain: true });
    assert.equal((await callCommand(['rollback', '--yes'], env)).code, 0);
    await open(dataDir, migrations);
    await open(dataDir, newer);
    assert.deepEqual(migratedBeyond(dataDir), ['9999_next']);
  });

  it('that cannot rename changes nothing and leaves no plan', async (t) => {
    const { dataDir, env } = await makeData(t);
    await open(dataDir, next('create table extra (id integer primary key)'));
    const [copy] = listCopies({ dataDir });
    const before = treeOf(dataDir);
    // As on another file system: the folder cannot take the place of the journal.
    const real = fs.renameSync;
    t.after(() => syncBuiltinESMExports());
    const broken = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
      if (from.startsWith(copy?.path ?? '') && from.endsWith('journal'))
        throw new Error('EXDEV: cross-device');
      real(from, to);
    });
    syncBuiltinESMExports();
    assert.ok(copy !== undefined);
    assert.throws(() => swapData({ dataDir }, copy, null), {
      message: /cannot be put aside: EXDEV: cross-device\. Nothing was changed\./,
    });
    broken.mock.restore();
    syncBuiltinESMExports();
    assert.deepEqual(treeOf(dataDir), before);
    assert.equal((await callCommand(['rollback', '--yes'], env)).code, 0);
  });

  it('is refused while a process holds the data directory, and of a damaged copy', async (t) => {
    const { dataDir, env } = await makeData(t);
    await open(dataDir, next('create table extra (id integer primary key)'));
    const lock = new DatabaseSync(join(dataDir, 'lock.db'));
    lock.exec('begin exclusive');
    const { code, stderr } = await callCommand(['rollback', '--yes'], env);
    assert.deepEqual(
      [code, stderr],
      [1, `Another process is using ${dataDir}. Stop it, or set another DATA_DIR.\n`],
    );
    lock.close();
    writeFileSync(join(listCopies({ dataDir })[0]?.path ?? '', DATABASE), 'no database');
    assert.match(
      (await callCommand(['rollback', '--yes'], env)).stderr,
      /is damaged, and nothing was changed/,
    );
    assert.equal(existsSync(join(dataDir, 'rollback.json')), false);
  });

  it('that is killed after any of its steps is completed by the next start', async (t) => {
    const { dataDir } = await makeData(t);
    await open(dataDir, next('create table extra (id integer primary key)'));
    writeFileSync(join(dataDir, `${DATABASE}-wal`), '');
    writeFileSync(join(dataDir, 'secret-key'), 'a newer secret');
    const former = treeOf(listCopies({ dataDir })[0]?.path ?? '');
    // Renames are the steps: this one stops before the nth.
    for (let steps = 0; ; steps++) {
      const trial = mkdtempSync(join(tmpdir(), 'throughline-rollback-'));
      const moved = `${trial}-moved`;
      t.after(() => rmSync(moved, { recursive: true, force: true }));
      cpSync(dataDir, trial, { recursive: true, preserveTimestamps: true });
      const [copy] = listCopies({ dataDir: trial });
      const isCut = cutAfter(
        trial,
        steps,
        () => copy !== undefined && swapData({ dataDir: trial }, copy, null),
      );
      // As in a container that has the directory at another path.
      renameSync(trial, moved);
      completeRollback({ dataDir: moved });
      completeRollback({ dataDir: moved });
      for (const name of [DATABASE, 'secret-key', 'journal/clicks-000000000001.journal'])
        assert.deepEqual(treeOf(moved).get(name), former.get(name), `${name} after ${steps} steps`);
      const aside = listCopies({ dataDir: moved }).find(({ kind }) => kind === 'newer');
      assert.deepEqual(
        [...treeOf(aside?.path ?? '')].filter(([name]) => name !== 'upgrade.json'),
        [...treeOf(dataDir)].filter(([name]) => /^(throughline|journal|secret)/.test(name)),
        `after ${steps} steps`,
      );
      if (!isCut) {
        assert.ok(steps > 4, `${steps} steps`);
        break;
      }
    }
  });
});

/** Runs `work` and undoes what comes after the first `steps` renames, as if the process had been killed. @returns whether it was cut. */
function cutAfter(folder: string, steps: number, work: () => unknown): boolean {
  work();
  const plan = planOf(folder);
  const undone = plan.slice(steps).reverse();
  for (const [from, to] of undone) {
    mkdirSync(join(from, '..'), { recursive: true });
    renameSync(to, from);
  }
  return undone.length > 0;
}

/** The renames of the rollback that has run, in order; and its plan, written again. */
function planOf(folder: string): readonly (readonly [from: string, to: string])[] {
  const aside = listCopies({ dataDir: folder }).find(({ kind }) => kind === 'newer')?.path ?? '';
  const copy = join(folder, 'upgrades', 'copy-of-before');
  const names = { copy: basename(copy), aside: basename(aside) };
  const leaving = [DATABASE, `${DATABASE}-wal`, 'journal', 'secret-key'];
  const returning = [DATABASE, 'journal', 'secret-key'];
  writeFileSync(
    join(folder, 'rollback.json'),
    JSON.stringify({ ...names, leaving, returning, refusal: null }),
  );
  return [
    ...leaving.map((name) => [join(folder, name), join(aside, name)] as const),
    ...returning.map((name) => [join(copy, name), join(folder, name)] as const),
  ];
}

/** Names of the applied migrations that only tests have. */
function migratedBeyond(dataDir: string): unknown[] {
  const db = new DatabaseSync(join(dataDir, DATABASE), { readOnly: true });
  const rows = db.prepare("select name from schema_migrations where name > '9' order by name").all();
  db.close();
  return rows.map(({ name }) => name);
}

function treeOf(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files
      .map((file) => join(file.parentPath, file.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]),
  );
}

async function makeData(t: TestContext) {
  const place = await makePlace('sqlite');
  t.after(() => place.remove());
  const { dataDir } = place;
  await open(dataDir, migrations);
  mkdirSync(join(dataDir, 'journal'));
  writeFileSync(join(dataDir, 'journal', 'clicks-000000000001.journal'), '');
  writeFileSync(join(dataDir, 'secret-key'), 'a secret');
  utimesSync(join(dataDir, DATABASE), 1, 1);
  return place;
}

async function open(
  dataDir: string,
  known: typeof migrations,
  options: { copies?: boolean; triesAgain?: boolean } = {},
): Promise<void> {
  const { store } = await openMigrated({ databaseUrl: null, dataDir }, known, { ...OPTIONS, ...options });
  await store.close();
}

function next(statement: string, onTry: () => void = () => undefined): typeof migrations {
  return (types) => ({
    ...migrations(types),
    '9999_next': {
      async up(db) {
        onTry();
        await sql.raw(statement).execute(db);
      },
    },
  });
}

async function fakeCopy(dataDir: string, at: string): Promise<void> {
  const folder = join(dataDir, 'upgrades', `${at.slice(0, 23).replaceAll(/[:.]/g, '-')}-before-x`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'upgrade.json'),
    JSON.stringify({ kind: 'before', at, fromVersion: null, toVersion: 'x' }),
  );
}
