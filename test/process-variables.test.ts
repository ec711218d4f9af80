/** Every variable is checked once at start; a bad one ends it with one line that names it. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { engines, makePlace } from './engines.ts';
import { makeUnconfiguredPlace, runCommand, startServer } from './process.ts';

const SECRET = { SECRET_KEY: 'a secret key for tests only' };
const EU_KEY = 'svc_live_eu_0123456789abcdefghijklmnopqr';

/** The first variable of each is the bad one. */
const REFUSED: Record<string, string>[] = [
  ...['abc', '-1', '65536', '80.5', '1e3', '0x50'].map((PORT) => ({ PORT })),
  { HOST: 'nowhere.invalid', PORT: '0' },
  ...[
    'ftp://x',
    'links.example.com',
    'http:links.example.com',
    'https://x/?q=1',
    'https://x/#y',
    'https://',
  ].map((PUBLIC_URL) => ({
    PUBLIC_URL,
  })),
  { SHORT_LINK_URL: 'ftp://x' },
  { OTHER_REGION_URL: 'eu.example.com' },
  { REGION: 'asia' },
  { REGION: 'US' },
  { DATABASE_URL: 'mysql://u:hidden-word@127.0.0.1/x', ...SECRET },
  { DATABASE_URL: 'postgres://', ...SECRET },
  { DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1:port/x', ...SECRET },
  { DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1:1/x', ...SECRET },
  { DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1/x?port=abc', ...SECRET },
  { DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1/x?sslmode=bogus', ...SECRET },
  { PUBLIC_URL: 'https://u:hidden-word@links.example.com' },
  { SECRET_KEY: '', DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1/x' },
  ...['maybe', '-1', '33', '1.5', '10.0.0.0/33', '10.0.0.0/8,maybe', '10.0.0.0/', '10.0.0.0/8/8'].map(
    (TRUST_PROXY) => ({ TRUST_PROXY }),
  ),
  ...['2', '0', 'all'].map((WORKERS) => ({ WORKERS })),
  { LOG_LEVEL: 'loud' },
  ...['short', 'svc_live_short', 'svc_test_0123456789abcdef', 'svc_live_pub_0123456789abcdef', EU_KEY].map(
    (BOOTSTRAP_LIVE_KEY) => ({ BOOTSTRAP_LIVE_KEY }),
  ),
  { ADMIN_TOKEN: 'schlüssel zum hof' },
  { BOOTSTRAP_APP_NAME: 'x'.repeat(256) },
  { BOOTSTRAP_TEST_KEY: 'svc_live_0123456789abcdef' },
  { BOOTSTRAP_TEST_KEY: EU_KEY.replace('live', 'test') },
  { BOOTSTRAP_SDK_KEY: 'svc_live_0123456789abcdef' },
  { BOOTSTRAP_SDK_KEY: EU_KEY.replace('live', 'live_pub') },
  ...['0', '65', 'all'].map((WORKERS) => ({
    WORKERS,
    DATABASE_URL: 'postgres://u:hidden-word@127.0.0.1/x',
    ...SECRET,
  })),
];

describe('a bad variable', { concurrency: 2 }, () => {
  for (const env of REFUSED) {
    const [name = '', value = ''] = Object.entries(env)[0] ?? [];
    const beside = 'DATABASE_URL' in env && name !== 'DATABASE_URL' ? ' beside DATABASE_URL' : '';
    it(`${name}=${value}${beside} ends the start with one line that names it`, async (t) => {
      const place = await makePlace('sqlite');
      t.after(() => place.remove());
      const { code, output, stderr } = await runCommand(['serve'], { ...place.env, PORT: '0', ...env });
      assert.equal(code, 1);
      assert.match(stderr, /^[^\n]+\n$/);
      assert.match(stderr, new RegExp(`\\b${name}\\b`));
      assert.doesNotMatch(output, /hidden-word/);
    });
  }

  it('among the first keys is refused before anything is made, with the reason', async (t) => {
    const place = await makeUnconfiguredPlace('sqlite');
    t.after(() => place.remove());
    const told = async (env: Record<string, string>) =>
      (await runCommand(['serve'], { ...place.env, PORT: '0', ...env })).stderr;
    assert.match(await told({ BOOTSTRAP_LIVE_KEY: EU_KEY }), /region eu, but REGION is us/);
    assert.match(
      await told({ BOOTSTRAP_LIVE_KEY: EU_KEY.replace('live_eu', 'live_us'), REGION: 'eu' }),
      /region us, but REGION is eu/,
    );
    for (const [name, kind] of [
      ['BOOTSTRAP_LIVE_KEY', 'live'],
      ['BOOTSTRAP_TEST_KEY', 'test'],
    ] as const)
      assert.match(
        await told({ [name]: `svc_${kind}_pub_0123456789abcdef` }),
        new RegExp(`^${name} must not be a publishable key`),
      );
    assert.ok(!existsSync(place.dataDir));
  });

  it('DATA_DIR that is a file, or where no folder can be made, ends the start with one line that names it', async (t) => {
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

  it('a database file that is none ends the start with one line that says where', async (t) => {
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    writeFileSync(join(place.dataDir, 'throughline.db'), 'This is no database.'.repeat(100));
    const { code, stderr } = await runCommand(['serve'], place.env);
    assert.equal(code, 1);
    assert.match(stderr, /^[^\n]+\n$/);
    assert.ok(stderr.includes(place.dataDir));
  });

  it('a secret that could be guessed is warned of, and not shown', async (t) => {
    const place = await makePlace('sqlite');
    const env = { SECRET_KEY: 'a1b2c3', ADMIN_TOKEN: 'd4e5f6', LOG_LEVEL: 'warn' };
    const server = await startServer(place, env);
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    const warnings = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    assert.match(warnings[0] ?? '', /SECRET_KEY/);
    assert.match(warnings[1] ?? '', /ADMIN_TOKEN/);
    assert.equal(warnings.length, 2);
    assert.doesNotMatch(server.output(), /a1b2c3|d4e5f6/);
  });

  for (const engine of engines)
    it(`a SECRET_KEY that the data on ${engine} was not begun with is warned of at each start, the first one is not`, async (t) => {
      const place = await makePlace(engine, { isEmpty: true });
      t.after(() => place.remove());
      const warningsWith = async (secret: string) => {
        const server = await startServer(place, { SECRET_KEY: secret, LOG_LEVEL: 'warn' });
        await server.end('SIGKILL');
        return server.output().match(/SECRET_KEY is not the one[^"]+/g) ?? [];
      };
      assert.deepEqual(await warningsWith('the first secret key'), []);
      assert.equal((await warningsWith('another secret key')).length, 1);
      assert.equal((await warningsWith('another secret key')).length, 1);
      assert.deepEqual(await warningsWith('the first secret key'), []);
    });

  it('TRUST_PROXY that is missing behind a proxy is warned of once, whatever is asked for', async (t) => {
    const place = await makePlace('sqlite');
    const server = await startServer(place, { LOG_LEVEL: 'warn' });
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    for (const path of ['/l/unknown', '/healthz', '/l/unknown', '/v1/links'])
      await fetch(`${server.url}${path}`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    assert.equal(server.output().match(/TRUST_PROXY/g)?.length, 1);
    assert.doesNotMatch(server.output(), /203\.0\.113/);
  });

  it('is found by the other commands too', async (t) => {
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    for (const args of [['migrate'], ['apps', 'list'], ['keys', 'list', 'x']]) {
      const { code, stderr } = await runCommand(args, { ...place.env, REGION: 'asia' });
      assert.equal(code, 1);
      assert.match(stderr, /^REGION [^\n]+\n$/);
    }
  });
});
