/** Upgrades of the real program: killed at any moment, failing, beside processes of the version before, and back again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { listCopies } from '../../src/lib/data-dir/index.ts';
import { assertCounted } from '../helpers/counts.ts';
import { fill, makeRoom, mountDisk, noDisk, unmount } from '../helpers/disks.ts';
import { engines, type Place } from '../helpers/engines.ts';
import { Load } from '../helpers/load.ts';
import { NEXT_VERSION, nextVersion } from '../helpers/next-version.ts';
import { commandLine, OWN_ENV, runCommand, startServer } from '../helpers/process.ts';
import { RELEASES, readRelease, restoreRelease } from '../helpers/release-fixture.ts';
import { releasedProgram } from '../helpers/released-program.ts';
import { queryStored } from '../helpers/stored.ts';

const [RELEASE = ''] = RELEASES.slice(-1);
const EXPANDS = 'alter table links add column next_note text';
const MUST_END = 'throughline.db';
const ENV = { TRUST_PROXY: '1', LOG_LEVEL: 'warn' };

describe('an upgrade on SQLite', { skip: !engines.includes('sqlite') && 'needs SQLite' }, () => {
  it('that is killed at any moment loses nothing, and the next start of either version is right', {
    timeout: 240_000,
  }, async (t) => {
    const place = await restored(t);
    const release = readRelease(RELEASE, 'sqlite');
    const links = await countOf(place, 'links');
    const next = nextVersion(EXPANDS, '--150', "update links set next_note = 'x'", '--150');
    const isCopying = () => partials(place).length > 0 || isCopied();
    const isCopied = () => listCopies({ dataDir: place.dataDir }).length > 0;
    const moments: [() => boolean, number][] = [
      [isCopying, 0],
      [isCopying, 10],
      [isCopied, 20],
      [isCopied, 100],
      [isCopied, 200],
      [isCopied, 350],
    ];
    for (const [until, thenMs] of moments) {
      // Each begins with a copy of its own.
      rmSync(join(place.dataDir, 'upgrades'), { recursive: true, force: true });
      await killWhen(until, thenMs, ['migrate'], { ...place.env, ...next });
      assert.equal(await countOf(place, 'links'), links, `killed ${thenMs} ms after ${until.name}`);
    }
    const server = await startServer(place, { ...ENV, ...next });
    const answer = await fetch(`${server.url}/v1/links?limit=100`, {
      headers: { 'x-api-key': release.app.keys.live },
    });
    assert.equal(((await answer.json()) as unknown[]).length > 0, true);
    await server.end('SIGTERM');
    assert.deepEqual(partials(place), []);
    const older = await runCommand(['migrate'], { ...place.env, ...releasedProgram });
    assert.equal(older.code, 78);
    assert.match(
      older.stderr,
      new RegExp(`version ${NEXT_VERSION} applied them\\. Run version ${NEXT_VERSION}`),
    );
  });

  it('is undone by a rollback, also one that is killed, and the version before serves on', {
    timeout: 240_000,
  }, async (t) => {
    const place = await restored(t);
    const release = readRelease(RELEASE, 'sqlite');
    const { code } = await runCommand(['migrate'], { ...place.env, ...nextVersion(EXPANDS) });
    assert.equal(code, 0);
    const [copy] = listCopies({ dataDir: place.dataDir });
    const before = readFileSync(join(copy?.path ?? '', MUST_END));
    const newer = await startServer(place, { ...ENV, ...nextVersion(EXPANDS) });
    const load = new Load({ ...loadOf(release, newer.url), taps: 4, installs: 2 });
    await load.reaches(40, 4);
    const running = await runCommand(['rollback', '--yes'], place.env);
    assert.match(running.stderr, /Another process is using/);
    await load.stop();
    await newer.end('SIGKILL');
    const hasBegun = () => existsSync(join(place.dataDir, 'rollback.json')) || !existsSync(copy?.path ?? '');
    await killWhen(hasBegun, 0, ['rollback', '--yes'], place.env);
    const { code: isDone, stdout, stderr } = await runCommand(['rollback', '--yes'], place.env);
    if (isDone === 0 && !/is complete now/.test(stdout))
      assert.match(stderr, /Lost is [^\n]*[1-9]\d* clicks, [1-9]\d* installs/);
    assert.deepEqual(readFileSync(join(place.dataDir, MUST_END)), before);
    const server = await startServer(place, { ...ENV, ...releasedProgram });
    assert.equal((await columnsOf(place)).has('next_note'), false);
    const again = new Load({ ...loadOf(release, server.url), taps: 2, installs: 1 });
    await again.reaches(10, 1);
    await again.stop();
    assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
    assert.deepEqual(
      listCopies({ dataDir: place.dataDir }).map(({ kind }) => kind),
      ['newer'],
    );
  });

  it('without room for the copy does not begin, and says how much is missing', {
    skip: noDisk,
    timeout: 120_000,
  }, async (t) => {
    const disk = mountDisk();
    t.after(() => unmount(disk));
    const env = { DATA_DIR: disk, LOG_LEVEL: 'warn', HOST: '127.0.0.1', PORT: '0' };
    assert.equal((await runCommand(['migrate'], env)).code, 0);
    const before = readFileSync(join(disk, MUST_END));
    fill(disk, 64);
    for (const command of ['serve', 'migrate']) {
      const { code, stderr } = await runCommand([command], { ...env, ...nextVersion(EXPANDS) });
      assert.equal(code, 78, stderr);
      assert.match(
        stderr,
        /^The upgrade needs a copy [^\n]+ the disk lacks \d+ MB[^\n]+Free that space[^\n]+\n$/,
      );
      assert.deepEqual(readFileSync(join(disk, MUST_END)), before);
    }
    makeRoom(disk);
    assert.equal((await runCommand(['migrate'], { ...env, ...nextVersion(EXPANDS) })).code, 0);
  });
});

describe('an upgrade on PostgreSQL', { skip: !engines.includes('postgres') && 'needs PostgreSQL' }, () => {
  let place: Place;
  const release = engines.includes('postgres') ? readRelease(RELEASE, 'postgres') : undefined;
  before(async () => {
    place = await restoreRelease(RELEASE, 'postgres');
  });
  after(() => place.remove());

  it('that fails changes nothing and exits with 78, while the version before serves on', async (t) => {
    const old = await startServer(place, { ...ENV, ...releasedProgram });
    t.after(() => old.end('SIGKILL'));
    const load = new Load({ ...loadOf(release, old.url), taps: 2, installs: 1 });
    await load.reaches(20, 2);
    const failing = {
      ...place.env,
      ...nextVersion(EXPANDS, '--300', 'select broken'),
      DATA_DIR: `${place.dataDir}/next`,
    };
    const { code, stderr } = await runCommand(['serve'], { ...failing, PORT: '0' });
    assert.equal(code, 78);
    assert.match(
      stderr,
      new RegExp(
        `^The upgrade to version ${NEXT_VERSION} failed in migration 9999_next: [^\\n]+broken[^\\n]+unchanged\\. Run version [\\d.]+ again[^\\n]+\\n$`,
      ),
    );
    assert.equal((await columnsOf(place)).has('next_note'), false);
    const answered = load.clickIds.length;
    await load.reaches(answered + 20, 4);
    await load.stop();
    await old.end('SIGTERM');
    const again = await startServer(place, { ...ENV, ...releasedProgram });
    assert.deepEqual(await again.end('SIGTERM'), { code: 0, signal: null });
  });

  it('runs beside the version before under traffic: both serve, no request fails, every record is counted once', {
    timeout: 180_000,
  }, async (t) => {
    const old = await startServer(place, { ...ENV, ...releasedProgram });
    const load = new Load({ ...loadOf(release, old.url), taps: 3, installs: 2 });
    t.after(() => old.end('SIGKILL'));
    await load.reaches(30, 4);
    const next = { ...ENV, ...nextVersion(EXPANDS, '--500', "update links set next_note = 'x'") };
    // Two start together: one migrates, the other waits.
    const started = await Promise.all(
      ['a', 'b'].map((name) => startServer(place, { ...next, DATA_DIR: `${place.dataDir}/${name}` })),
    );
    t.after(() => Promise.all(started.map((server) => server.end('SIGKILL'))));
    const others = started.map(({ url }) => new Load({ ...loadOf(release, url), taps: 2, installs: 1 }));
    const reached = load.clickIds.length;
    await Promise.all([load.reaches(reached + 50, 20), ...others.map((other) => other.reaches(50, 5))]);
    await load.stop();
    assert.deepEqual(await old.end('SIGTERM'), { code: 0, signal: null });
    await Promise.all(others.map((other) => other.stop()));
    for (const server of started) assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });

    const clicks = [load, ...others].flatMap(({ clickIds }) => clickIds);
    const stored = new Set((await queryStored(place, 'select id from clicks')).map(({ id }) => String(id)));
    assert.deepEqual(
      clicks.filter((id) => !stored.has(id)),
      [],
    );
    const installs = new Set(
      (await queryStored(place, 'select id from installs')).map(({ id }) => String(id)),
    );
    const answered = [load, ...others].flatMap(({ answeredInstalls }) => answeredInstalls);
    assert.deepEqual(
      answered.filter(({ installId }) => !installs.has(installId)),
      [],
    );
    await assertCounted(place);
    assert.equal(
      (await queryStored(place, "select 1 from schema_migrations where name = '9999_next'")).length,
      1,
    );
  });

  it('waits for locked tables without keeping requests of the version before waiting behind it', {
    timeout: 120_000,
  }, async (t) => {
    const locked = await restoreRelease(RELEASE, 'postgres');
    t.after(() => locked.remove());
    const old = await startServer(locked, { ...ENV, ...releasedProgram });
    t.after(() => old.end('SIGKILL'));
    // As a dump does: reads are allowed beside it, a change of the table is not.
    const dump = new pg.Client({ connectionString: locked.databaseUrl ?? '' });
    await dump.connect();
    // Its database may be dropped first.
    dump.on('error', () => undefined);
    await dump.query('begin; lock table links in access share mode');
    const migrating = runCommand(['migrate'], {
      ...locked.env,
      ...nextVersion(EXPANDS),
      DATA_DIR: `${locked.dataDir}/next`,
    });
    const waits: number[] = [];
    for (const endMs = Date.now() + 8_000; Date.now() < endMs; await sleep(250)) {
      const startMs = Date.now();
      const answer = await fetch(`${old.url}/v1/links?limit=1`, {
        headers: { 'x-api-key': release?.app.keys.live ?? '' },
      });
      assert.equal(answer.status, 200);
      waits.push(Date.now() - startMs);
    }
    assert.ok(
      waits.length > 10 && Math.max(...waits) < 4_000,
      `${waits.length} answers, ${Math.max(...waits)} ms`,
    );
    await dump.query('rollback');
    await dump.end();
    assert.equal((await migrating).code, 0);
    assert.equal((await columnsOf(locked)).has('next_note'), true);
  });
});

function loadOf(release: ReturnType<typeof readRelease> | undefined, url: string) {
  // The first two links lead to Play: the response to a tap names its click.
  return { url, key: release?.app.keys.live ?? '', shortCodes: (release?.shortCodes ?? []).slice(0, 1) };
}

async function restored(t: TestContext): Promise<Place> {
  const place = await restoreRelease(RELEASE, 'sqlite');
  t.after(() => place.remove());
  return place;
}

/** Kills a command of the program some time after a moment; one that has ended before cannot be killed. */
async function killWhen(
  until: () => boolean,
  thenMs: number,
  args: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const child = spawn('sh', ['-c', `exec ${commandLine(...args)}`], {
    env: { ...OWN_ENV, ...env },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  while (child.exitCode === null && !until()) await sleep(1);
  await sleep(thenMs);
  child.kill('SIGKILL');
  await ended;
}

function partials({ dataDir }: Place): string[] {
  const folder = join(dataDir, 'upgrades');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.partial')) : [];
}

async function countOf(place: Place, table: string): Promise<number> {
  const [row] = await queryStored(place, `select count(*) as n from ${table}`);
  return Number(row?.n);
}

async function columnsOf(place: Place): Promise<ReadonlySet<string>> {
  const [row] = await queryStored(place, 'select * from links limit 1');
  return new Set(Object.keys(row ?? {}));
}
