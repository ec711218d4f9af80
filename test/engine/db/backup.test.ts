/** A backup taken from a running service under load, and a service that starts from it. */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { assertCounted } from '../../helpers/counts.ts';
import { engines, makePlace, type Place } from '../../helpers/engines.ts';
import { Load, type SentInstall, sendInstall } from '../../helpers/load.ts';
import {
  callCommand,
  makePlayLink,
  type RunningServer,
  runCommand,
  startServer,
} from '../../helpers/process.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { callServer } from '../../helpers/webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1' };

describe('a backup of a running service on SQLite', { skip: !engines.includes('sqlite') }, () => {
  let folder: string;
  let place: Place;
  let backup: Place;
  let server: RunningServer;
  let restored: RunningServer | undefined;
  let clicksBefore: string[];
  let installsBefore: SentInstall[];
  let outcome: Awaited<ReturnType<typeof runCommand>>;
  let shortCode: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'throughline-backup-'));
    place = await makePlace('sqlite');
    const dataDir = join(folder, 'backup');
    backup = { ...place, dataDir, env: { ...place.env, DATA_DIR: dataDir } };
    server = await startServer(place, ENV);
    shortCode = await makePlayLink(server.url, KEY);
    const load = new Load({ url: server.url, key: KEY, shortCodes: [shortCode], taps: 20, installs: 4 });
    await load.reaches(500, 20);
    clicksBefore = [...load.clickIds];
    installsBefore = [...load.answeredInstalls];
    outcome = await runCommand(['db', 'backup', dataDir], place.env);
    await load.reaches(clicksBefore.length + 100, installsBefore.length);
    await load.stop();
  });
  after(async () => {
    await restored?.end('SIGKILL');
    await server?.end('SIGKILL');
    await place?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is known to the health of the service that it was taken from', async () => {
    const token = readFileSync(join(place.dataDir, 'admin-token'), 'utf8').trim();
    const answer = await fetch(`${server.url}/v1/admin/health`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { backup: known, startedAt, checkedAt } = Object(await answer.json());
    assert.ok(known.lastAt >= startedAt && known.lastAt <= checkedAt, JSON.stringify(known));
  });

  it('is one folder that only its owner can read, with instructions to restore it', () => {
    assert.deepEqual([outcome.code, outcome.stderr], [0, ''], outcome.output);
    assert.match(outcome.stdout, /^Created and checked the backup .* as DATA_DIR\.\n$/);
    assert.deepEqual(readdirSync(folder), ['backup']);
    assert.deepEqual(readdirSync(backup.dataDir).sort(), [
      'admin-token',
      'journal',
      'secret-key',
      'throughline.db',
    ]);
    for (const name of ['.', 'throughline.db', 'secret-key', 'journal'])
      assert.equal(statSync(join(backup.dataDir, name)).mode & 0o077, 0, name);
    const secretOf = ({ dataDir }: Place) => readFileSync(join(dataDir, 'secret-key'), 'utf8');
    assert.equal(secretOf(backup), secretOf(place));
  });

  it('is complete, and the service starts on it', async () => {
    const db = new DatabaseSync(join(backup.dataDir, 'throughline.db'), { readOnly: true });
    assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
    db.close();
    restored = await startServer(backup, { TRUST_PROXY: '1' });
    assert.ok(restored.pid > 0);
  });

  it('has every click and install acknowledged before it began, once', async () => {
    const again = installsBefore[0] ?? assert.fail('no install');
    assert.ok(restored);
    // An install waits for clicks that are still in the journal.
    assert.deepEqual(await sendInstall({ url: restored.url, key: KEY }, again, '192.0.2.1'), again.answer);
    await waitFor('the last click', async () => {
      const ids = new Set((await queryStored(backup, 'select id from clicks')).map(({ id }) => id));
      return clicksBefore.every((id) => ids.has(id)) ? true : undefined;
    });
    const ids = (await queryStored(backup, 'select id from installs')).map(({ id }) => id);
    assert.deepEqual(
      installsBefore.filter(({ installId }) => !ids.includes(installId)),
      [],
    );
    await assertCounted(backup);
  });

  it('does not stop or change the running service', async () => {
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    const links = await callServer(server, KEY, ['GET', '/v1/links']);
    assert.equal(links.length, 1);
  });

  it('restores the data of a person erased later, until the erasure is repeated', async () => {
    assert.ok(restored);
    const erase = { ipAddress: '10.0.0.1' };
    const held = async (at: Place) =>
      (await queryStored(at, 'select count(*) as n from installs where ip_hash is not null'))[0]?.n;
    const [before_, running] = [await held(backup), await held(place)];
    await callServer(server, KEY, ['POST', '/v1/privacy/erase', erase]);
    await waitFor('the erasure', async () => (await held(place)) !== running || undefined);
    assert.equal(await held(backup), before_);
    await callServer(restored, KEY, ['POST', '/v1/privacy/erase', erase]);
    await waitFor('its repetition', async () => (await held(backup)) !== before_ || undefined);
  });

  it('fails inside the data directory itself, and names the file if it is damaged', async () => {
    const within = await callCommand(['db', 'backup', join(place.dataDir, 'backup')], place.env);
    assert.equal(within.code, 1);
    assert.match(
      within.stderr,
      /^\S+ is in DATA_DIR and would be lost with it\. Name a folder outside of \S+\.\n$/,
    );
    const damaged = join(folder, 'damaged');
    cpSync(backup.dataDir, damaged, { recursive: true });
    truncateSync(join(damaged, 'throughline.db'), 20_000);
    const target = join(folder, 'of-damaged');
    const { code, stderr } = await callCommand(['db', 'backup', target], { ...place.env, DATA_DIR: damaged });
    assert.equal(code, 1);
    assert.match(stderr, /^The database \S+damaged\/throughline\.db cannot be used: [^\n]+\n$/);
    rmSync(damaged, { recursive: true });
    assert.equal(existsSync(target), false);
  });

  it('fails with one line if it would overwrite a folder or if there is no data', async () => {
    const lines: [string[], Record<string, string>, RegExp][] = [
      [['db', 'backup', backup.dataDir], place.env, /already exists\. Name a new folder\.\n$/],
      [['db', 'backup', join(backup.dataDir, 'secret-key', 'x')], place.env, /cannot be copied to/],
      [['db', 'backup', '/proc/no/folder'], place.env, /^\S+ cannot be copied to \/proc\/no\/folder: /],
      [['db', 'backup'], place.env, /FOLDER is missing/],
      [['db', 'backup', join(folder, 'x')], { DATA_DIR: folder }, /There is no Throughline data/],
      [
        ['db', 'backup', join(folder, 'x')],
        { ...place.env, DATABASE_URL: 'postgres://x', SECRET_KEY: 'x' },
        /pg_dump/,
      ],
    ];
    for (const [args, env, text] of lines) {
      const { code, stderr } = await callCommand(args, env);
      assert.equal(code, 1);
      assert.match(stderr, /^[^\n]+\n$/);
      assert.match(stderr, text);
    }
  });
});
