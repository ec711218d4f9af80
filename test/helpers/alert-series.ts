/** Series of services, as Prometheus' tests of rules write them, a sample each minute. */

export const MINUTES_OF_DAY = 1_440;
const OTHER_INSTANCE = 'b:8080';
export const INSTANCE = 'a:8080';

type Values = Readonly<Record<string, string>>;

interface Series {
  readonly series: string;
  readonly values: string;
}

const REQUESTS = 'throughline_http_request_duration_seconds';

/**
 * Of a process that does well for a day and starts anew in the middle of it: counters begin at 0, what has not happened is
 * absent, and one or two scrapes fail.
 */
function healthy(instance: string): Series[] {
  const half = MINUTES_OF_DAY / 2;
  const constant = (value: number) => `${value}x${MINUTES_OF_DAY}`;
  const counted = (perMinute: number) => `0+${perMinute}x${half - 1} _ 0+${perMinute}x${half}`;
  const of = (name: string, labels: Values = {}) => {
    const all = { ...labels, instance, job: 'throughline' };
    const text = Object.entries(all).map(([label, value]) => `${label}="${value}"`);
    return `${name}{${text.join(',')}}`;
  };
  const tap = { method: 'GET', route: '/l/:shortCode', status: '302' };
  const values: Values = {
    [of('up')]: `1x${half - 1} 0 1x${half}`,
    [of('process_start_time_seconds')]: `0x${half - 1} _ ${half * 60}x${half}`,
    [of('throughline_build_info', { version: '0.1.0', engine: 'postgres', node: '24.0.0' })]: constant(1),
    [of('throughline_database_up')]: constant(1),
    [of('throughline_migrations_known')]: constant(38),
    [of('throughline_migrations_applied')]: constant(38),
    [of(`${REQUESTS}_count`, tap)]: counted(600),
    [of(`${REQUESTS}_count`, { ...tap, route: '/v1/sdk/install', status: '200' })]: counted(60),
    // Of what a restart of the database or a proxy costs now and then.
    [of(`${REQUESTS}_count`, { ...tap, route: '/v1/sdk/install', status: '503' })]: counted(1),
    [of(`${REQUESTS}_count`, { ...tap, route: '/readyz', status: '503' })]: counted(6),
    ...Object.fromEntries(
      ['0.001', '0.005', '0.25', '1', '+Inf'].map((le, index) => [
        of(`${REQUESTS}_bucket`, { ...tap, le }),
        counted([200, 590, 599, 600, 600][index] ?? 0),
      ]),
    ),
    [of('throughline_clicks_lost_total')]: constant(0),
    [of('throughline_clicks_behind_seconds')]: `0 0.1 0 0 3 0 0.2 0x${MINUTES_OF_DAY - 7}`,
    [of('throughline_disk_free_bytes')]: `${50e9}-${10e6}x${MINUTES_OF_DAY}`,
    [of('throughline_disk_reserve_bytes')]: constant(2 ** 30),
    [of('throughline_database_connection_waiters')]: `0 4 0 0 1 0x${MINUTES_OF_DAY - 5}`,
    // Receivers fail all the time, but most take what they get.
    [of('throughline_webhook_attempts_total', { outcome: 'delivered' })]: counted(40),
    [of('throughline_webhook_attempts_total', { outcome: 'failed' })]: counted(8),
    [of('throughline_webhook_attempts_total', { outcome: 'paused' })]: counted(20),
    [of('throughline_webhook_attempts_overdue_seconds', {
      kind: 'webhook',
    })]: `0 0 2 0 40 0x${MINUTES_OF_DAY - 5}`,
    [of('throughline_loop_runs_total', { loop: 'retention' })]: counted(1),
    [of('throughline_loop_failures_total', { loop: 'retention' })]: `0x300 0+1x5 5x${MINUTES_OF_DAY - 306}`,
    [of('throughline_retention_waiting')]: constant(0),
    // Every hour, by one of the processes.
    [of('throughline_retention_last_run_timestamp_seconds')]:
      instance === INSTANCE ? `0+60x${half - 1} _ _ ${half * 60}+60x${half - 1}` : `_x${MINUTES_OF_DAY}`,
    [of('throughline_erasures_oldest_age_seconds')]: `0 30 60 0x${MINUTES_OF_DAY - 3}`,
    [of('throughline_click_journal_damaged_segments')]: constant(0),
    [of('throughline_problem', { code: 'association.ios_missing' })]: constant(1),
  };
  return Object.entries(values).map(([series, text]) => ({ series, values: text }));
}

/** Two processes that do well for a day. */
export function healthyDay(): Series[] {
  const backup = `throughline_backup_last_success_timestamp_seconds{instance="${INSTANCE}",job="throughline"}`;
  return [
    ...healthy(INSTANCE),
    ...healthy(OTHER_INSTANCE),
    { series: backup, values: `0x${MINUTES_OF_DAY}` },
  ];
}

/** The healthy day with other values for some series: by the part of their name that is theirs alone. */
export function dayWith(faults: Values): Series[] {
  const day = healthyDay();
  return Object.entries(faults).reduce((series, [part, values]) => {
    const own = series.filter(({ series: name }) => name.includes(INSTANCE));
    const named = own.filter(({ series: name }) => name.startsWith(part));
    const found = named.length > 0 ? named : own.filter(({ series: name }) => name.includes(part));
    if (found.length !== 1) throw new Error(`${part} is in ${found.length} series`);
    return series.map((each) => (each === found[0] ? { ...each, values } : each));
  }, day);
}
