/** A real PgBouncer between the service and PostgreSQL: refused in words, or served in session mode. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { IPHONE_FINGERPRINT } from '../helpers/callers.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { makePlayLink, runCommand, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
const IGNORING = 'ignore_startup_parameters = statement_timeout, options';
const isInstalled = spawnSync('pgbouncer', ['--version']).error === undefined;

describe('PgBouncer', {
  skip: !engines.includes('postgres')
    ? 'needs PostgreSQL'
    : !isInstalled && 'pgbouncer is not installed (apt-get install pgbouncer)',
}, () => {
  it('with its defaults is refused with its own words and the setting to change', async (t) => {
    const { env } = await start(t, '');
    const { code, output } = await runCommand(['serve'], env);
    assert.equal(code, 78);
    assert.match(
      output,
      /unsupported startup parameter: statement_timeout.*ignore_startup_parameters.*growing\.md/,
    );
    assert.equal(output.trim().split('\n').length, 1);
  });

  for (const mode of ['transaction', 'statement'])
    it(`in ${mode} mode is refused with the mode to set`, async (t) => {
      const { env } = await start(t, `${IGNORING}\npool_mode = ${mode}`);
      const { code, output } = await runCommand(['serve'], env);
      assert.deepEqual([code, output.trim().split('\n').length], [78, 1], output);
      assert.match(output, /Set its pool_mode to session/);
    });

  for (const zone of ['Etc/UTC', 'Zulu', 'GMT'])
    it(`in session mode serves, in ${zone}`, async (t) => {
      const { env, place } = await start(t, `${IGNORING}\npool_mode = session`, zone);
      const server = await startServer({ ...place, env });
      t.after(() => server.end('SIGKILL'));
      await makePlayLink(server.url, KEY);
    });

  it('at its own limit of clients lets calls wait for the connections that the process has', async (t) => {
    const { env, place } = await start(t, `${IGNORING}\npool_mode = session\nmax_client_conn = 5`);
    const server = await startServer({ ...place, env });
    t.after(() => server.end('SIGKILL'));
    await makePlayLink(server.url, KEY);
    const url = `${server.url}/v1/sdk/install`;
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const body = JSON.stringify({ fingerprint: IPHONE_FINGERPRINT });
    const readiness: Response[] = [];
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 15 }, () => fetch(url, { method: 'POST', headers, body }));
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)], [200]);
      readiness.push(await fetch(`${server.url}/readyz`));
    }
    assert.deepEqual(
      readiness.map(({ status }) => status),
      [200, 200, 200],
    );
  });

  for (const zone of ['Europe/London', 'Africa/Casablanca'])
    it(`in session mode is refused in ${zone}, which is UTC at times`, async (t) => {
      const { env } = await start(t, `${IGNORING}\npool_mode = session`, zone);
      const { code, output } = await runCommand(['migrate'], env);
      assert.equal(code, 78);
      assert.match(output, new RegExp(`time zone is ${zone}, not UTC. Run “alter role`));
    });
});

async function start(t: TestContext, settings: string, zone = 'UTC') {
  const place = await makePlace('postgres');
  const direct = new URL(place.databaseUrl ?? '');
  await query(
    place,
    `alter role ${direct.username} in database ${databaseOf(place)} set timezone to '${zone}'`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'throughline-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const login = `user=${direct.username} password=${decodeURIComponent(direct.password)}`;
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      `[databases]\n* = host=${direct.hostname} port=${direct.port} ${login}`,
      `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nauth_type = any\nunix_socket_dir =`,
      `${settings}\n`,
    ].join('\n'),
  );
  // It refuses to run as root.
  const child = spawn('pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], {
    stdio: 'ignore',
  });
  t.after(async () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  });
  const pooled = new URL(direct);
  pooled.port = String(port);
  await waitFor('pgbouncer to listen', async () => isListening(port));
  const env = { ...place.env, DATABASE_URL: pooled.href, BOOTSTRAP_LIVE_KEY: KEY };
  return { place, env };
}

async function isListening(port: number): Promise<true | undefined> {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  const connected = await once(socket, 'connect').then(
    () => true as const,
    () => undefined,
  );
  socket.destroy();
  return connected;
}

async function query(place: Place, text: string): Promise<void> {
  const client = new pg.Client(place.databaseUrl ?? '');
  await client.connect();
  await client.query(text).finally(() => client.end());
}

function databaseOf(place: Place): string {
  return new URL(place.databaseUrl ?? '').pathname.slice(1);
}
