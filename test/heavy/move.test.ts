/** `db move` of a SQLite file that the service filled; the service then continues on PostgreSQL. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { verifyWebhook } from '../../packages/server/src/verify-webhook.ts';
import { engines } from '../helpers/engines.ts';
import {
  answersOf,
  callMove,
  fill,
  leaveInJournal,
  type Made,
  type MoveScene,
  makeMoveScene,
  openOn,
  runMove,
} from '../helpers/move-scene.ts';
import { callCommand } from '../helpers/process.ts';
import { journalFiles, queryStored } from '../helpers/stored.ts';
import { useReceiver } from '../helpers/webhook-receiver.ts';
import { SECRET } from '../helpers/webhooks.ts';
import { freshAddress, type World } from '../helpers/world.ts';

describe('a SQLite file moved to PostgreSQL', { skip: !engines.includes('postgres') }, () => {
  const receiver = useReceiver();
  let scene: MoveScene;
  let made: Made;
  let answersBefore: string[];
  let waitingClick: string;
  let moved: Awaited<ReturnType<typeof runMove>>;
  let world: World;
  before(async () => {
    scene = await makeMoveScene();
    const old = await openOn(scene, 'sqlite');
    try {
      made = await fill(scene, old, receiver);
      answersBefore = await answersOf(old, made);
    } finally {
      await old.remove();
    }
    waitingClick = await leaveInJournal(scene, made.app.id);
    moved = await runMove(scene);
    if (moved.code === 0) world = await openOn(scene, 'postgres');
  });
  after(async () => {
    await world?.remove();
    await scene?.remove();
  });

  it('prints the row count of each table and the next step', async () => {
    assert.deepEqual([moved.code, moved.stderr.includes('rows:')], [0, true], moved.output);
    for (const table of ['links', 'clicks', 'events', 'webhook_attempts', 'postbacks']) {
      const [row] = await queryStored(scene.source, `select count(*) as n from ${table}`);
      assert.match(moved.stdout, new RegExp(`^${table} +${row?.n}  [0-9a-f]{64}$`, 'm'));
    }
    assert.match(
      moved.stdout,
      /start the service with this DATABASE_URL, this SECRET_KEY and the same DATA_DIR/,
    );
  });

  it('copies every table except those that belong to one server', async () => {
    const tables = await queryStored(
      scene.source,
      `select name from sqlite_master where type = 'table' and name not like 'sqlite%'`,
    );
    for (const { name } of tables) {
      if (/^(schema_migrations.*|leases|journals|moves)$/.test(String(name))) continue;
      const statement = `select count(*) as n from ${name}`;
      const [[here], [there]] = [
        await queryStored(scene.source, statement),
        await queryStored(scene.target, statement),
      ];
      // The service runs again, so it may have added rows, but must not have removed any.
      assert.ok(Number(there?.n) >= Number(here?.n), `${name}: ${here?.n} rows became ${there?.n}`);
    }
  });

  it('includes the acknowledged click of the journal', async () => {
    const rows = await queryStored(scene.target, `select id from clicks where id = '${waitingClick}'`);
    assert.equal(rows.length, 1);
    assert.deepEqual(
      journalFiles(scene.source).filter((name) => name.endsWith('.journal')),
      [],
    );
  });

  it('stores the clicks of each day in its partition', async () => {
    const rows = await queryStored(scene.target, 'select 1 from clicks_other_days');
    assert.equal(rows.length, 0);
  });

  it('gives identical responses for links, statistics, installs, deliveries, audit log, apps and keys', async () => {
    const answersAfter = await answersOf(world, made);
    assert.equal(answersAfter.length, answersBefore.length);
    // The waiting click counts now.
    const statistics = `/v1/links/${made.shortCodes[0]}/stats`;
    for (const [index, answer] of answersBefore.entries())
      if (!answer.startsWith(`${statistics} `))
        assert.ok(answersAfter[index] === answer, `${answer.slice(0, 60)}… has another response`);
  });

  it('repeats the response of a repeated install and of an Idempotency-Key', async () => {
    for (const { body, answer } of made.installs) {
      const again = await world.install(made.app, body, { from: freshAddress() });
      assert.deepEqual([again.status, again.text], [answer.status, answer.text]);
    }
    const { body, idempotencyKey, answer } = made.link;
    const headers = { 'idempotency-key': idempotencyKey };
    const again = await world.call('POST', '/v1/links', { key: made.app.keys.live, headers, body });
    assert.deepEqual([again.status, again.text], [answer.status, answer.text]);
  });

  it('redirects links, and keeps a click claimed', async () => {
    const clickId = made.installs[0]?.body.clickId;
    const rival = await world.install(made.app, { clickId }, { from: freshAddress() });
    assert.equal(rival.body.method, 'ORGANIC');
    const fresh = await world.clickId(made.shortCodes[0] ?? '');
    assert.notEqual(fresh, '');
    assert.equal((await world.install(made.app, { clickId: fresh })).body.method, 'CLICK_ID');
    assert.equal((await world.tap(made.shortCodes[2] ?? '')).status, 404);
  });

  it('signs webhooks with the same secrets', async () => {
    const key = made.app.keys.live;
    const { status, text } = await world.call('POST', `/v1/webhooks/${made.webhookId}/test`, { key });
    assert.equal(status, 200, text);
    // Webhooks of earlier installs may still arrive.
    const test = made.hook.received.findLast(({ raw }) => String(raw).includes('"test.webhook"'));
    assert.ok(test !== undefined);
    const { event } = verifyWebhook({ secret: SECRET, headers: test.headers, body: test.raw });
    assert.equal(event, 'test.webhook');
  });

  it('reports that all rows have been moved when run again', async () => {
    await world.close();
    const again = await callMove(scene);
    assert.deepEqual([again.code, again.stderr], [0, '']);
    assert.match(again.stdout, /^Nothing to move/);
    await world.open();
  });

  it('is completed by the next run if interrupted after the check', async () => {
    await world.close();
    await queryStored(scene.target, 'update moves set ended_at = null');
    const refused = await callCommand(['apps', 'list'], scene.env());
    assert.match(refused.stderr, /has not ended/);
    assert.equal((await callMove(scene)).code, 0);
    await world.open();
  });

  it('makes every command refuse the old file until the marker is deleted', async () => {
    await world.close();
    const { DATABASE_URL: _url, SECRET_KEY: _key, ...env } = scene.env();
    const backup = ['db', 'backup', join(scene.source.dataDir, '..', 'backup-of-the-old')];
    for (const args of [['serve'], ['apps', 'list'], ['migrate'], ['secret', 'rotate'], backup]) {
      const { code, stderr } = await callCommand(args, { ...env, PORT: '0' });
      assert.equal(code, ['serve', 'migrate'].includes(args[0] ?? '') ? 78 : 1);
      assert.match(stderr, /^The data in .* was moved to PostgreSQL at .*: set DATABASE_URL[.,] .*\n$/);
    }
    const note = JSON.parse(readFileSync(join(scene.source.dataDir, 'moved.json'), 'utf8'));
    assert.deepEqual(Object.keys(note), ['moveId', 'movedAt']);
    await world.open();
  });
});
