/** The alert rules in Prometheus' own tests: none fires in a healthy day, and each at its fault, in time and not before. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { dayWith, healthyDay, INSTANCE, MINUTES_OF_DAY } from '../helpers/alert-series.ts';
import { lacks, promtool, RULES } from '../helpers/promtool.ts';

interface Fault {
  readonly what: string;
  /** Values of series of the healthy day from its start. */
  readonly faults: Readonly<Record<string, string>>;
  /** Minutes after the start by which it fires, and at which it does not yet. */
  readonly fires: number;
  readonly quiet: number;
  readonly labels?: Readonly<Record<string, string>>;
}

const of = { instance: INSTANCE, job: 'throughline' };
const ticket = { severity: 'ticket' };
const page = { severity: 'page' };

const FAULTS: Readonly<Record<string, Fault>> = {
  ThroughlineDown: {
    what: 'a process is gone',
    faults: { 'up{': '1x10 0x30' },
    quiet: 12,
    fires: 14,
    labels: { ...of, ...page },
  },
  ThroughlineRestarting: {
    what: 'a process crashes again and again',
    faults: { 'process_start_time_seconds{': '0 60 120 180 240 300x60' },
    ...{ quiet: 2, fires: 5, labels: { ...of, ...page } },
  },
  ThroughlineDatabaseAway: {
    what: 'the database is away',
    faults: { 'throughline_database_up{': '1x5 0x30' },
    quiet: 6,
    fires: 8,
    labels: { ...of, ...page },
  },
  ThroughlineServerErrors: {
    what: 'every tenth request fails',
    faults: { 'route="/v1/sdk/install",status="503"': '0x10 0+200x60' },
    ...{ quiet: 11, fires: 25, labels: page },
  },
  ThroughlineClicksLost: {
    what: 'a tap is not recorded',
    faults: { 'throughline_clicks_lost_total{': '0x10 1x60' },
    quiet: 10,
    fires: 12,
    labels: { ...of, ...page },
  },
  ThroughlineClicksBehind: {
    what: 'clicks are not applied',
    faults: { 'throughline_clicks_behind_seconds{': '0x5 0+60x60' },
    quiet: 9,
    fires: 14,
    labels: { ...of, ...page },
  },
  ThroughlineDiskLow: {
    what: 'the disk is nearly full',
    faults: { 'throughline_disk_free_bytes{': `${50e9}x5 ${2e9}x60` },
    quiet: 9,
    fires: 12,
    labels: { ...of, ...page },
  },
  ThroughlineRedirectsSlow: {
    what: 'redirects take long',
    faults: { 'le="0.25"': '0+300x60', 'le="0.005"': '0+200x60', 'le="0.001"': '0+100x60' },
    ...{ quiet: 8, fires: 14, labels: ticket },
  },
  ThroughlineConnectionsShort: {
    what: 'calls wait for connections',
    faults: { 'connection_waiters{': '0x5 3x60' },
    quiet: 12,
    fires: 18,
    labels: { ...of, ...ticket },
  },
  ThroughlineWebhooksFailing: {
    what: 'deliveries fail',
    faults: { 'outcome="delivered"': '0x100', 'outcome="failed"': '0+100x100' },
    ...{ quiet: 14, fires: 20, labels: ticket },
  },
  ThroughlineDeliveriesLate: {
    what: 'deliveries wait',
    faults: { 'overdue_seconds{': '0+60x200' },
    quiet: 70,
    fires: 80,
    labels: { kind: 'webhook', ...ticket },
  },
  ThroughlineTaskFailing: {
    what: 'a background task fails each time',
    faults: { 'throughline_loop_runs_total{': '9x60', 'throughline_loop_failures_total{': '0+1x60' },
    ...{ quiet: 6, fires: 14, labels: { loop: 'retention', ...of, ...ticket } },
  },
  ThroughlineRetentionStopped: {
    what: 'nothing old is dropped',
    faults: { 'throughline_retention_last_run_timestamp_seconds{': `0x${MINUTES_OF_DAY}` },
    ...{ quiet: 470, fires: 490, labels: ticket },
  },
  ThroughlineErasureLate: {
    what: 'an erasure waits',
    faults: { 'erasures_oldest_age_seconds{': `${80_000}+60x300` },
    quiet: 160,
    fires: 175,
    labels: ticket,
  },
  ThroughlineBackupOld: {
    what: 'the last backup is old',
    faults: { throughline_backup_last: `-${8 * 86_400}x300` },
    quiet: 59,
    fires: 65,
    labels: { ...of, ...ticket },
  },
  ThroughlineJournalDamaged: {
    what: 'a segment is damaged',
    faults: { 'damaged_segments{': '0x5 1x60' },
    quiet: 9,
    fires: 12,
    labels: { ...of, ...ticket },
  },
  ThroughlineVersionsDiffer: {
    what: 'the database is migrated by another version',
    faults: { 'throughline_migrations_applied{': '39x200' },
    quiet: 59,
    fires: 62,
    labels: ticket,
  },
};

const PROBLEM = 'ThroughlineProblem';
/** Of the health, without an alert of their own. */
const PROBLEMS = [
  ...[
    'apple_ads.unreachable',
    'backup.failing',
    'database.node_away',
    'hosts.failing',
    'hosts.shared_failing',
    'secret.unknown',
  ],
  'webhooks.unsigned',
];

describe('the alert rules', { skip: lacks('promtool') }, () => {
  const rules = readFileSync(RULES, 'utf8');
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name ?? '');

  it('are well formed', () => {
    assert.match(promtool(['check', 'rules'], rules), new RegExp(`${names.length} rules found`));
  });

  it('fire not once in a healthy day of two processes, each with a restart', () => {
    test([{ series: healthyDay(), at: MINUTES_OF_DAY, expected: [] }]);
  });

  it('each has a fault here', () => {
    assert.deepEqual([...Object.keys(FAULTS), PROBLEM].sort(), [...names].sort());
  });

  for (const [alert, { what, faults, quiet, fires, labels = {} }] of Object.entries(FAULTS))
    it(`${alert} fires within ${fires} minutes when ${what}, and not in the first ${quiet}`, () => {
      const series = dayWith(faults);
      test([
        { series, at: quiet, only: alert, expected: [] },
        { series, at: fires, only: alert, expected: [{ alertname: alert, alertstate: 'firing', ...labels }] },
      ]);
    });

  it(`${PROBLEM} fires within 12 minutes when the health has a problem, and not in the first 9`, () => {
    test(
      PROBLEMS.flatMap((code) => {
        const labels = { alertname: PROBLEM, alertstate: 'firing', code, ...ticket };
        const added = {
          series: `throughline_problem{code="${code}",instance="${INSTANCE}"}`,
          values: '1x60',
        };
        const problem = { series: [...healthyDay(), added], only: PROBLEM };
        return [
          { ...problem, at: 9, expected: [] },
          { ...problem, at: 12, expected: [labels] },
        ];
      }),
    );
  });
});

describe('the alert rules', { skip: lacks('promtool') }, () => {
  const fired = (series: Case['series'], only: string, labels: Readonly<Record<string, string>>) =>
    test([
      { series, at: 600, only, expected: [{ alertname: only, alertstate: 'firing', ...ticket, ...labels }] },
    ]);
  const none = `_x${MINUTES_OF_DAY}`;

  it('tell of a retention that has failed each time since the start', () =>
    fired(
      dayWith({ 'throughline_retention_last_run_timestamp_seconds{': none }),
      'ThroughlineRetentionStopped',
      {},
    ));

  it('tell of scheduled backups that have failed since they were set up', () => {
    const failing = {
      series: 'throughline_problem{code="backup.failing",job="throughline"}',
      values: '1x700',
    };
    fired([...healthyDay(), failing], 'ThroughlineProblem', { code: 'backup.failing' });
  });

  it('are silent about three slow taps of a quiet night', () => {
    const name = 'throughline_http_request_duration_seconds_bucket';
    const series = Object.entries({
      '0.25': '9x60',
      '0.5': '9x10 10x4 11x4 12x40',
      '+Inf': '9x10 10x4 11x4 12x40',
    }).map(([le, values]) => ({ series: `${name}{route="/:path",job="throughline",le="${le}"}`, values }));
    for (const at of [20, 23, 25, 28]) test([{ series, at, only: 'ThroughlineRedirectsSlow', expected: [] }]);
  });
});

interface Case {
  readonly series: readonly { series: string; values: string }[];
  readonly at: number;
  readonly only?: string;
  readonly expected: readonly Readonly<Record<string, string>>[];
}

/** What has fired until then; with `only`, what fires then of one alert. */
function test(cases: readonly Case[]): void {
  promtool(['test', 'rules'], {
    rule_files: [resolve(RULES)],
    evaluation_interval: '1m',
    tests: cases.map(({ series, at, only, expected }) => ({
      interval: '1m',
      input_series: series,
      promql_expr_test: [
        {
          expr:
            only === undefined
              ? `count_over_time(ALERTS{alertstate="firing"}[${at}m])`
              : `ALERTS{alertstate="firing",alertname="${only}"}`,
          eval_time: `${at}m`,
          exp_samples: expected.map((labels) => ({
            labels: `ALERTS{${Object.entries(labels)
              .map(([name, value]) => `${name}="${value}"`)
              .join(',')}}`,
            value: 1,
          })),
        },
      ],
    })),
  });
}
