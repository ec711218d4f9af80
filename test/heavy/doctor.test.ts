import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { databaseFile } from '../../src/db/index.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { type RunningServer, runCommand, startServer } from '../helpers/process.ts';
import { runStatement } from '../helpers/templates.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly mend: string | null;
}

const SECRETS = { SECRET_KEY: 'a secret key for tests only', ADMIN_TOKEN: 'an admin token for tests only' };

async function runSql(place: Place, statement: string): Promise<void> {
  if (place.databaseUrl !== null) return await runStatement(place.databaseUrl, statement);
  const db = new DatabaseSync(databaseFile(place));
  db.exec(statement);
  db.close();
}

for (const engine of engines)
  describe(`throughline doctor on ${engine}`, () => {
    let place: Place;
    let server: RunningServer;
    before(async () => {
      place = await makePlace(engine);
      // As a container engine makes it.
      chmodSync(place.dataDir, 0o755);
      for (const name of readdirSync(place.dataDir)) chmodSync(join(place.dataDir, name), 0o600);
      server = await startServer(place, SECRETS);
    });
    after(async () => {
      await server?.end('SIGKILL');
      await place?.remove();
    });
    const run = async (env: Record<string, string>) => {
      const { code, stdout, output } = await runCommand(['doctor', '--json'], {
        ...place.env,
        ...SECRETS,
        ...env,
      });
      for (const secret of [...Object.values(SECRETS), place.databaseUrl ?? 'no database'])
        assert.ok(!output.includes(secret), 'a secret is printed');
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      return { code, of: (check: string) => findings.find((finding) => finding.check === check) };
    };

    it('finds a running service in order', async () => {
      const { code, of } = await run({ PUBLIC_URL: server.url });
      // The PostgreSQL of the tests does not sync.
      assert.equal(code, engine === 'sqlite' ? 0 : 1);
      const fine = ['settings.valid', 'disk.private', 'database.open', 'database.migrations', 'secret.key'];
      for (const check of [...fine, 'service.running', 'public_url.reachable', 'proxy.address', 'clock.http'])
        assert.equal(of(check)?.status, 'ok', `${check}: ${of(check)?.text}`);
      if (engine === 'postgres') {
        assert.equal(of('database.durable')?.status, 'fault');
        assert.equal(of('clock.database')?.status, 'ok');
      }
    });

    it('what does not answer is unknown, what is wrong is a fault with what to do, and the code is 1', async () => {
      const { of } = await run({ PUBLIC_URL: 'http://127.0.0.1:9', TRUSTPROXY: '1' });
      assert.deepEqual(
        [of('public_url.reachable')?.status, of('settings.names')?.status],
        ['unknown', 'warning'],
      );
      const wrong = await run({ SECRET_KEY: 'another secret key for tests' });
      assert.equal(wrong.code, 1);
      const { status, text = '', mend } = wrong.of('secret.key') ?? {};
      assert.equal(status, 'fault');
      assert.match(text, /is not the secret with which the data was stored/);
      assert.ok(mend);
      assert.equal((await run({ PORT: 'none' })).of('settings.valid')?.status, 'fault');
    });

    it('a service that believes a forged X-Forwarded-For is a fault', async () => {
      const [other, port] = [await makePlace(engine), String(await freePort())];
      const trusting = await startServer(other, { ...SECRETS, PORT: port, TRUST_PROXY: '1' });
      try {
        const { stdout, code } = await runCommand(['doctor', '--json'], {
          ...other.env,
          ...SECRETS,
          PORT: port,
          TRUST_PROXY: '1',
        });
        const { findings } = JSON.parse(stdout) as { findings: Finding[] };
        const { status, text } = findings.find(({ check }) => check === 'proxy.address') ?? {};
        assert.deepEqual([code, status], [1, 'fault'], text);
      } finally {
        await trusting.end('SIGKILL');
        await other.remove();
      }
    });

    if (engine === 'sqlite')
      it('a folder of backups that the service cannot write to is a warning, although this command could', async () => {
        const other = await makePlace(engine);
        // Takes no folder, also of root, who may write to it by its mode.
        const env = { ...SECRETS, BACKUP_DIR: '/proc/backups' };
        const failing = await startServer(other, env);
        try {
          const found = await waitFor('the backup to fail', async () => {
            const { stdout } = await runCommand(['doctor', '--json'], { ...other.env, ...env });
            const { findings } = JSON.parse(stdout) as { findings: Finding[] };
            return findings.find(({ check, status }) => check === 'backup.folder' && status === 'warning');
          });
          assert.match(found.text, /^The scheduled backup fails: /);
        } finally {
          await failing.end('SIGKILL');
          await other.remove();
        }
      });

    it('data of a newer version is a fault that names the version and the way back', async () => {
      const other = await makePlace(engine);
      await runSql(other, "insert into schema_migrations (name, timestamp) values ('9999_later', '')");
      await runSql(other, "update schema_migrations_version set version = '99.1.0'");
      const { code, stdout } = await runCommand(['doctor', '--json'], { ...other.env, ...SECRETS });
      await other.remove();
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      const { status, text = '', mend } = findings.find(({ check }) => check === 'database.migrations') ?? {};
      assert.deepEqual([code, status], [1, 'fault']);
      assert.match(text, /9999_later\): version 99\.1\.0 applied them\. Run version 99\.1\.0 or newer/);
      assert.equal(/throughline rollback/.test(mend ?? ''), engine === 'sqlite');
    });

    if (engine === 'postgres')
      it('a read-only database is a fault', async () => {
        const other = await makePlace(engine);
        const name = new URL(other.databaseUrl ?? '').pathname.slice(1);
        await runSql(other, `alter database ${name} set default_transaction_read_only = on`);
        const { stdout } = await runCommand(['doctor', '--json'], { ...other.env, ...SECRETS });
        await other.remove();
        const { findings } = JSON.parse(stdout) as { findings: Finding[] };
        const found = findings.find(({ check }) => check === 'database.writable');
        assert.deepEqual(
          [found?.status, found?.text],
          ['fault', 'The database is read-only, as a standby is'],
        );
      });

    if (engine === 'postgres')
      it('an empty database is no check that failed', async () => {
        const other = await makePlace(engine, { isEmpty: true });
        const { output } = await runCommand(['doctor'], { ...other.env, ...SECRETS });
        await other.remove();
        assert.match(output, /unknown There is no data yet/);
        assert.doesNotMatch(output, /relation/);
      });

    if (engine === 'sqlite')
      it('without any data it runs, and a lost secret-key is a fault', async () => {
        const other = await makePlace(engine, { isEmpty: true });
        const { code, output } = await runCommand(['doctor'], other.env);
        assert.equal(code, 0, output);
        assert.match(output, /unknown There is no data yet/);
        await other.remove();
        const lost = await runCommand(['doctor'], place.env);
        assert.match(lost.output, /FAULT {3}There is no secret-key in DATA_DIR\.\n {8}→ Restore it/);
        assert.equal(lost.code, 1);
      });
  });
