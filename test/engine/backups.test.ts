import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { bootstrap } from '../../src/apps/index.ts';
import { makeDraft } from '../../src/backups/folder.ts';
import { startBackups } from '../../src/backups/index.ts';
import { makeIfDue } from '../../src/backups/schedule.ts';
import { engines } from '../helpers/engines.ts';
import { useWorld, World } from '../helpers/world.ts';

const DAY_MS = 86_400_000;
const KEEP_DAYS = 3;

for (const engine of engines.filter((each) => each === 'sqlite'))
  describe('scheduled backups of SQLite', () => {
    const world = useWorld(engine);
    const root = mkdtempSync(join(tmpdir(), 'throughline-test-'));
    after(() => rmSync(root, { recursive: true, force: true }));
    const folder = join(root, 'backups');
    const plan = { folder, atMinutes: 0, keepDays: KEEP_DAYS };
    const signal = new AbortController().signal;
    const make = () => makeIfDue({ ...world.service }, plan, signal);
    const names = () => readdirSync(folder).sort();

    it('a backup is made once a day, is private, and restores with what was acknowledged', async () => {
      const first = await bootstrap(world.service);
      assert.ok(first);
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { iosDestination: 'https://apps.apple.com/app/id1' });
      const from = '203.0.113.5';
      await world.tap(shortCode, { from });
      const path = await make();
      assert.ok(path !== null);
      assert.equal(await make(), null, 'once a day');
      assert.equal(statSync(path).mode & 0o077, 0);
      assert.ok(existsSync(join(world.place.dataDir, 'last-backup.json')));

      const restored = new World(engine, { DATA_DIR: path });
      try {
        await restored.open();
        const { body } = await restored.install(app, {}, { from });
        assert.equal(body.method, 'FINGERPRINT', JSON.stringify(body));
      } finally {
        await restored.remove();
      }
    });

    it('after keepDays only backups of this service are removed, and only once there are newer ones', async () => {
      const [mine] = names();
      const others = ['throughline-2020-01-01T000000Z', 'notes', 'throughline-2020-01-02T000000Z.partial'];
      for (const name of others) {
        mkdirSync(join(folder, name), { recursive: true });
        writeFileSync(join(folder, name, 'kept'), '');
      }
      const note = { madeBy: 'throughline', database: 'another', at: '2020-01-03T00:00:00.000Z' };
      const ofAnother = 'throughline-2020-01-03T000000Z';
      mkdirSync(join(folder, ofAnother));
      writeFileSync(join(folder, ofAnother, 'backup.json'), JSON.stringify(note));

      world.clock.advance((KEEP_DAYS + 2) * DAY_MS);
      // Root may write anywhere, so the folder's name leads to a file.
      const blocked = { ...plan, folder: join(folder, 'notes', 'kept') };
      await assert.rejects(makeIfDue({ ...world.service }, blocked, signal));
      assert.ok(names().includes(mine ?? ''), 'the old one stays until there is a new one');
      assert.ok((await make()) !== null, 'what was missed is made at the next look');
      // The clock may have leapt.
      assert.ok(names().includes(mine ?? ''), 'one newer backup is fewer than keepDays');
      for (let newer = 1; newer < KEEP_DAYS; newer++) {
        world.clock.advance(DAY_MS);
        assert.ok((await make()) !== null);
      }
      assert.ok(!names().includes(mine ?? ''));
      for (const name of [...others, ofAnother]) assert.ok(names().includes(name), name);
    });

    it('a draft that a crash left is removed, and a copy that is stopped leaves none', async () => {
      world.clock.advance(DAY_MS);
      const { app_id: database } = await world.service.db
        .selectFrom('bootstraps')
        .select('app_id')
        .executeTakeFirstOrThrow();
      const left = join(folder, 'throughline-2026-01-01T000000Z.partial');
      mkdirSync(left);
      const note = { madeBy: 'throughline', database, at: '2026-01-01T00:00:00.000Z' };
      writeFileSync(join(left, 'backup.json'), JSON.stringify(note));
      const stopping = new AbortController();
      const stopped = makeIfDue({ ...world.service }, plan, stopping.signal);
      setImmediate(() => stopping.abort());
      await assert.rejects(stopped, /interrupted|aborted/);
      assert.deepEqual(
        names().filter((name) => name.endsWith('.partial')),
        ['throughline-2020-01-02T000000Z.partial'],
      );
      assert.ok((await make()) !== null);
    });

    it('after a clock that was ahead one is made a day, not one at each look', async () => {
      world.clock.advance(40 * DAY_MS);
      assert.ok((await make()) !== null);
      world.clock.advance(-39 * DAY_MS);
      assert.ok((await make()) !== null, 'one of the future is not that of today');
      assert.equal(await make(), null);
    });

    it('a clock that leaps ahead leaves as many backups as there are keepDays', async () => {
      const before = names().slice(-KEEP_DAYS + 1);
      world.clock.advance(4_000 * DAY_MS);
      const made = await make();
      assert.deepEqual(names().slice(-KEEP_DAYS), [...before, basename(made ?? '')]);
      world.clock.advance(-4_000 * DAY_MS);
    });

    it('a folder whose disk is not mounted gets no backup, however it looks, until it is back', async () => {
      world.clock.advance(2 * DAY_MS);
      renameSync(folder, `${folder}-elsewhere`);
      for (const makeMountPoint of [() => undefined, () => symlinkSync('/proc', folder)]) {
        makeMountPoint();
        await assert.rejects(make, {
          message: /has none of the backups that were made there: is its disk mounted/,
        });
      }
      rmSync(folder);
      renameSync(`${folder}-elsewhere`, folder);
      assert.ok((await make()) !== null);
    });

    it('backups that are moved elsewhere are not made again before the next day', async () => {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      assert.equal(await make(), null);
      world.clock.advance(DAY_MS);
      assert.ok((await make()) !== null);
    });

    it('two services that back up into one folder in the same second have two folders', () => {
      const shared = mkdtempSync(join(root, 'shared-'));
      const [first, second] = [makeDraft(shared, 0), makeDraft(shared, 0)];
      renameSync(first.draft, first.path);
      assert.equal(new Set([first.path, second.path, makeDraft(shared, 0).path]).size, 3);
    });

    it('a failure is one line and in the health, and a folder in DATA_DIR is refused', async () => {
      const { config } = world.service;
      const inside = { dir: join(world.place.dataDir, 'backups'), atMinutes: 0, keepDays: 1 };
      assert.throws(() => startBackups({ ...world.service, config: { ...config, backup: inside } }), {
        name: 'StartError',
        message: /is in DATA_DIR and would be lost with it/,
      });
      const lines: object[] = [];
      const log = { error: (fields: object) => lines.push(fields), info: () => undefined };
      writeFileSync(join(root, 'file'), '');
      chmodSync(join(root, 'file'), 0o600);
      const backup = { dir: join(root, 'file', 'below'), atMinutes: 0, keepDays: 1 };
      const backups = startBackups({
        ...world.service,
        log: log as never,
        config: { ...config, backup },
      });
      for (let tries = 0; backups.failure() === null && tries < 100; tries++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      await backups.stop();
      assert.match(backups.failure()?.reason ?? '', /ENOTDIR|EEXIST/);
      assert.equal(lines.length, 1);
    });
  });
