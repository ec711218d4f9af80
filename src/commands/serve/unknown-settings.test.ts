import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SETTINGS } from '../../settings.ts';
import { describeUnknown } from './unknown-settings.ts';

describe('a misspelt setting', () => {
  for (const [name, meant] of [
    ['TRUSTPROXY', 'TRUST_PROXY'],
    ['trust_proxy', 'TRUST_PROXY'],
    ['TURST_PROXY', 'TRUST_PROXY'],
    ['TRUST-PROXY', 'TRUST_PROXY'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PUBLIC_URLS', 'PUBLIC_URL'],
    ['CLICK_RETENTION_DAY', 'CLICK_RETENTION_DAYS'],
    ['WEBHOOK_ALLOWED_CIDRS', 'WEBHOOK_ALLOW_CIDRS'],
  ] as const)
    it(`${name} is named with the setting that is meant, and without its value`, () => {
      assert.deepEqual(describeUnknown({ [name]: 'a secret' }, new Map()), [
        `There is no setting ${name}, and it has no effect. Set ${meant}`,
      ]);
    });

  it('has no line for the variables of a shell, of npm, a container, Kubernetes and clouds', () => {
    const env = Object.fromEntries(
      [
        ...[
          'HOSTNAME',
          'HOME',
          'PATH',
          'PWD',
          'OLDPWD',
          'SHLVL',
          'LANG',
          'LC_ALL',
          'TZ',
          'TERM',
          'EDITOR',
          'USER',
        ],
        ...[
          'MAIL',
          'LOGNAME',
          'PGHOST',
          'PGPORT',
          'PGDATABASE',
          'POSTGRES_PORT',
          'POSTGRES_URL',
          'REDIS_URL',
        ],
        ...[
          'NODE_ENV',
          'NODE_OPTIONS',
          'npm_config_cache',
          'npm_package_name',
          'INIT_CWD',
          'UV_THREADPOOL_SIZE',
        ],
        ...[
          'AWS_REGION',
          'KUBERNETES_PORT',
          'KUBERNETES_SERVICE_HOST',
          'THROUGHLINE_PORT',
          'THROUGHLINE_SERVICE_HOST',
        ],
        ...[
          'HTTP_PROXY',
          'https_proxy',
          'no_proxy',
          'SSH_CLIENT',
          'SSH_CONNECTION',
          'JOURNAL_STREAM',
          'INVOCATION_ID',
        ],
        ...[
          'LISTEN_FDS',
          'NOTIFY_SOCKET',
          'SYSTEMD_EXEC_PID',
          'STATE_DIRECTORY',
          'LOGS_DIRECTORY',
          'WORKERS',
        ],
      ].map((name) => [name, '1']),
    );
    assert.deepEqual(describeUnknown(env, new Map()), []);
  });

  it('of OpenTelemetry is its own affair, but for a slip of the one that switches it on', () => {
    const names = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_ENPOINT'];
    const env = Object.fromEntries(names.map((name) => [name, '1']));
    assert.deepEqual(describeUnknown(env, new Map(names.map((name) => [name, '.env']))), [
      'There is no setting OTEL_EXPORTER_OTLP_ENPOINT, and it has no effect. Set OTEL_EXPORTER_OTLP_ENDPOINT',
    ]);
  });

  it('in .env is named whatever it is, and every setting is accepted', () => {
    const names = Object.keys(SETTINGS);
    const env = Object.fromEntries([...names, 'TRUSTPROXY', 'COLOUR'].map((name) => [name, '1']));
    const inFiles = new Map([...names, 'COLOUR', 'TRUSTPROXY'].map((name) => [name, '.env']));
    assert.deepEqual(describeUnknown(env, inFiles), [
      'There is no setting TRUSTPROXY, and it has no effect. Set TRUST_PROXY',
      '.env has names that are no settings: COLOUR. See docs/reference/settings.md',
    ]);
  });
});
