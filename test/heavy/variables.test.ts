/** Startup with invalid and doubtful settings. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { migrate } from '../../src/commands/migrate.ts';
import { serve } from '../../src/commands/serve.ts';
import { StartError } from '../../src/errors.ts';
import { makePlace } from '../helpers/engines.ts';
import { makeUnconfiguredPlace, OWN_ENV, runCommand, startServer } from '../helpers/process.ts';

describe('an invalid setting', { concurrency: true }, () => {
  for (const args of [['serve'], ['migrate'], ['keys', 'list', 'x']])
    it(`ends ${args.join(' ')} with one line that names it, and creates no database`, async (t) => {
      const place = await makeUnconfiguredPlace('sqlite');
      t.after(() => place.remove());
      const { code, stderr } = await runCommand(args, { ...place.env, PORT: '0', REGION: 'asia' });
      assert.equal(code, args[0] === 'keys' ? 1 : 78);
      assert.match(stderr, /^[^\n]*\bREGION\b[^\n]*\n$/);
      assert.ok(!existsSync(join(place.dataDir, 'throughline.db')));
    });
});

// In this process, one after another; `src/config.test.ts` has the rules of every variable.
describe('a start with an invalid setting', () => {
  for (const [env, command] of [
    [{ HOST: 'nowhere.invalid' }, serve],
    [{ GEOIP_FILE: 'package.json' }, serve],
    [{ BOOTSTRAP_LIVE_KEY: 'svc_live_pub_0123456789abcdef' }, serve],
    [{ DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1:port/x' }, serve],
    [{ DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1:port/x' }, migrate],
    [{ DATABASE_URL: 'postgres://', SECRET_KEY: 'a secret key for tests only' }, serve],
  ] as const satisfies readonly [Record<string, string>, () => Promise<void>][]) {
    const [[name, value] = ['', '']] = Object.entries(env);
    it(`${name}=${value} makes ${command.name} fail with one line that names it, and creates no database`, async (t) => {
      const place = await makeUnconfiguredPlace('sqlite');
      t.after(() => place.remove());
      const message = await failureOf(command, { ...place.env, PORT: '0', ...env });
      assert.match(message, new RegExp(`^[^\\n]*\\b${name}\\b[^\\n]*$`));
      assert.doesNotMatch(message, /hidden-word/);
      assert.ok(!existsSync(join(place.dataDir, 'throughline.db')));
    });
  }

  it('another SECRET_KEY than the data was stored with fails, until the new one is accepted once', async (t) => {
    const place = await makeUnconfiguredPlace('sqlite');
    t.after(() => place.remove());
    const [former, other] = ['a former secret for tests', 'another secret for tests'];
    const startsWith = async (env: Record<string, string>) => {
      const server = await startServer(place, env);
      await server.end('SIGTERM');
      return server.output();
    };
    await startsWith({ SECRET_KEY: former });
    const settings = { ...place.env, PORT: '0', SECRET_KEY: other };
    for (let times = 0; times < 2; times++)
      assert.match(await failureOf(serve, settings), /^SECRET_KEY [^\n]*ACCEPT_NEW_SECRET_KEY=1[^\n]*$/);
    assert.doesNotMatch(await startsWith({ SECRET_KEY: former }), /secret/i);
    const accepted = await startsWith({ SECRET_KEY: other, ACCEPT_NEW_SECRET_KEY: '1' });
    assert.match(accepted, /SECRET_KEY is from now on the secret of the database/);
    assert.doesNotMatch(await startsWith({ SECRET_KEY: other }), /secret/i);
  });

  it('a DATA_DIR that is a file or cannot be created fails with one line that names it', async (t) => {
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    const path = join(place.dataDir, 'file');
    writeFileSync(path, '');
    for (const DATA_DIR of [path, join(path, 'below'), '/proc/no/folder'])
      assert.match(await failureOf(serve, { ...place.env, PORT: '0', DATA_DIR }), /^DATA_DIR [^\n]+$/);
  });
});

describe('a doubtful setting', () => {
  it('weak secrets are reported at startup, and a missing TRUST_PROXY once, without their values', async (t) => {
    const place = await makePlace('sqlite');
    const env = { SECRET_KEY: 'a1b2c3', ADMIN_TOKEN: 'd4e5f6', LOG_LEVEL: 'warn' };
    const server = await startServer(place, env);
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    for (const path of ['/l/unknown', '/healthz', '/l/unknown', '/v1/links'])
      await fetch(`${server.url}${path}`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    const warnings = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    assert.deepEqual(
      warnings.map((line) => /SECRET_KEY|ADMIN_TOKEN|TRUST_PROXY/.exec(line)?.[0]),
      ['SECRET_KEY', 'ADMIN_TOKEN', 'TRUST_PROXY'],
    );
    assert.doesNotMatch(server.output(), /a1b2c3|d4e5f6|203\.0\.113/);
  });
});

/** The message of the error with which the command ends. */
async function failureOf(command: () => Promise<void>, settings: Record<string, string>): Promise<string> {
  const env = process.env;
  process.env = { ...OWN_ENV, ...settings } as NodeJS.ProcessEnv;
  try {
    await command();
  } catch (error) {
    assert.ok(error instanceof StartError, String(error));
    return error.message;
  } finally {
    process.env = env;
  }
  assert.fail('the command did not fail');
}
