/** A real Prometheus that scrapes services each second and evaluates the alert rules at once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { RULES } from './promtool.ts';
import { waitFor } from './wait-for.ts';

interface Options {
  /** Host and port of each service. */
  readonly targets: readonly string[];
  readonly metricsToken: string;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Prometheus {
  readonly #url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.#url = url;
    this.#child = child;
    this.#folder = folder;
  }

  static async open({ targets, metricsToken }: Options): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-prometheus-'));
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
    write('token', `${metricsToken}\n`);
    write('alerts.yml', quickened(readFileSync(RULES, 'utf8')));
    const scrape = {
      job_name: 'throughline',
      authorization: { credentials_file: join(folder, 'token') },
      static_configs: [{ targets }],
    };
    write(
      'prometheus.yml',
      JSON.stringify({
        global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
        rule_files: ['alerts.yml'],
        scrape_configs: [scrape],
      }),
    );
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    const prometheus = new Prometheus(`http://${address}`, child, folder);
    await waitFor('Prometheus', () =>
      fetch(`http://${address}/-/ready`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    );
    return prometheus;
  }

  async query(expression: string): Promise<Sample[]> {
    const response = await fetch(`${this.#url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const { status, error, data } = (await response.json()) as {
      status: string;
      error?: string;
      data: { resultType: string; result: { metric: Sample['metric']; value: [number, string] }[] };
    };
    if (status !== 'success') throw new Error(`${expression}: ${error}`);
    return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  /** Names of the alerts that fire. */
  async firing(): Promise<string[]> {
    const alerts = await this.query('count by (alertname) (ALERTS{alertstate="firing"})');
    return alerts.map(({ metric }) => metric.alertname ?? '').sort();
  }

  async fires(alert: string): Promise<void> {
    await waitFor(alert, async () => (await this.firing()).includes(alert) || undefined, {
      withinMs: 60_000,
    });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#folder, { recursive: true });
  }
}

/** The rules with seconds for minutes: a test waits for no quarter of an hour. */
function quickened(rules: string): string {
  return rules
    .replaceAll(/for: \d+[mh]/g, 'for: 1s')
    .replaceAll(/\[\d+m\]/g, '[20s]')
    .replace('throughline_clicks_behind_seconds > 60', 'throughline_clicks_behind_seconds > 3');
}
