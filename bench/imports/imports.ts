/** Imports of many links: their rate, their memory, and the rate of redirects meanwhile. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Load, LoadOrder, LoadResult } from '../lib/load.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import { idleNote, machine, spread, table, whole } from '../lib/markdown.ts';
import { startPostgres } from '../lib/postgres.ts';
import { LIVE_KEY, type Service, startService } from '../lib/service.ts';
import { openStoreOf } from '../lib/store.ts';
import { startWorker } from '../lib/worker.ts';
import { bareRound, orderOf, type Pace } from '../redirects/rounds.ts';

interface Size {
  readonly rows: number;
  readonly rounds: number;
  /** Of a file that is imported during a round. */
  readonly roundRows: number;
  readonly pace: Pace;
}

const FULL: Size = {
  rows: 500_000,
  rounds: 5,
  roundRows: 60_000,
  pace: { warmUpMs: 1_000, measureMs: 4_000 },
};
const QUICK: Size = { rows: 5_000, rounds: 1, roundRows: 5_000, pace: { warmUpMs: 200, measureMs: 500 } };
const CONNECTIONS = 64;
const HOST = 'go.test';
const ASK_EVERY_MS = 100;
const MIB = 1024 * 1024;

interface Result {
  readonly engine: string;
  readonly rows: number;
  readonly perSecond: number;
  readonly againPerSecond: number;
  readonly idleMb: number;
  readonly peakMb: number;
  readonly rounds: {
    readonly wasIdle: boolean;
    readonly alone: number;
    readonly beside: number;
    readonly rows: number;
  }[];
}

export async function benchImports({
  isQuick,
  clicks: rows,
}: {
  isQuick: boolean;
  clicks: number | null;
}): Promise<string> {
  const size = { ...(isQuick ? QUICK : FULL), ...(rows !== null && { rows }) };
  await using load = await startWorker<LoadOrder, LoadResult>('lib/load.ts');
  await using postgres = await startPostgres();
  const results: Result[] = [];
  for (const engine of ['PostgreSQL', 'SQLite'] as const) {
    await using service = await startService(
      engine === 'SQLite' ? null : await postgres.createDatabase('imports'),
    );
    results.push({ engine, ...(await measure(load, service, size)) });
  }
  return report(results, size, postgres.version);
}

async function measure(load: Load, service: Service, size: Size): Promise<Omit<Result, 'engine'>> {
  await giveHost(service);
  await waitForIdleMachine();
  const idleMb = memoryOf(service, 'VmRSS');
  const file = fileOf('all', size.rows);
  const first = await importFile(service, file);
  const peakMb = memoryOf(service, 'VmHWM');
  const again = await importFile(service, file);
  const rounds: Result['rounds'] = [];
  for (let round = 0; round < size.rounds; round++) {
    const alone = await bareRound(load, service, CONNECTIONS, size.pace);
    const importing = importFile(service, fileOf(`round${round}`, size.roundRows));
    const { id, startedMs } = await startedOf(service);
    // Without a wait for an idle machine: the import would be over.
    const beside = await load.run(orderOf(service, CONNECTIONS, size.pace));
    const { rows, created, status } = await read(service, id);
    if (status !== 'running') throw new Error('the import ended before the round; give it more rows');
    // Half of the work of a row is its judgement.
    const done = ((rows + created) / 2 / (Date.now() - startedMs)) * 1_000;
    await importing;
    rounds.push({ wasIdle: alone.wasIdle, alone: alone.perSecond, beside: beside.perSecond, rows: done });
  }
  return { rows: size.rows, perSecond: first, againPerSecond: again, idleMb, peakMb, rounds };
}

async function giveHost(service: Service): Promise<void> {
  const store = await openStoreOf(service);
  try {
    await store.db.updateTable('apps').set({ short_link_host: HOST }).execute();
  } finally {
    await store.close();
  }
}

/** As Bitly exports it, addresses in no order. */
function fileOf(name: string, rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, index) => {
    const code = `${name}/${((index * 7_919) % rows).toString(36)}`;
    return `https://${HOST}/${code},https://shop.test/p/${index},Product ${index},"spring,${index % 50}",2024-05-01`;
  });
  return Buffer.from(`Link,Destination URL,Title,Tags,Created at\n${lines.join('\n')}\n`);
}

interface Imported {
  readonly id: string;
  readonly status: string;
  readonly rows: number;
  readonly created: number;
  readonly failed: number;
  readonly createdAt: string;
  readonly error?: string;
}

async function call(service: Service, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { 'x-api-key': LIVE_KEY, ...(init.headers as Record<string, string> | undefined) };
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1/imports${path}`, { ...init, headers });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return await answer.json();
}

async function read(service: Service, id: string): Promise<Imported> {
  return (await call(service, `/${id}`)) as Imported;
}

/** Of the import that begins. */
async function startedOf(service: Service): Promise<{ id: string; startedMs: number }> {
  for (;;) {
    const [last] = (await call(service, '?limit=1')) as Imported[];
    if (last?.status === 'running') return { id: last.id, startedMs: Date.parse(last.createdAt) };
    await wait(ASK_EVERY_MS / 10);
  }
}

/** @returns rows a second, with the upload. */
async function importFile(service: Service, file: Buffer): Promise<number> {
  const startMs = performance.now();
  const headers = { 'content-type': 'text/csv' };
  const body = new Uint8Array(file);
  const { id } = (await call(service, '?source=csv', { method: 'POST', headers, body })) as Imported;
  for (;;) {
    const state = await read(service, id);
    if (state.status === 'failed') throw new Error(state.error);
    if (state.status === 'completed' && state.failed > 0) throw new Error(`${state.failed} rows failed`);
    if (state.status === 'completed') return (state.rows / (performance.now() - startMs)) * 1_000;
    await wait(ASK_EVERY_MS);
  }
}

function memoryOf({ pid }: Service, name: 'VmRSS' | 'VmHWM'): number {
  const [, kib = 'NaN'] =
    new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kib) * 1_024) / MIB;
}

function report(results: readonly Result[], size: Size, postgresVersion: string): string {
  const rounds = results.flatMap((result) => result.rounds);
  return `${[
    machine(postgresVersion),
    `A CSV file of ${whole(size.rows)} rows with title and two tags into an empty app with its own host: from the first byte of the upload to \`completed\`. Then rounds in turns of redirects alone and during an import, ${CONNECTIONS} connections, as fast as responses arrive.`,
    table(
      [
        'Database',
        'Rows a second',
        'The same file again',
        'Memory before',
        'At most',
        'Redirects during an import / alone',
        'Redirects alone',
        'Rows a second meanwhile',
      ],
      results.map((result) => [
        result.engine,
        whole(result.perSecond),
        whole(result.againPerSecond),
        `${whole(result.idleMb)} MB`,
        `${whole(result.peakMb)} MB`,
        spread(result.rounds.map(({ alone, beside }) => beside / alone)),
        `${spread(result.rounds.map(({ alone }) => alone))}/s`,
        spread(result.rounds.map(({ rows }) => rows)),
      ]),
    ),
    idleNote(rounds),
  ].join('\n\n')}\n`;
}
