/**
 * `npm run release-fixture`: data of this version on both engines, in `test/fixtures/releases/VERSION`, with the answers that
 * every later version has to give. Its traffic goes through the API. Needs PostgreSQL 15 of Debian, the oldest that is
 * supported: its dump can be read by every later one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Engine } from '../test/helpers/engines.ts';
import { freePort } from '../test/helpers/free-port.ts';
import { leaveInJournal } from '../test/helpers/move-scene.ts';
import { answersOfRelease, fillRelease, type Release } from '../test/helpers/release-data.ts';
import { Receiver } from '../test/helpers/webhook-receiver.ts';
import { World } from '../test/helpers/world.ts';

const BIN = '/usr/lib/postgresql/15/bin';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const FOLDER = join('test/fixtures/releases', version);

const cluster = await startCluster();
try {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const releases = { sqlite: await make('sqlite'), postgres: await make('postgres') };
  writeFileSync(join(FOLDER, 'answers.json.gz'), gzipSync(JSON.stringify(releases), { level: 9 }));
} finally {
  cluster.stop();
}

async function make(engine: Engine): Promise<Release> {
  process.env.TEST_DATABASE_URL = cluster.url;
  const receiver = new Receiver();
  await receiver.open();
  const world = new World(engine, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  try {
    await world.open();
    const made = await fillRelease(world, receiver);
    await world.close();
    // As after a crash: acknowledged, and not yet in the database.
    if (engine === 'sqlite') await leaveInJournal({ source: world.place }, made.app.id);
    save(engine, world);
    await world.open();
    const answers = await answersOfRelease(world, made);
    return { ...made, answers };
  } finally {
    await world.remove();
    await receiver.close();
  }
}

function save(engine: Engine, { place }: World): void {
  const file = (name: string) => join(FOLDER, name);
  if (engine === 'postgres') {
    const dump = execFileSync(
      join(BIN, 'pg_dump'),
      ['--inserts', '--no-owner', '--no-privileges', `--dbname=${place.databaseUrl}`],
      { encoding: 'utf8', maxBuffer: 1e9 },
    );
    // Commands of psql, which the driver does not know.
    const sql = dump.replaceAll(/^\\.*$/gm, '');
    writeFileSync(file('postgres.sql.gz'), gzipSync(sql, { level: 9 }));
    return;
  }
  writeFileSync(
    file('throughline.db.gz'),
    gzipSync(readFileSync(join(place.dataDir, 'throughline.db')), { level: 9 }),
  );
  for (const name of ['secret-key', 'journal'])
    cpSync(join(place.dataDir, name), file(name), { recursive: true });
}

/** PostgreSQL refuses to run as root, and runs as the user of Debian's package then. */
async function startCluster(): Promise<{ url: string; stop(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-release-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    const [user, group] = execFileSync('getent', ['passwd', 'postgres'], { encoding: 'utf8' })
      .split(':')
      .slice(2, 4);
    chownSync(folder, Number(user), Number(group));
  }
  const port = await freePort();
  const run = (...command: string[]) => {
    const [program = '', ...args] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    const { status, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  };
  const data = join(folder, 'data');
  run(join(BIN, 'initdb'), '--auth=trust', '--encoding=UTF8', '--locale=C', '--username=postgres', data);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`;
  run(join(BIN, 'pg_ctl'), '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop() {
      run(join(BIN, 'pg_ctl'), '-D', data, '-m', 'fast', '-w', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
