/** Markdown report for `docs/reference/benchmarks.md`. */
import type { CpuTime } from '../lib/cpu-time.ts';
import {
  idleNote,
  machine,
  median,
  medianMs,
  medianRate,
  seconds,
  spread,
  table,
  whole,
} from '../lib/markdown.ts';
import type { LoadRound, Pace, ServiceRound } from './rounds.ts';

export interface RedirectRounds {
  readonly engine: string;
  readonly connections: number;
  readonly links: number;
  /** `synced` is the bare server that writes a line to disk before each response. */
  readonly rounds: { readonly bare: LoadRound; readonly synced: LoadRound; readonly ours: ServiceRound }[];
  /** Rounds at half of the measured rate. */
  readonly atHalf: HalfRateRound[];
}

export interface HalfRateRound {
  readonly ours: ServiceRound;
  readonly synced: LoadRound;
}

export interface MemoryGrowth {
  readonly engine: string;
  readonly few: number;
  readonly fewMb: number;
  readonly many: number;
  readonly manyMb: number;
}

interface RedirectResults {
  readonly redirects: readonly RedirectRounds[];
  readonly memory: readonly MemoryGrowth[];
  readonly pace: Pace;
  readonly postgresVersion: string;
}

const CASE_HEAD = ['Database', 'Connections', 'Links'];

export function report({ redirects, memory, pace, postgresVersion }: RedirectResults): string {
  return `${[
    machine(postgresVersion),
    describeMethod(redirects, pace),
    table([...CASE_HEAD, 'Ours / bare', 'Ours', 'Bare', 'p50', 'p99'], redirects.map(ratioCells)),
    'The cost of the disk: compared with a bare server that writes a line to disk before each response; and the p99 of both at half of our rate:',
    table(
      [
        ...CASE_HEAD,
        'Ours / with a line on disk',
        'With a line on disk / bare',
        'Half of our rate',
        'p99, ours',
        'p99, with a line on disk',
      ],
      redirects.map(syncedCells),
    ),
    'Every redirect is one row in the database; rows that were missing when the load stopped:',
    table(
      [...CASE_HEAD, 'Redirects, each a row', 'Behind', 'Caught up after', 'Oldest click waited'],
      redirects.map(lagCells),
    ),
    'Processor time per click: the event loop, the journal’s threads, SQLite’s thread or PostgreSQL’s processes, and V8’s threads:',
    table([...CASE_HEAD, 'Event loop', 'Journal', 'Database', 'Engine'], redirects.map(cpuCells)),
    'Resident memory of a fresh service:',
    table(['Database', 'Clicks', 'Memory', 'Clicks', 'Memory', 'Growth'], memory.map(memoryCells)),
  ].join('\n\n')}\n`;
}

function describeMethod(redirects: readonly RedirectRounds[], pace: Pace): string {
  const all = redirects.flatMap(({ rounds }) =>
    rounds.flatMap(({ bare, synced, ours }) => [bare, synced, ours.load]),
  );
  return [
    'Redirects: ours and a bare `node:http` server in turn, with the same requests and one generator;',
    `${redirects[0]?.rounds.length} rounds of ${seconds(pace.measureMs)} after ${seconds(pace.warmUpMs)} of warm-up; medians, lowest and highest ratio in brackets.`,
    idleNote(all),
  ].join('\n');
}

function caseCells({ engine, connections, links }: RedirectRounds): string[] {
  return [engine, String(connections), whole(links)];
}

function ratioCells(measured: RedirectRounds): string[] {
  const { rounds } = measured;
  return [
    ...caseCells(measured),
    spread(rounds.map(({ bare, ours }) => ours.load.perSecond / bare.perSecond)),
    medianRate(rounds.map(({ ours }) => ours.load.perSecond)),
    medianRate(rounds.map(({ bare }) => bare.perSecond)),
    medianMs(rounds.map(({ ours }) => ours.load.p50Ms)),
    medianMs(rounds.map(({ ours }) => ours.load.p99Ms)),
  ];
}

function syncedCells(measured: RedirectRounds): string[] {
  const { rounds, atHalf } = measured;
  return [
    ...caseCells(measured),
    spread(rounds.map(({ synced, ours }) => ours.load.perSecond / synced.perSecond)),
    spread(rounds.map(({ bare, synced }) => synced.perSecond / bare.perSecond)),
    medianRate(atHalf.map(({ ours }) => ours.load.perSecond)),
    p99Range(atHalf.map(({ ours }) => ours.load)),
    p99Range(atHalf.map(({ synced }) => synced)),
  ];
}

/** Such as `5.9 ms (4.7–15.4)`: the median, the lowest and the highest. */
function p99Range(rounds: readonly LoadRound[]): string {
  const p99Ms = rounds.map((round) => round.p99Ms);
  return `${medianMs(p99Ms)} (${Math.min(...p99Ms).toFixed(1)}–${Math.max(...p99Ms).toFixed(1)})`;
}

function lagCells(measured: RedirectRounds): string[] {
  const ours = measured.rounds.map((round) => round.ours);
  const rows = ours.map(({ lag }) => lag.rows);
  const afterMs = ours.map(({ lag }) => lag.ms);
  return [
    ...caseCells(measured),
    whole(ours.reduce((sum, { load }) => sum + load.responses, 0)),
    `${whole(median(rows))} (at most ${whole(Math.max(...rows))})`,
    `${whole(median(afterMs))} ms (at most ${whole(Math.max(...afterMs))})`,
    `${whole(Math.max(...ours.map(({ behindMs }) => behindMs)))} ms at most`,
  ];
}

function cpuCells(measured: RedirectRounds): string[] {
  const medianOf = (part: keyof CpuTime) =>
    `${median(measured.rounds.map(({ ours }) => ours.cpu?.[part] ?? Number.NaN)).toFixed(1)} µs`;
  const parts = ['main', 'journal', 'database', 'engine'] as const;
  return [...caseCells(measured), ...parts.map(medianOf)];
}

function memoryCells({ engine, few, fewMb, many, manyMb }: MemoryGrowth): string[] {
  const growthMb = manyMb - fewMb;
  return [
    engine,
    whole(few),
    `${whole(fewMb)} MB`,
    whole(many),
    `${whole(manyMb)} MB`,
    `${whole(growthMb)} MB`,
  ];
}
