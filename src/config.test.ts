import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';
import { StartError } from './errors.ts';

const SECRET = { SECRET_KEY: 'a secret key for tests only' };
const PASSWORD = 'hidden-word';
const EU_KEY = 'svc_live_eu_0123456789abcdefghijklmnopqr';

const INVALID: Readonly<Record<string, readonly string[]>> = {
  PORT: ['abc', '-1', '65536', '80.5', '1e3', '0x50'],
  PUBLIC_URL: [
    'https://https://links.test',
    'ftp://x',
    'links.example.com',
    'http:links.example.com',
    'https://x/?q=1',
    'https://x/#y',
    'https://',
    `https://u:${PASSWORD}@links.example.com`,
  ],
  SHORT_LINK_URL: ['ftp://x'],
  OTHER_REGION_URL: ['eu.example.com'],
  REGION: ['asia', 'US'],
  DATABASE_URL: [
    `mysql://u:${PASSWORD}@127.0.0.1/x`,
    `u:${PASSWORD}@127.0.0.1/x`,
    `postgres://u:${PASSWORD}%@127.0.0.1/x`,
    `postgres://u:${PASSWORD}@127.0.0.1:port/x`,
    `postgres://u:${PASSWORD}@127.0.0.1/x?port=abc`,
    `postgres://u:${PASSWORD}@127.0.0.1/x?sslmode=bogus`,
  ],
  SMTP_URL: [
    'mail.example.com',
    `https://u:${PASSWORD}@mail.example.com`,
    `smtps://u:${PASSWORD}%@mail.example.com`,
    `smtps://u:${PASSWORD}@mail.example.com/path`,
    `smtps://u:${PASSWORD}@mail.example.com?requireTLS=false`,
    `smtps://:${PASSWORD}@mail.example.com`,
    'smtps://user@mail.example.com',
    'smtps://mail.example.com:port',
    'smtps://',
  ],
  MAIL_FROM: [
    'links',
    'a@b, c@d',
    'Links <links>',
    'Links\nBcc: eve@example.com <links@example.com>',
    '@',
    '',
  ],
  TRUST_PROXY: ['maybe', '-1', '33', '1.5', '10.0.0.0/33', '10.0.0.0/8,maybe', '10.0.0.0/', '10.0.0.0/8/8'],
  WORKERS: ['2'],
  REUSE_PORT: ['1', '2', 'yes'],
  METRICS_PORT: ['0', '65536', 'x'],
  WATCH_HOSTS: ['2', 'yes'],
  BLOCK_LISTS: [
    'hosts.txt',
    'https://a.example/x,ftp://b.example/y',
    `https://ann:${PASSWORD}@a.example/`,
    Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`).join(','),
  ],
  APPLE_ASSOCIATION_URL: ['apple'],
  ASSET_LINKS_URL: ['https://a.example/?x'],
  LOG_LEVEL: ['loud'],
  ADMIN_TOKEN: ['schlüssel zum hof'],
  METRICS_TOKEN: ['schlüssel zum hof'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'grpc://collector:4317', 'collector'],
  BOOTSTRAP_APP_NAME: ['x'.repeat(256)],
  BOOTSTRAP_LIVE_KEY: [
    'short',
    'svc_live_short',
    'svc_test_0123456789abcdef',
    'svc_live_pub_0123456789abcdef',
    EU_KEY,
  ],
  BOOTSTRAP_TEST_KEY: ['svc_live_0123456789abcdef', EU_KEY.replace('live', 'test')],
  BOOTSTRAP_SDK_KEY: ['svc_live_0123456789abcdef', EU_KEY.replace('live', 'live_pub')],
};

/** Settings that the invalid one needs, or that need it. */
const NEEDED: Readonly<Record<string, Record<string, string>>> = {
  DATABASE_URL: SECRET,
  SMTP_URL: { MAIL_FROM: 'links@example.com' },
  MAIL_FROM: { SMTP_URL: 'smtp://localhost' },
};

describe('readConfig', () => {
  for (const [name, values] of Object.entries(INVALID))
    it(`refuses each invalid ${name} in one line that names it and shows no password`, () => {
      const others = NEEDED[name] ?? {};
      for (const value of values) {
        const message = refusalOf({ ...others, [name]: value });
        assert.match(message, new RegExp(`^${name} [^\\n]+\\.$`), value);
        assert.doesNotMatch(message, new RegExp(PASSWORD));
      }
    });

  it('requires SECRET_KEY with DATABASE_URL', () => {
    const message = refusalOf({ SECRET_KEY: '', DATABASE_URL: `postgres://u:${PASSWORD}@127.0.0.1/x` });
    assert.match(message, /^SECRET_KEY is required with DATABASE_URL[^\n]+\.$/);
    assert.doesNotMatch(message, new RegExp(PASSWORD));
  });

  it('requires SMTP_URL with MAIL_FROM', () => {
    assert.match(refusalOf({ MAIL_FROM: 'links@example.com' }), /^SMTP_URL is required with MAIL_FROM\.$/);
  });

  it('reads the mail server, its login and the sender', () => {
    const mailOf = (SMTP_URL: string, MAIL_FROM: string) => readConfig({ SMTP_URL, MAIL_FROM }).mail;
    assert.deepEqual(mailOf('smtps://jo%40x:p%25%3A@mail.example.com', 'Our links <links@example.com>'), {
      ...{ host: 'mail.example.com', port: 465, secure: true },
      login: { user: 'jo@x', password: 'p%:' },
      from: { name: 'Our links', address: 'links@example.com' },
    });
    assert.deepEqual(mailOf('smtp://[::1]:2525', 'links@example.com'), {
      ...{ host: '::1', port: 2525, secure: false, login: null },
      from: { name: '', address: 'links@example.com' },
    });
    assert.equal(mailOf('smtp://localhost', '"Links" <links@example.com>')?.port, 587);
    assert.equal(readConfig({}).mail, null);
  });

  it('refuses one port for METRICS_PORT and PORT, and names both', () => {
    for (const env of [{ PORT: '9100', METRICS_PORT: '9100' }, { METRICS_PORT: '8080' }])
      assert.throws(() => readConfig(env), {
        name: 'StartError',
        message: /^METRICS_PORT and PORT are both \d+: give each a port of its own\.$/,
      });
  });

  it('refuses the admin token as METRICS_TOKEN: Prometheus needs less', () => {
    assert.throws(() => readConfig({ ADMIN_TOKEN: 'one and the same', METRICS_TOKEN: 'one and the same' }), {
      name: 'StartError',
      message: /^METRICS_TOKEN is the ADMIN_TOKEN/,
    });
  });

  it('refuses a bootstrap key of the other region, and names both regions', () => {
    assert.match(refusalOf({ BOOTSTRAP_LIVE_KEY: EU_KEY }), /region eu, but REGION is us/);
    const usKey = EU_KEY.replace('live_eu', 'live_us');
    assert.match(refusalOf({ BOOTSTRAP_LIVE_KEY: usKey, REGION: 'eu' }), /region us, but REGION is eu/);
  });

  it('says that a publishable key is no secret key', () => {
    for (const [name, kind] of [
      ['BOOTSTRAP_LIVE_KEY', 'live'],
      ['BOOTSTRAP_TEST_KEY', 'test'],
    ] as const) {
      const message = refusalOf({ [name]: `svc_${kind}_pub_0123456789abcdef` });
      assert.match(message, new RegExp(`^${name} must not be a publishable key`));
    }
  });

  it('an issuer of OpenID Connect has https, but on this machine', () => {
    const read = (issuer: string) =>
      readConfig({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'links', OIDC_CLIENT_SECRET: 'hidden' }).oidc?.issuer;
    for (const issuer of [
      ...['http://accounts.example.com', 'HTTP://accounts.example.com', 'http://10.0.0.1', 'http://0.0.0.0'],
      ...['http://127.0.0.1.evil.test', 'http://localhost.evil.test', 'http://[::2]', 'http://128.0.0.1'],
    ])
      assert.throws(() => read(issuer), /^StartError: OIDC_ISSUER must be an https address/, issuer);
    for (const issuer of [
      ...[
        'https://accounts.example.com/',
        'http://127.0.0.1:9000',
        'http://localhost:9000',
        'http://[::1]:9000',
      ],
    ])
      assert.equal(read(issuer), issuer);
  });
});

/** The message of the refusal; fails where the settings are accepted. */
function refusalOf(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof StartError);
    return error.message;
  }
  assert.fail(`${JSON.stringify(env)} was accepted`);
}

describe('settings of scheduled backups', () => {
  const backup = { BACKUP_DIR: '/backups' };
  it('have defaults', () => {
    assert.deepEqual(readConfig(backup).backup, { dir: '/backups', atMinutes: 120, keepDays: 14 });
    assert.deepEqual(readConfig({ ...backup, BACKUP_AT: '23:59', BACKUP_KEEP_DAYS: '1' }).backup, {
      ...{ dir: '/backups', atMinutes: 1_439, keepDays: 1 },
    });
  });
  for (const [wrong, says] of [
    [{ BACKUP_AT: '24:00' }, /^BACKUP_AT must be a time of the day in UTC such as 02:00, not “24:00”\.$/],
    [{ BACKUP_AT: '2' }, /^BACKUP_AT must/],
    [{ BACKUP_KEEP_DAYS: '0' }, /^BACKUP_KEEP_DAYS must be a whole number from 1/],
    [
      { ...SECRET, DATABASE_URL: 'postgres://u:p@127.0.0.1/x' },
      /^BACKUP_DIR is for the SQLite file: .*pg_dump/,
    ],
  ] as const)
    it(`refuse ${Object.keys(wrong).join(', ')}`, () => {
      assert.match(refusalOf({ ...backup, ...wrong }), says);
    });
});
