/** Startup with invalid and doubtful settings. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makePlace } from '../helpers/engines.ts';
import { makeUnconfiguredPlace, runCommand, startServer } from '../helpers/process.ts';

describe('an invalid setting', { concurrency: true }, () => {
  // `src/config.test.ts` has the rules of every variable.
  for (const [env, args] of [
    [{ REGION: 'asia' }, ['serve']],
    [{ REGION: 'asia' }, ['migrate']],
    [{ REGION: 'asia' }, ['keys', 'list', 'x']],
    [{ HOST: 'nowhere.invalid' }, ['serve']],
    [{ GEOIP_FILE: 'package.json' }, ['serve']],
    [{ BOOTSTRAP_LIVE_KEY: 'svc_live_pub_0123456789abcdef' }, ['serve']],
    [{ DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1:port/x' }, ['serve']],
    [{ DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1:port/x' }, ['migrate']],
    [{ DATABASE_URL: 'postgres://', SECRET_KEY: 'a secret key for tests only' }, ['serve']],
  ] as const satisfies readonly [Record<string, string>, string[]][]) {
    const [[name, value] = ['', '']] = Object.entries(env);
    it(`${name}=${value} ends ${args.join(' ')} with one line that names it, and creates no database`, async (t) => {
      const place = await makeUnconfiguredPlace('sqlite');
      t.after(() => place.remove());
      const { code, output, stderr } = await runCommand(args, { ...place.env, PORT: '0', ...env });
      assert.equal(code, 1);
      assert.match(stderr, /^[^\n]+\n$/);
      assert.match(stderr, new RegExp(`\\b${name}\\b`));
      assert.doesNotMatch(output, /hidden-word/);
      assert.ok(!existsSync(join(place.dataDir, 'throughline.db')));
    });
  }

  it('a DATA_DIR that is a file or cannot be created ends the start with one line that names it', async (t) => {
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    const path = join(place.dataDir, 'file');
    writeFileSync(path, '');
    for (const DATA_DIR of [path, join(path, 'below'), '/proc/no/folder']) {
      const { code, stderr } = await runCommand(['serve'], { ...place.env, DATA_DIR });
      assert.equal(code, 1);
      assert.match(stderr, /^DATA_DIR [^\n]+\n$/);
    }
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
