/** Alerts and dashboard with a real Prometheus that scrapes real services: faults that fire, and every query of the dashboard. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { buildDashboard } from '../../tools/dashboard.ts';
import { IPHONE, IPHONE_FINGERPRINT } from '../helpers/callers.ts';
import { fill, mountDisk, noDisk, unmount } from '../helpers/disks.ts';
import { blockOf } from '../helpers/documents/blocks.ts';
import { blocksFor } from '../helpers/documents/listed.ts';
import { runBlocks } from '../helpers/documents/shell.ts';
import { makePlace, type Place } from '../helpers/engines.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { Prometheus } from '../helpers/prometheus.ts';
import { lacks, promtool } from '../helpers/promtool.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../helpers/webhook-receiver.ts';
import { callServer } from '../helpers/webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const METRICS_TOKEN = 'a token for Prometheus alone';
const ENV = {
  ...RECEIVER_ENV,
  BOOTSTRAP_LIVE_KEY: KEY,
  METRICS_TOKEN,
  SECRET_KEY: 'one secret for both services',
  LOG_LEVEL: 'fatal',
};
/** No fault, or none of what the load does. */
const SILENT: readonly string[] = [
  'Answers of 500 and above by route',
  'Refused by rate limits',
  'Failures of background tasks',
  'Warnings and errors that go on',
  'Problems of the health',
];

const expressions = (buildDashboard().panels as { title?: string; targets?: { expr: string }[] }[]).flatMap(
  ({ title = '', targets = [] }) => targets.map(({ expr }) => ({ title, expr })),
);

describe('the dashboard', { skip: lacks('promtool') }, () => {
  it('has queries that Prometheus takes as rules', () => {
    const rules = expressions.map(({ expr }, index) => ({ record: `panel:${index}`, expr: chosen(expr) }));
    const said = promtool(['check', 'rules'], { groups: [{ name: 'dashboard', rules }] });
    assert.match(said, new RegExp(`${rules.length} rules found`));
  });
});

describe('the configuration of the guide', { skip: lacks('promtool') }, () => {
  it('is one that Prometheus loads, with the rules beside it', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-prometheus-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const { text } = blockOf('docs/guide/monitoring.md', 'rule_files:');
    writeFileSync(join(folder, 'prometheus.yml'), text.replace('/etc/prometheus', folder));
    writeFileSync(join(folder, 'throughline-token'), METRICS_TOKEN);
    copyFileSync('deploy/monitoring/alerts.yml', join(folder, 'alerts.yml'));
    const placeholders = [['/etc/prometheus', folder]] as const;
    const [ran] = await runBlocks(blocksFor('test/ship/monitoring.test.ts'), {
      cwd: folder,
      env: {},
      placeholders,
    });
    assert.match(ran?.output ?? '', /SUCCESS: 18 rules found/);
  });
});

describe('monitoring', { skip: lacks('prometheus', 'promtool') || noDisk, timeout: 240_000 }, () => {
  const receiver = useReceiver();
  const places: Place[] = [];
  let [disk, code] = ['', ''];
  let proxy: TcpProxy;
  let onPostgres: RunningServer;
  let onDisk: RunningServer;
  let prometheus: Prometheus;
  let load: NodeJS.Timeout;
  let answer = () => 200;

  before(async () => {
    const [postgres, sqlite] = [await makePlace('postgres'), await makePlace('sqlite', { isEmpty: true })];
    places.push(postgres, sqlite);
    proxy = await TcpProxy.open(postgres.databaseUrl ?? '');
    disk = mountDisk();
    onPostgres = await startServer(postgres, {
      ...ENV,
      DATABASE_URL: proxy.through(postgres.databaseUrl ?? ''),
    });
    onDisk = await startServer(sqlite, { ...ENV, DATA_DIR: disk });
    prometheus = await Prometheus.open({
      targets: [onPostgres, onDisk].map(({ url }) => new URL(url).host),
      metricsToken: METRICS_TOKEN,
    });
    const hook = receiver.newHook(() => answer());
    const webhook = { url: hook.url, secret: 'generate', events: ['install.organic'] };
    for (const server of [onPostgres, onDisk])
      await callServer(server, KEY, ['POST', '/v1/webhooks', webhook]);
    code = await makePlayLink(onPostgres.url, KEY);
    const codeOnDisk = await makePlayLink(onDisk.url, KEY);
    load = setInterval(() => {
      void use(onPostgres, code);
      void use(onDisk, codeOnDisk);
    }, 100);
  });
  after(async () => {
    clearInterval(load);
    await prometheus?.close();
    await onPostgres?.end('SIGKILL');
    await onDisk?.end('SIGKILL');
    await proxy?.cut();
    for (const place of places) await place.remove();
    unmount(disk);
  });

  it('fires nothing while two services take taps and installs, and one of them makes a backup', async () => {
    writeBackup(new Date().toISOString());
    await waitFor('samples', async () => {
      const [taps] = await prometheus.query('min(count_over_time(throughline_build_info[60s]))');
      return (taps?.value ?? 0) >= 20 || undefined;
    });
    assert.deepEqual(await prometheus.firing(), []);
  });

  it('has an answer to every query of the dashboard', async () => {
    const empty: string[] = [];
    for (const { title, expr } of expressions) {
      const samples = await prometheus.query(chosen(expr));
      if (process.env.SHOW_QUERIES === '1')
        for (const { metric, value } of samples) console.log(title, JSON.stringify(metric), value);
      if (samples.length === 0 || samples.some(({ value }) => Number.isNaN(value))) empty.push(title);
    }
    assert.deepEqual(
      [...new Set(empty)].filter((title) => !SILENT.includes(title)),
      [],
    );
  });

  it('fires when a receiver answers 500, the last backup is nine days old, and a newer version has migrated the database', async () => {
    answer = () => 500;
    writeBackup(new Date(Date.now() - 9 * 86_400_000).toISOString());
    const client = new pg.Client(places[0]?.databaseUrl ?? '');
    await client.connect();
    await client.query(`insert into schema_migrations values ('9999_later', now()::text)`);
    await prometheus.fires('ThroughlineWebhooksFailing');
    await prometheus.fires('ThroughlineBackupOld');
    await prometheus.fires('ThroughlineVersionsDiffer');
    await client.query(`delete from schema_migrations where name = '9999_later'`);
    await client.end();
    answer = () => 200;
  });

  it('fires ThroughlineDatabaseAway, ThroughlineClicksBehind and ThroughlineServerErrors when PostgreSQL is gone', async () => {
    await proxy.cut();
    await prometheus.fires('ThroughlineDatabaseAway');
    await prometheus.fires('ThroughlineClicksBehind');
    await prometheus.fires('ThroughlineServerErrors');
    await proxy.restore();
    const [up] = await waitFor('the database', async () => {
      const samples = await prometheus.query('min(throughline_database_up)');
      return samples[0]?.value === 1 ? samples : undefined;
    });
    assert.equal(up?.value, 1);
  });

  it('fires ThroughlineDiskLow when the disk is nearly full, and ThroughlineClicksLost when taps are not recorded', async () => {
    fill(disk, 100);
    await prometheus.fires('ThroughlineDiskLow');
    fill(disk, 10);
    await prometheus.fires('ThroughlineClicksLost');
  });

  it('fires ThroughlineDown when a process is killed', async () => {
    await onDisk.end('SIGKILL');
    await prometheus.fires('ThroughlineDown');
  });

  function writeBackup(at: string): void {
    writeFileSync(join(disk, 'last-backup.json'), JSON.stringify({ at, folder: '/backup' }));
    assert.match(readFileSync(join(disk, 'last-backup.json'), 'utf8'), /folder/);
  }

  /** A tap, and an install that no click explains. */
  async function use({ url }: RunningServer, shortCode: string): Promise<void> {
    const ignore = () => undefined;
    await fetch(`${url}/l/${shortCode}`, { redirect: 'manual', headers: { 'user-agent': IPHONE } }).catch(
      ignore,
    );
    const body = JSON.stringify({ fingerprint: { ...IPHONE_FINGERPRINT, osVersion: '12.1' } });
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    await fetch(`${url}/v1/sdk/install`, { method: 'POST', headers, body }).catch(ignore);
  }
});

/** As Grafana asks for all processes. */
function chosen(expression: string): string {
  return expression.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '20s');
}
