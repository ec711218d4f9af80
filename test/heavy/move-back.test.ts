/** `db move --to-sqlite` of a PostgreSQL database that the service filled; the service then continues on the file. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../helpers/engines.ts';
import {
  answersOf,
  fill,
  leaveInJournal,
  type Made,
  type MoveScene,
  makeMoveBack,
} from '../helpers/move-scene.ts';
import { callCommand, runCommand, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';
import { RECEIVER_ENV, useReceiver } from '../helpers/webhook-receiver.ts';
import { World } from '../helpers/world.ts';

const MOVE_BACK = ['db', 'move', '--to-sqlite'];

describe('a PostgreSQL database moved to a SQLite file', { skip: !engines.includes('postgres') }, () => {
  const receiver = useReceiver();
  let scene: Omit<MoveScene, 'env'>;
  let made: Made;
  let answersBefore: string[];
  let waitingClick: string;
  let moved: Awaited<ReturnType<typeof runCommand>>;
  let world: World;
  before(async () => {
    scene = await makeMoveBack();
    const old = new World('postgres', { ...RECEIVER_ENV, ...scene.source.env });
    await old.open();
    try {
      made = await fill(scene, old, receiver);
      answersBefore = await answersOf(old, made);
    } finally {
      await old.close();
    }
    await addClicksOfTwoApps(scene);
    waitingClick = await leaveInJournal(scene, made.app.id);
    writeFileSync(join(scene.source.dataDir, 'moved.json'), '{"moveId":"of the way there","movedAt":""}');
    moved = await runCommand(MOVE_BACK, scene.source.env);
    world = new World('sqlite', { ...RECEIVER_ENV, ...scene.target.env });
    if (moved.code === 0) await world.open();
  });
  after(async () => {
    await world?.remove();
    await scene?.remove();
  });

  it('prints the row count of each table and the next step', async () => {
    assert.equal(moved.code, 0, moved.output);
    for (const table of ['links', 'clicks', 'events', 'webhook_attempts', 'postbacks']) {
      const [row] = await queryStored(scene.source, `select count(*) as n from ${table}`);
      assert.match(
        moved.stdout,
        new RegExp(`^${table} +${Number(row?.n).toLocaleString('en')}  [0-9a-f]{64}$`, 'm'),
      );
    }
    assert.match(
      moved.stdout,
      /start the service without DATABASE_URL, with this SECRET_KEY and the same DATA_DIR/,
    );
  });

  it('includes the acknowledged click of the journal', async () => {
    assert.equal(
      (await queryStored(scene.target, `select id from clicks where id = '${waitingClick}'`)).length,
      1,
    );
  });

  it('numbers the clicks of all apps in the order of their times, on which matching by address relies', async () => {
    const [row] = await queryStored(
      scene.target,
      'select count(*) as rows, sum(id < before) as late from (select id, lag(id) over (order by arrival) as before from clicks)',
    );
    assert.deepEqual([Number(row?.rows) > 3_000, row?.late], [true, 0]);
  });

  it('gives identical responses for links, statistics, installs, deliveries, audit log, apps and keys', async () => {
    const answersAfter = await answersOf(world, made);
    // The waiting click counts now.
    const statistics = `/v1/links/${made.shortCodes[0]}/stats`;
    for (const [index, answer] of answersBefore.entries())
      if (!answer.startsWith(`${statistics} `))
        assert.ok(answersAfter[index] === answer, `${answer.slice(0, 60)}… has another response`);
  });

  it('keeps a click claimed, and records new taps and installs', async () => {
    const clickId = made.installs[0]?.body.clickId;
    assert.equal((await world.install(made.app, { clickId })).body.method, 'ORGANIC');
    const fresh = await world.clickId(made.shortCodes[0] ?? '');
    assert.equal((await world.install(made.app, { clickId: fresh })).body.method, 'CLICK_ID');
  });

  it('lets no process start on the old database, until an operator goes back to it', async () => {
    const env = { ...scene.source.env, PORT: '0', DATA_DIR: join(scene.source.dataDir, 'other') };
    const { code, stderr } = await runCommand(['serve'], env);
    assert.equal(code, 78);
    assert.match(
      stderr,
      /^The data in the database of DATABASE_URL was moved to a SQLite file at .*: remove DATABASE_URL/,
    );
    const again = await runCommand(MOVE_BACK, env);
    assert.match(again.stderr, /^The data of the database of DATABASE_URL was moved to another DATA_DIR at/);
    await queryStored(scene.source, 'delete from moves');
    assert.equal((await callCommand(['apps', 'list'], env)).code, 0);
  });
});

describe('a move to a SQLite file', { skip: !engines.includes('postgres') }, () => {
  let scene: Omit<MoveScene, 'env'>;
  before(async () => {
    scene = await makeMoveBack();
    assert.equal((await callCommand(['apps', 'create', 'name=Shoe shop'], scene.source.env)).code, 0);
  });
  after(() => scene?.remove());
  const file = () => join(scene.source.dataDir, 'throughline.db');

  async function refuses(pattern: RegExp, env: Record<string, string> = {}): Promise<void> {
    const { code, stdout, stderr } = await callCommand(MOVE_BACK, { ...scene.source.env, ...env });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, pattern);
  }

  it('requires DATABASE_URL, and a folder without another file', async () => {
    await refuses(/^Set DATABASE_URL to the PostgreSQL database whose data is to be moved/, {
      DATABASE_URL: '',
    });
    writeFileSync(file(), '');
    await refuses(/throughline\.db exists already\. Move all files throughline\.db\* to another folder/);
    rmSync(file());
  });

  it('fails while a process of the service works on the database from another folder', async (t) => {
    const elsewhere = { ...scene.source.env, DATA_DIR: join(scene.source.dataDir, 'elsewhere') };
    const server = await startServer({ ...scene.source, env: elsewhere, dataDir: elsewhere.DATA_DIR });
    t.after(() => server.end('SIGKILL'));
    await refuses(/^A process of the service works on the database of DATABASE_URL; .* Stop all processes/);
  });

  it('leaves the database in use when it fails', async () => {
    await queryStored(scene.source, "update journals set seen_at = now() - interval '1 hour'");
    await queryStored(scene.source, 'alter table apps rename column name to other_name');
    await refuses(/^The database of DATABASE_URL cannot be used/m);
    await queryStored(scene.source, 'alter table apps rename column other_name to name');
    assert.equal((await callCommand(['apps', 'list'], scene.source.env)).code, 0);
    assert.deepEqual([existsSync(file()), existsSync(join(scene.source.dataDir, 'moving'))], [false, false]);
  });

  it('lets no process start after a kill, and starts over when run again', async () => {
    const { stdout: apps } = await callCommand(['apps', 'list'], scene.source.env);
    const moveId = randomUUID();
    await queryStored(scene.source, `insert into moves values (1, '${moveId}', now(), null, 'sqlite')`);
    const { code, stderr } = await runCommand(['serve'], { ...scene.source.env, PORT: '0' });
    assert.equal(code, 78);
    assert.match(stderr, /^A move from the database of DATABASE_URL to a SQLite file has not ended\. Run/);
    const again = await runCommand(MOVE_BACK, scene.source.env);
    assert.equal(again.code, 0, again.output);
    await queryStored(scene.source, 'update moves set ended_at = null');
    const completed = await callCommand(MOVE_BACK, scene.source.env);
    assert.match(completed.stdout, /^Nothing to move: the data is in /);
    const { DATABASE_URL: _url, ...onFile } = scene.source.env as Record<string, string>;
    const listed = await callCommand(['apps', 'list'], onFile);
    assert.deepEqual([listed.code, listed.stdout], [0, apps]);
  });
});

/** Clicks alternately of two apps, more than a page. */
async function addClicksOfTwoApps({ source }: Pick<MoveScene, 'source'>): Promise<void> {
  await queryStored(
    source,
    `insert into clicks (app_id, id, link_id, sandbox, visitor, user_agent, clicked_at)
     select ('0000000' || n % 2 || '-0000-7000-8000-000000000000')::uuid,
       (left(t, 8) || '-' || right(t, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       '00000000-0000-7000-8000-000000000000', 0, 'human', 'phone', now() - n * interval '1 minute'
     from generate_series(1, 3000) n,
       lateral (select lpad(to_hex((extract(epoch from now()) * 1000)::bigint - n * 60000), 12, '0') as t) times`,
  );
}
