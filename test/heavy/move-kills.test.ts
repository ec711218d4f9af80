/** A move that is killed during the copy: the partial database is not served, and the next move is complete. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { engines } from '../helpers/engines.ts';
import { type MoveScene, makeMoveScene, runMove } from '../helpers/move-scene.ts';
import { runCommand, startCommand } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

describe('a killed move', { skip: !engines.includes('postgres') }, () => {
  const CLICKS = 20_000;
  let scene: MoveScene;
  before(async () => {
    scene = await makeMoveScene();
    assert.equal((await runCommand(['apps', 'create', 'name=Shoe shop'], scene.source.env)).code, 0);
    addClicks(join(scene.source.dataDir, 'throughline.db'), CLICKS);
  });
  after(() => scene?.remove());

  it('leaves a database that no server accepts, and the file unchanged', async () => {
    const move = startCommand(['db', 'move'], scene.env());
    await untilCopied(scene, 1_000);
    await move.kill();
    assert.ok((await countClicks(scene)) < CLICKS, 'the kill came after the copy');
    const { code, stderr } = await runCommand(['serve'], { ...scene.env(), PORT: '0' });
    assert.equal(code, 78);
    assert.match(stderr, /^A move to the database of DATABASE_URL has not ended\. .*\n$/);
    const listed = await runCommand(['apps', 'list'], scene.source.env);
    assert.deepEqual([listed.code, (JSON.parse(listed.stdout) as object[]).length], [0, 1]);
  });

  it('starts over when run again, and copies each row once', async () => {
    const { code, output } = await runMove(scene);
    assert.equal(code, 0, output);
    assert.match(output, /^clicks +20,000 {2}/m);
    assert.equal(await countClicks(scene), CLICKS);
    assert.equal((await runCommand(['apps', 'list'], scene.env())).code, 0);
  });
});

function addClicks(path: string, clicks: number): void {
  const db = new DatabaseSync(path);
  const app = db.prepare('select id from apps').get() as { id: string };
  const insert = db.prepare(
    `insert into clicks (app_id, id, link_id, sandbox, visitor, user_agent, clicked_at) values (?, ?, ?, 0, 'human', ?, ?)`,
  );
  db.exec('begin');
  for (let n = 0; n < clicks; n++) {
    const ms = Date.now() - n * 60_000;
    const time = ms.toString(16).padStart(12, '0');
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
    insert.run(app.id, id, app.id, `phone ${n}`, new Date(ms).toISOString());
  }
  db.exec('commit');
  db.close();
}

async function untilCopied(scene: MoveScene, rows: number): Promise<void> {
  for (;;) {
    if ((await countClicks(scene).catch(() => 0)) >= rows) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function countClicks({ target }: MoveScene): Promise<number> {
  const [row] = await queryStored(target, 'select count(*) as n from clicks');
  return Number(row?.n);
}
