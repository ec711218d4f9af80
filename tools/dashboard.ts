/** Writes the dashboard for Grafana: `npm run dashboard`. */
import { writeFileSync } from 'node:fs';
import {
  type Dashboard,
  DashboardBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

export const DASHBOARD_FILE = 'deploy/monitoring/dashboard.json';

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
/** Of the processes that are chosen. */
const HERE = 'job="throughline",instance=~"$instance"';
const TAPS = 'route=~"/l/:shortCode|/:path"';
/** Without probes and scrapes. */
const CALLS = 'route!~"/readyz|/healthz|/metrics"';
const REQUESTS = 'throughline_http_request_duration_seconds';
const COLUMNS = 24;
/** Queries of a panel are A, B and so on. */
const A = 'A'.charCodeAt(0);

type Query = readonly [expression: string, legend: string];

interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly unit: string;
  readonly queries: readonly Query[];
  readonly min?: number;
  readonly isStat?: boolean;
}

const rate = (metric: string, labels = '') =>
  `rate(${metric}{${HERE}${labels && `,${labels}`}}[$__rate_interval])`;
const quantile = (share: number, metric: string, { labels = '', by = '' } = {}) =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (${rate(`${metric}_bucket`, labels)}))`;

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  'At a glance': [
    { title: 'Processes', unit: 'none', isStat: true, queries: [[`sum(up{${HERE}})`, 'up']] },
    {
      title: 'Alerts',
      unit: 'none',
      isStat: true,
      queries: [['count(ALERTS{alertname=~"Throughline.*",alertstate="firing"}) or vector(0)', 'firing']],
    },
    {
      title: 'Answers of 500 and above',
      unit: 'percentunit',
      isStat: true,
      queries: [
        [
          `(sum(${rate(`${REQUESTS}_count`, `status=~"5..",${CALLS}`)}) or vector(0)) / sum(${rate(`${REQUESTS}_count`, CALLS)})`,
          'share',
        ],
      ],
    },
    {
      title: 'Redirects in 95 of 100 within',
      unit: 's',
      isStat: true,
      queries: [[quantile(0.95, REQUESTS, { labels: TAPS }), 'p95']],
    },
    {
      title: 'Oldest click not stored',
      unit: 's',
      isStat: true,
      queries: [[`max(throughline_clicks_behind_seconds{${HERE}})`, 'age']],
    },
    {
      title: 'Last backup',
      unit: 's',
      isStat: true,
      description: 'Age; of SQLite alone',
      queries: [[`time() - max(throughline_backup_last_success_timestamp_seconds{${HERE}})`, 'age']],
    },
  ],
  Records: [
    {
      title: 'Clicks',
      unit: 'cps',
      min: 0,
      queries: [
        [`sum by (visitor) (${rate('throughline_clicks_recorded_total')})`, '{{visitor}}'],
        [`sum(${rate('throughline_clicks_lost_total')})`, 'lost'],
      ],
    },
    {
      title: 'Installs',
      unit: 'cps',
      min: 0,
      queries: [[`sum by (method) (${rate('throughline_installs_recorded_total')})`, '{{method}}']],
    },
    {
      title: 'Opens',
      unit: 'cps',
      min: 0,
      queries: [[`sum by (method) (${rate('throughline_opens_recorded_total')})`, '{{method}}']],
    },
    {
      title: 'Events',
      unit: 'cps',
      min: 0,
      queries: [[`sum(${rate('throughline_events_recorded_total')})`, 'events']],
    },
  ],
  Answers: [
    {
      title: 'Requests by status',
      unit: 'reqps',
      min: 0,
      queries: [[`sum by (status) (${rate(`${REQUESTS}_count`)})`, '{{status}}']],
    },
    {
      title: 'Answers of 500 and above by route',
      unit: 'reqps',
      min: 0,
      queries: [
        [
          `sum by (route, status) (${rate(`${REQUESTS}_count`, 'status=~"5.."')}) > 0`,
          '{{status}} {{route}}',
        ],
      ],
    },
    {
      title: 'Redirects',
      unit: 's',
      min: 0,
      queries: [
        [quantile(0.5, REQUESTS, { labels: TAPS }), 'half'],
        [quantile(0.95, REQUESTS, { labels: TAPS }), '95 of 100'],
        [quantile(0.99, REQUESTS, { labels: TAPS }), '99 of 100'],
      ],
    },
    {
      title: 'Slowest routes, 95 of 100',
      unit: 's',
      min: 0,
      queries: [[`topk(8, ${quantile(0.95, REQUESTS, { by: 'route' })} > 0)`, '{{route}}']],
    },
    {
      title: 'Refused by rate limits',
      unit: 'reqps',
      min: 0,
      queries: [[`sum by (limit) (${rate('throughline_rate_limited_total')}) > 0`, '{{limit}}']],
    },
    {
      title: 'Refused by other limits',
      unit: 'cps',
      min: 0,
      queries: [
        [
          `sum(${rate('throughline_installs_over_daily_bound_total')}) or vector(0)`,
          'installs of an address',
        ],
        [`sum(${rate('throughline_events_over_daily_bound_total')}) or vector(0)`, 'events of an address'],
        [`sum(${rate('throughline_share_links_over_daily_bound_total')}) or vector(0)`, 'share links'],
        [`sum(${rate('throughline_request_bodies_refused_total')}) or vector(0)`, 'bodies'],
        [`sum(${rate('throughline_click_waits_refused_total')}) or vector(0)`, 'waits for clicks'],
      ],
    },
  ],
  'Clicks on their way': [
    {
      title: 'Disk writes',
      unit: 's',
      min: 0,
      description: 'Synchronous writes of the journal: each tap waits for one',
      queries: [
        [quantile(0.5, 'throughline_click_journal_write_duration_seconds'), 'half'],
        [quantile(0.99, 'throughline_click_journal_write_duration_seconds'), '99 of 100'],
      ],
    },
    {
      title: 'Not stored yet',
      unit: 's',
      min: 0,
      queries: [[`throughline_clicks_behind_seconds{${HERE}}`, '{{instance}}']],
    },
    {
      title: 'Journal',
      unit: 'bytes',
      min: 0,
      queries: [[`throughline_click_journal_bytes{${HERE}}`, '{{instance}}']],
    },
    {
      title: 'Storing',
      unit: 's',
      min: 0,
      queries: [[quantile(0.95, 'throughline_clicks_apply_duration_seconds'), '95 of 100']],
    },
    {
      title: 'Failures to store',
      unit: 'cps',
      min: 0,
      queries: [[`sum(${rate('throughline_clicks_apply_failures_total')})`, 'failures']],
    },
    {
      title: 'Apps stored apart',
      unit: 'none',
      min: 0,
      queries: [
        [`sum(throughline_click_lanes{${HERE}})`, 'lanes'],
        [`sum(throughline_clicks_failing_apps{${HERE}})`, 'failing'],
      ],
    },
  ],
  Deliveries: [
    {
      title: 'Attempts',
      unit: 'cps',
      min: 0,
      queries: [[`sum by (outcome) (${rate('throughline_webhook_attempts_total')})`, '{{outcome}}']],
    },
    {
      title: 'Waiting',
      unit: 'none',
      min: 0,
      queries: [[`max by (kind) (throughline_webhook_attempts_waiting{${HERE}})`, '{{kind}}']],
    },
    {
      title: 'First one overdue for',
      unit: 's',
      min: 0,
      queries: [[`max by (kind) (throughline_webhook_attempts_overdue_seconds{${HERE}})`, '{{kind}}']],
    },
  ],
  Database: [
    {
      title: 'Statements, 95 of 100',
      unit: 's',
      min: 0,
      queries: [
        [
          quantile(0.95, 'throughline_database_statement_duration_seconds', { by: 'operation' }),
          '{{operation}}',
        ],
      ],
    },
    {
      title: 'Statements',
      unit: 'ops',
      min: 0,
      queries: [
        [
          `sum by (operation) (${rate('throughline_database_statement_duration_seconds_count')})`,
          '{{operation}}',
        ],
      ],
    },
    {
      title: 'Connections',
      unit: 'none',
      min: 0,
      description: 'PostgreSQL alone',
      queries: [
        [`sum by (state) (throughline_database_connections{${HERE}})`, '{{state}}'],
        [`sum(throughline_database_connection_waiters{${HERE}})`, 'waiting calls'],
      ],
    },
    {
      title: 'Size',
      unit: 'bytes',
      min: 0,
      queries: [[`max(throughline_database_bytes{${HERE}})`, 'database']],
    },
    {
      title: 'Erasures that wait',
      unit: 'none',
      min: 0,
      queries: [[`max(throughline_erasures_waiting{${HERE}})`, 'requests']],
    },
    {
      title: 'Counts not in the statistics',
      unit: 'none',
      min: 0,
      queries: [[`max(throughline_counts_waiting{${HERE}})`, 'rows']],
    },
  ],
  'Processes and tasks': [
    {
      title: 'Event loop, 99 of 100',
      unit: 's',
      min: 0,
      queries: [[`nodejs_eventloop_lag_p99_seconds{${HERE}}`, '{{instance}}']],
    },
    {
      title: 'Processor',
      unit: 'percentunit',
      min: 0,
      queries: [[rate('process_cpu_seconds_total'), '{{instance}}']],
    },
    {
      title: 'Memory',
      unit: 'bytes',
      min: 0,
      queries: [[`process_resident_memory_bytes{${HERE}}`, '{{instance}}']],
    },
    {
      title: 'Free disk',
      unit: 'bytes',
      min: 0,
      queries: [
        [`throughline_disk_free_bytes{${HERE}}`, '{{instance}}'],
        [`throughline_disk_reserve_bytes{${HERE}}`, 'reserve of {{instance}}'],
      ],
    },
    {
      title: 'Connections of clients',
      unit: 'none',
      min: 0,
      queries: [[`sum by (instance) (throughline_http_connections{${HERE}})`, '{{instance}}']],
    },
    {
      title: 'Build',
      unit: 'none',
      min: 0,
      queries: [
        [
          `sum by (version, engine, node) (throughline_build_info{${HERE}})`,
          '{{version}}, {{engine}}, Node {{node}}',
        ],
      ],
    },
    {
      title: 'Failures of background tasks',
      unit: 'cps',
      min: 0,
      queries: [[`sum by (loop) (${rate('throughline_loop_failures_total')}) > 0`, '{{loop}}']],
    },
    {
      title: 'Warnings and errors that go on',
      unit: 'none',
      min: 0,
      queries: [[`sum by (condition) (throughline_conditions_open{${HERE}})`, '{{condition}}']],
    },
    {
      title: 'Problems of the health',
      unit: 'none',
      min: 0,
      queries: [[`max by (code) (throughline_problem{${HERE}})`, '{{code}}']],
    },
  ],
};

export function buildDashboard(): Dashboard {
  const dashboard = new DashboardBuilder('Throughline')
    .uid('throughline')
    .description('docs/guide/monitoring.md of Throughline')
    .tags(['throughline'])
    .time({ from: 'now-6h', to: 'now' })
    .refresh('30s')
    .timezone('browser')
    .tooltip(1)
    .withVariable(new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'))
    .withVariable(
      new QueryVariableBuilder('instance')
        .label('Process')
        .datasource(SOURCE)
        .query('label_values(throughline_build_info{job="throughline"}, instance)')
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .multi(true)
        .includeAll(true)
        .allValue('.*'),
    );
  for (const [title, panels] of Object.entries(ROWS)) {
    dashboard.withRow(new RowBuilder(title));
    for (const panel of panels) dashboard.withPanel(toPanel(panel));
  }
  return dashboard.build();
}

function toPanel({ title, description, unit, queries, min, isStat = false }: Panel) {
  const panel = isStat
    ? new StatBuilder().span(COLUMNS / 6).height(4)
    : new TimeSeriesBuilder().span(COLUMNS / 3).height(7);
  panel.title(title).unit(unit).datasource(SOURCE);
  if (description !== undefined) panel.description(description);
  if (min !== undefined) panel.min(min);
  for (const [index, [expression, legend]] of queries.entries())
    panel.withTarget(
      new DataqueryBuilder()
        .expr(expression)
        .legendFormat(legend)
        .refId(String.fromCharCode(A + index)),
    );
  return panel;
}

export function dashboardText(): string {
  return `${JSON.stringify(buildDashboard(), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(DASHBOARD_FILE, dashboardText());
