/** Mistakes of operators, each answered by one line that says what is the matter and what to do. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makePlace } from '../helpers/engines.ts';
import {
  callCommand,
  makePlayLink,
  type RunningServer,
  runCommand,
  startCommand,
  startServer,
} from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

const KEY = 'svc_live_0123456789abcdef';

describe('a refused start', () => {
  it('with WAIT_WHEN_REFUSED says so once and waits until it is stopped, with exit code 78', async (t) => {
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    const env = { ...place.env, WAIT_WHEN_REFUSED: '1', PORT: 'http' };
    const start = startCommand(['serve'], env);
    const deadlineMs = Date.now() + 60_000;
    while (!start.output().includes('waits to be stopped') && Date.now() < deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const { code, stderr } = await start.interrupt();
    assert.equal(code, 78);
    assert.match(stderr, /^PORT [^\n]+\nThe service does not run, and waits to be stopped[^\n]+\n$/);
  });
});

describe('a file of settings', () => {
  it('with a setting that has no “=” is refused with its line, which would set nothing', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-env-'));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const line of ['PUBLIC_URL: https://links.example.com', 'PUBLIC_URL https://links.example.com']) {
      writeFileSync(join(folder, '.env'), `# A note: nothing\nexport PORT = 8080\n${line}\n`);
      const { code, output } = await runCommand(['serve'], { DATA_DIR: join(folder, 'data') }, folder);
      assert.equal(code, 78);
      assert.match(output, /^Line 3 of \.env sets nothing: write PUBLIC_URL=value\.\n$/);
    }
  });
});

describe('a running service', () => {
  it('names misspelt settings, and its commands a lost or changed admin token', {
    timeout: 120_000,
  }, async (t) => {
    const { place, server } = await start(t, { LOG_LEVEL: 'warn', TRUSTPROXY: '1' });
    assert.match(server.output(), /There is no setting TRUSTPROXY, and it has no effect\. Set TRUST_PROXY/);

    const file = join(place.dataDir, 'admin-token');
    const token = readFileSync(file);
    rmSync(file);
    const lost = await callCommand(['apps', 'list'], place.env);
    assert.equal(lost.code, 1);
    assert.match(lost.stderr, /^[^\n]*admin-token is missing or empty[^\n]*Restart the service[^\n]*\n$/);
    writeFileSync(file, 'another token that the service has not read');
    const changed = await callCommand(['apps', 'list'], place.env);
    assert.equal(changed.code, 1);
    assert.match(
      changed.stderr,
      /^The admin token is not that of the server[^\n]*Restart the service[^\n]*\n$/,
    );
    writeFileSync(file, token);
    assert.equal((await callCommand(['apps', 'list'], place.env)).code, 0);
  });

  it('names every unknown name in .env', { timeout: 60_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-env-'));
    t.after(() => rmSync(folder, { recursive: true }));
    // The start then ends at the port.
    const occupied = await start(t, {});
    const port = new URL(occupied.server.url).port;
    writeFileSync(join(folder, '.env'), 'COLOUR=blue\nLOG_LEVEL=warn\n');
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    const { LOG_LEVEL: _level, ...env } = place.env;
    const { output } = await runCommand(['serve'], { ...env, PORT: port }, folder);
    assert.match(output, /\.env has names that are no settings: COLOUR\./);
  });
});

describe('a backup that is copied into the data directory of a killed service', () => {
  it('is refused while the log of the former database lies beside it, and starts without', {
    timeout: 120_000,
  }, async (t) => {
    const { place, server } = await start(t, {});
    await makePlayLink(server.url, KEY);
    const backup = `${place.dataDir}-backup`;
    t.after(() => rmSync(backup, { recursive: true }));
    assert.equal((await callCommand(['db', 'backup', backup], place.env)).code, 0);
    for (let count = 0; count < 25; count++) await makePlayLink(server.url, KEY);
    await server.end('SIGKILL');
    cpSync(backup, place.dataDir, { recursive: true });
    const database = join(place.dataDir, 'throughline.db');
    assert.ok(statSync(`${database}-wal`).size > 0);

    for (const command of ['serve', 'migrate']) {
      const { code, stderr } = await callCommand([command], { ...place.env, PORT: '0' });
      assert.equal(code, 78);
      assert.match(
        stderr,
        /^[^\n]*-wal is of another database[^\n]*Remove [^\n]*-wal and [^\n]*-shm[^\n]*\n$/,
      );
    }
    for (const ending of ['-wal', '-shm']) rmSync(`${database}${ending}`);
    const restored = await startServer(place);
    assert.deepEqual(await restored.end('SIGTERM'), { code: 0, signal: null });
    assert.equal((await queryStored(place, 'select id from links')).length, 1);
  });
});

async function start(t: TestContext, env: Record<string, string>) {
  const place = await makePlace('sqlite');
  const server: RunningServer = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY, ...env });
  t.after(async () => {
    await server.end('SIGKILL');
    await place.remove();
  });
  return { place, server };
}
