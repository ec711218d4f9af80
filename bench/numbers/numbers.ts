/** Statistics, lists and exports with many records against few, on both databases. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Load, LoadOrder, LoadResult } from '../lib/load.ts';
import { machine, percentile, table, whole } from '../lib/markdown.ts';
import { startPostgres } from '../lib/postgres.ts';
import type { Service } from '../lib/service.ts';
import { startWorker } from '../lib/worker.ts';
import type { Size } from './fill-days.ts';
import { ENGINES, FEW, LINKS, MANY, type Subject, scaled, startSubject } from './subject.ts';

const GROUPS = [
  'link',
  'campaign',
  'platform',
  'method',
  'country',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'eventName',
  'platformVersion',
  'appVersion',
  'visitor',
];
const LISTS = ['clicks', 'installs', 'opens', 'events'];
const PAGES = 100;
const CONNECTIONS = 64;

type Lines = string[][];

export async function benchNumbers({
  isQuick,
  clicks,
  engine: only,
}: {
  isQuick: boolean;
  clicks: number | null;
  engine: string | null;
}): Promise<string> {
  const share = (clicks ?? (isQuick ? FEW.clicks * 2 : MANY.clicks)) / MANY.clicks;
  const many = scaled(MANY, share);
  const repeats = isQuick ? 5 : 40;
  await using load = await startWorker<LoadOrder, LoadResult>('lib/load.ts');
  await using postgres = await startPostgres();
  const stats: Lines = [];
  const lists: Lines = [];
  const exports: Lines = [];
  for (const engine of ['SQLite', 'PostgreSQL']) {
    if (only !== null && only !== ENGINES[engine]) continue;
    console.error(`${engine}: filling`);
    const start = async (name: string, size: Size) =>
      await startSubject(engine === 'SQLite' ? null : await postgres.createDatabase(name), size);
    const small = await start('few', scaled(FEW, isQuick ? 0.1 : 1));
    const large = await start('many', many);
    stats.push(...(await measureStats(engine, { small, large }, repeats)));
    lists.push(...(await measureLists(engine, large, repeats)));
    exports.push(await measureExport(engine, large, load, isQuick));
    for (const { service } of [small, large]) await service[Symbol.asyncDispose]();
  }
  return report({ many, postgresVersion: postgres.version, stats, lists, exports });
}

/** @returns the milliseconds and the text. */
async function get(service: Service, key: string, path: string): Promise<{ ms: number; text: string }> {
  const startedMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { 'x-api-key': key } });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status} of GET ${path}: ${text}`);
  return { ms: performance.now() - startedMs, text };
}

/** In turns, so that a disturbance of the machine affects both. */
async function measureStats(
  engine: string,
  { small, large }: { small: Subject; large: Subject },
  repeats: number,
): Promise<Lines> {
  const lines: Lines = [];
  for (const query of [
    '',
    ...GROUPS.map((groupBy) => `&groupBy=${groupBy}`),
    '&groupBy=country&campaignId=campaign%201',
    '&groupBy=campaign,link,country,referrer,utmSource,platform&sort=payingInstalls',
    '&groupBy=campaign&country=DE',
    '&groupBy=link&country=DE',
  ]) {
    const path = `/v1/stats?timezone=Europe/Berlin${query}`;
    const [fewKey, manyKey] = [await small.newKey(), await large.newKey()];
    const few: number[] = [];
    const many: number[] = [];
    for (let n = 0; n < repeats + 3; n++) {
      const [a, b] = [await get(small.service, fewKey, path), await get(large.service, manyKey, path)];
      if (n >= 3) few.push(a.ms);
      if (n >= 3) many.push(b.ms);
    }
    const [p95Few, p95Many] = [percentile(few, 0.95), percentile(many, 0.95)];
    lines.push([
      engine,
      query.slice(1) || 'no groups',
      ms(p95Many),
      ms(p95Few),
      (p95Many / p95Few).toFixed(2),
    ]);
  }
  return lines;
}

async function measureLists(engine: string, { service, newKey }: Subject, repeats: number): Promise<Lines> {
  const lines: Lines = [];
  for (const kind of LISTS)
    for (const filter of ['', '&shortCode=numbers-0', '&platform=IOS&country=DE']) {
      const key = await newKey();
      const path = `/v1/${kind}?limit=50${filter}`;
      let last: string | undefined;
      let page = 1;
      for (; page < PAGES; page++) {
        const { text } = await get(service, key, path + (last === undefined ? '' : `&before=${last}`));
        const items = JSON.parse(text) as { id: string }[];
        if (items.length < 50) break;
        last = items.at(-1)?.id;
      }
      const timeOf = async (url: string) => {
        const times: number[] = [];
        for (let n = 0; n < repeats; n++) times.push((await get(service, key, url)).ms);
        return percentile(times, 0.95);
      };
      const [first, late] = [
        await timeOf(path),
        await timeOf(path + (last === undefined ? '' : `&before=${last}`)),
      ];
      lines.push([
        engine,
        `${kind}${filter}`,
        ms(first),
        `${ms(late)} (page ${page})`,
        (late / first).toFixed(2),
      ]);
    }
  return lines;
}

/** Redirects alone, then while one reader exports. */
async function measureExport(
  engine: string,
  { service, newKey }: Subject,
  load: Load,
  isQuick: boolean,
): Promise<string[]> {
  const pace = { warmUpMs: 500, measureMs: isQuick ? 1_500 : 5_000 };
  const key = await newKey();
  // Alone, for its own rate.
  const before = rssOf(service.pid);
  const alone = await exportFor(service, key, isQuick ? 2_000 : 10_000);
  const order = { ...pace, taps: 'redirects', port: service.port, connections: CONNECTIONS } as const;
  const run = async () =>
    (await load.run({ ...order, perSecond: null, maxRequests: Number.MAX_SAFE_INTEGER })).perSecond;
  const redirectsAlone = await run();
  await wait(2_000);
  const beside = exportFor(service, key, pace.warmUpMs + pace.measureMs + 1_000);
  const redirectsBeside = await run();
  await beside;
  return [
    engine,
    `${whole(alone.rowsPerSecond)}/s`,
    `${Math.round((alone.peakRss - before) / 2 ** 20)} MiB`,
    (redirectsBeside / redirectsAlone).toFixed(2),
  ];
}

async function exportFor(service: Service, key: string, forMs: number) {
  const startedMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${service.port}/v1/events`, {
    headers: { 'x-api-key': key, accept: 'text/csv' },
  });
  let rows = 0;
  let peakRss = 0;
  let sampledMs = 0;
  for await (const chunk of response.body ?? []) {
    for (const byte of chunk as Uint8Array) if (byte === 10) rows += 1;
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs - sampledMs > 100) {
      peakRss = Math.max(peakRss, rssOf(service.pid));
      sampledMs = elapsedMs;
    }
    if (elapsedMs > forMs) break;
  }
  const rowsPerSecond = rows / ((performance.now() - startedMs) / 1_000);
  await wait(500);
  return { rowsPerSecond, peakRss };
}

function rssOf(pid: number): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function report({
  many,
  postgresVersion,
  stats,
  lists,
  exports,
}: {
  many: Size;
  postgresVersion: string;
  stats: Lines;
  lists: Lines;
  exports: Lines;
}): string {
  return [
    machine(postgresVersion),
    '',
    `${whole(many.clicks)} clicks, ${whole(many.installs)} installs and ${whole(many.events)} events of ${whole(LINKS)} links over 89 days; few: ${whole(FEW.clicks)}, ${whole(FEW.installs)} and ${whole(FEW.events)}. Times are the 95th percentile of sequential requests.`,
    '',
    table(['Database', '`GET /v1/stats` of 30 days', 'Many', 'Few', 'Many / few'], stats),
    '',
    table(['Database', 'List', 'First page', 'Late page', 'Late / first'], lists),
    '',
    table(['Database', 'CSV of events', 'More memory', 'Redirects beside it / alone'], exports),
    '',
  ].join('\n');
}
