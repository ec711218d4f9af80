/** The numbers as Markdown, ready for `docs/benchmarks.md`. */
import type { CpuTime } from './cpu-time.ts';
import { machine, median, quietness, seconds, spread, table, whole } from './markdown.ts';
import type { Pace, Round, ServiceRound } from './rounds.ts';

export interface RedirectRounds {
  readonly engine: string;
  readonly connections: number;
  readonly links: number;
  /** `synced` is of the bare server that has a line of each request on disk first. */
  readonly rounds: { readonly bare: Round; readonly synced: Round; readonly ours: ServiceRound }[];
  /** Rounds at half of the rate that those came to. */
  readonly atHalf: AtHalf[];
}

export interface AtHalf {
  readonly ours: ServiceRound;
  readonly synced: Round;
}

export interface MemoryGrowth {
  readonly engine: string;
  readonly few: number;
  readonly fewMb: number;
  readonly many: number;
  readonly manyMb: number;
}

export interface Measured {
  readonly redirects: readonly RedirectRounds[];
  readonly memory: readonly MemoryGrowth[];
  readonly pace: Pace;
  readonly postgresVersion: string;
}

export function report({ redirects, memory, pace, postgresVersion }: Measured): string {
  return `${[
    machine(postgresVersion),
    method(redirects, pace),
    table(
      ['Database', 'Connections', 'Links', 'Ours / bare', 'Ours', 'Bare', 'p50', 'p99'],
      redirects.map(ratios),
    ),
    'The disk’s part: the same beside a bare server that has a line of each request on disk before it answers, and does nothing else; and the p99 of both at half of our rate:',
    table(
      [
        'Database',
        'Connections',
        'Links',
        'Ours / with a line on disk',
        'With a line on disk / bare',
        'Half of our rate',
        'p99, ours',
        'p99, with a line on disk',
      ],
      redirects.map(besideSynced),
    ),
    'Every redirect received is one row; what was not in the database yet when the load stopped:',
    table(
      [
        'Database',
        'Connections',
        'Links',
        'Redirects, each a row',
        'Behind',
        'Caught up after',
        'Oldest click waited',
      ],
      redirects.map(rows),
    ),
    'Processor time of one click: the event loop, the threads of the journal, SQLite’s thread or PostgreSQL’s processes, and V8’s own threads:',
    table(
      ['Database', 'Connections', 'Links', 'Event loop', 'Journal', 'Database', 'Engine'],
      redirects.map(costs),
    ),
    'Resident memory of a fresh service:',
    table(['Database', 'Clicks', 'Memory', 'Clicks', 'Memory', 'Growth'], memory.map(growth)),
  ].join('\n\n')}\n`;
}

function method(redirects: readonly RedirectRounds[], pace: Pace): string {
  const each = redirects.flatMap(({ rounds }) =>
    rounds.flatMap(({ bare, synced, ours }) => [bare, synced, ours.load]),
  );
  return [
    'Redirects: ours and a bare `node:http` server in turn, the same requests and one generator;',
    `${redirects[0]?.rounds.length} rounds of ${seconds(pace.measureMs)} after ${seconds(pace.warmUpMs)} of warm-up; medians, lowest and highest ratio in brackets.`,
    quietness(each),
  ].join('\n');
}

function ratios({ engine, connections, links, rounds }: RedirectRounds): string[] {
  const ratio = rounds.map(({ bare, ours }) => ours.load.perSecond / bare.perSecond);
  return [
    engine,
    String(connections),
    whole(links),
    spread(ratio),
    `${whole(median(rounds.map(({ ours }) => ours.load.perSecond)))}/s`,
    `${whole(median(rounds.map(({ bare }) => bare.perSecond)))}/s`,
    `${median(rounds.map(({ ours }) => ours.load.p50Ms)).toFixed(1)} ms`,
    `${median(rounds.map(({ ours }) => ours.load.p99Ms)).toFixed(1)} ms`,
  ];
}

function besideSynced({ engine, connections, links, rounds, atHalf }: RedirectRounds): string[] {
  return [
    engine,
    String(connections),
    whole(links),
    spread(rounds.map(({ synced, ours }) => ours.load.perSecond / synced.perSecond)),
    spread(rounds.map(({ bare, synced }) => synced.perSecond / bare.perSecond)),
    `${whole(median(atHalf.map(({ ours }) => ours.load.perSecond)))}/s`,
    p99Of(atHalf.map(({ ours }) => ours.load)),
    p99Of(atHalf.map(({ synced }) => synced)),
  ];
}

/** Such as `5.9 ms (4.7–15.4)`: the median, the lowest and the highest. */
function p99Of(rounds: readonly Round[]): string {
  const p99Ms = rounds.map((round) => round.p99Ms).sort((a, b) => a - b);
  const [lowest = Number.NaN, highest = Number.NaN] = [p99Ms[0], p99Ms.at(-1)];
  return `${median(p99Ms).toFixed(1)} ms (${lowest.toFixed(1)}–${highest.toFixed(1)})`;
}

/** The rows are known to be as many as the redirects: the rounds fail otherwise. */
function rows({ engine, connections, links, rounds }: RedirectRounds): string[] {
  const redirects = whole(rounds.reduce((sum, { ours }) => sum + ours.load.answers, 0));
  const behind = rounds.map(({ ours }) => ours.lag.rows);
  const afterMs = rounds.map(({ ours }) => ours.lag.ms);
  return [
    engine,
    String(connections),
    whole(links),
    redirects,
    `${whole(median(behind))} (at most ${whole(Math.max(...behind))})`,
    `${whole(median(afterMs))} ms (at most ${whole(Math.max(...afterMs))})`,
    `${whole(Math.max(...rounds.map(({ ours }) => ours.behindMs)))} ms at most`,
  ];
}

function costs({ engine, connections, links, rounds }: RedirectRounds): string[] {
  const of = (part: keyof CpuTime) =>
    `${median(rounds.map(({ ours }) => ours.cpu?.[part] ?? Number.NaN)).toFixed(1)} µs`;
  return [engine, String(connections), whole(links), of('main'), of('journal'), of('database'), of('engine')];
}

function growth({ engine, few, fewMb, many, manyMb }: MemoryGrowth): string[] {
  return [
    engine,
    whole(few),
    `${whole(fewMb)} MB`,
    whole(many),
    `${whole(manyMb)} MB`,
    `${whole(manyMb - fewMb)} MB`,
  ];
}
