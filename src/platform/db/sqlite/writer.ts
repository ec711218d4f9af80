import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { CountPlan } from '../row-sums.ts';
import type { FailingStatements } from './failing-statements.ts';
import type { PageCounts } from './free-pages.ts';
import type { Leftovers } from './unallocated-space.ts';
import type { Fault, Outcome, Transaction, WriterReply, WriterRequest } from './writer-thread.ts';

/** The one connection that writes, in a thread of its own so that an fsync never blocks the event loop. */
export interface SqliteWriter {
  /** Waits until nobody else is writing. The turn must be released. */
  takeTurn(): Promise<WriterTurn>;
  close(): Promise<void>;
}

/** The connection, for as long as nobody else writes. */
export interface WriterTurn {
  run(sql: string, parameters: readonly unknown[]): Promise<{ rows: unknown[]; changes: number }>;
  /** See `group-commit.ts`. */
  runGroup(group: readonly Transaction[]): Promise<Outcome[]>;
  /**
   * One transaction: runs `sql` for every row, binding its values in their order.
   * @param texts see `Store.insertRowTexts`.
   * @param counts how rows that it inserted are counted.
   */
  runForRows(sql: string, texts: readonly Uint8Array[], counts: CountPlan | null): Promise<void>;
  /** See `unallocated-space.ts`. */
  findLeftovers(firstPage: number): Promise<Leftovers>;
  /** The log of writes has to be empty, and no transaction open. False where somebody outside wrote: nothing is done then. */
  clearLeftovers(pages: readonly number[]): Promise<boolean>;
  /** Cuts up to so many free pages off the file, and counts those that it has then: see `free-pages.ts`. */
  returnPages(count: number): Promise<PageCounts>;
  /** Has the file shrink by `returnPages`, unless more pages than that are in use. @returns whether it was left for that. */
  makeShrinkable(maxUsedPages: number): Promise<boolean>;
  release(): void;
}

/** What it parses is short-lived: left alone, its heap takes several times as much without being faster. */
const YOUNG_GENERATION_MB = 6;

/**
 * What node is started with (`npm start`) bounds the heap of every thread, whatever is asked for that thread alone. The
 * main thread's has its bound since it began, so that taking the flag back changes those of new threads only.
 */
function boundThreadsByThemselves(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

/** Starts the writer. `onDeath` is called when its thread ends unasked: nothing can be stored from then on. */
export async function openWriter(
  path: string,
  failing: FailingStatements,
  onDeath: (cause: unknown) => void,
): Promise<SqliteWriter> {
  boundThreadsByThemselves();
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: { path },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const calls = new Calls(worker);
  // While it opens, its death is the caller's to report; while it closes, it is wanted.
  let isServing = false;
  const died = (cause: unknown) => {
    calls.failAll(cause);
    if (isServing) onDeath(cause);
  };
  worker.on('message', (reply: WriterReply) => calls.settle(reply));
  worker.on('error', died);
  worker.on('exit', () => died(new Error('the SQLite writer thread ended')));
  await calls.send({ op: 'ping' });
  isServing = true;

  const queue = new Queue();
  return {
    async takeTurn() {
      const release = await queue.join();
      return {
        run: (sql, parameters) => failing.during(sql, calls.send({ op: 'run', sql, parameters })),
        async runGroup(group) {
          const sent = calls.send({ op: 'runGroup', group });
          // Fails as a whole where SQLite has rolled all of it back.
          const { rows } = await failing.during(firstSqlOf(group[0]), sent);
          noteOutcomes(group, rows as Outcome[], failing);
          return rows as Outcome[];
        },
        async runForRows(sql, texts, counts) {
          await failing.during(sql, calls.send({ op: 'runForRows', sql, texts, counts }));
        },
        async findLeftovers(firstPage) {
          const { rows } = await calls.send({ op: 'findLeftovers', firstPage });
          return rows[0] as Leftovers;
        },
        async clearLeftovers(pages) {
          const { rows } = await calls.send({ op: 'clearLeftovers', pages });
          return rows[0] as boolean;
        },
        async returnPages(count) {
          const { rows } = await calls.send({ op: 'returnPages', count });
          return rows[0] as PageCounts;
        },
        async makeShrinkable(maxUsedPages) {
          const { rows } = await calls.send({ op: 'makeShrinkable', maxUsedPages });
          return rows[0] as boolean;
        },
        release,
      };
    },
    async close() {
      const release = await queue.join();
      isServing = false;
      await calls.send({ op: 'close' });
      await worker.terminate();
      release();
    },
  };
}

/** A transaction goes by its first statement. */
function noteOutcomes(
  group: readonly Transaction[],
  outcomes: readonly Outcome[],
  failing: FailingStatements,
): void {
  for (const [index, outcome] of outcomes.entries()) {
    const sql = firstSqlOf(group[index]);
    if ('error' in outcome) failing.failed(sql, toError(outcome.error));
    else failing.succeeded(sql);
  }
}

function firstSqlOf(transaction: Transaction | undefined): string {
  return transaction?.[0]?.sql ?? '';
}

/** Requests under way, by number. */
class Calls {
  readonly #worker: Worker;
  readonly #open = new Map<number, PromiseWithResolvers<{ rows: unknown[]; changes: number }>>();
  #lastId = 0;
  #death: unknown;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  send(request: WriterRequest): Promise<{ rows: unknown[]; changes: number }> {
    if (this.#death !== undefined) return Promise.reject(this.#death);
    const id = ++this.#lastId;
    const call = Promise.withResolvers<{ rows: unknown[]; changes: number }>();
    this.#open.set(id, call);
    this.#worker.postMessage({ id, ...request });
    return call.promise;
  }

  settle(reply: WriterReply): void {
    const call = this.#open.get(reply.id);
    this.#open.delete(reply.id);
    if ('error' in reply) call?.reject(toError(reply.error));
    else call?.resolve({ rows: reply.rows, changes: reply.changes });
  }

  /** Of those to come, too. */
  failAll(cause: unknown): void {
    this.#death ??= cause;
    for (const call of this.#open.values()) call.reject(cause);
    this.#open.clear();
  }
}

/** What went wrong in the thread, as SQLite said it. */
export function toError({ message, errcode }: Fault): Error {
  return Object.assign(new Error(message), { errcode });
}

/** A queue at a door that lets one through at a time, in the order of arrival. */
class Queue {
  #last: Promise<void> = Promise.resolve();

  async join(): Promise<() => void> {
    const mine = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = mine.promise;
    await before;
    return mine.resolve;
  }
}
