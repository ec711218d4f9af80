import cluster, { type Worker } from 'node:cluster';
import { MINUTE_MS, monotonicMs, SECOND_MS } from '../clock.ts';
import {
  ALIVE_EVERY_MS,
  type Answers,
  ASKING,
  type Inquiry,
  isOurs,
  type Reply,
  type ToSupervisor,
  type ToWorker,
} from './messages.ts';
import { workerEnv } from './supervisor.ts';

/** Whoever lived this long did not die of its start. */
const STEADY_AFTER_MS = 30 * SECOND_MS;
const FIRST_PAUSE_MS = SECOND_MS;
const LAST_PAUSE_MS = 30 * SECOND_MS;
const STUCK_AFTER_MS = 15 * SECOND_MS;
/** It applies no clicks before, and calls of all workers wait for them. */
const START_WITHIN_MS = 2 * MINUTE_MS;

type SlotState = 'away' | 'starting' | 'ready' | 'listening';

/** How a worker ended, and why it says it could not start. */
export interface Death {
  readonly code: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
}

/** What a slot tells whoever keeps it. */
interface SlotEvents {
  ready(): void;
  listening(): void;
  died(death: Death): void;
  asks(id: number, inquiry: Inquiry): void;
  answered<Q extends Inquiry>(inquiry: Q, answer: Answers[Q]): void;
}

interface OpenInquiry {
  readonly inquiry: Inquiry;
  readonly settle: (answer: Answers[Inquiry] | 'failed' | 'away') => void;
}

/** The place of one worker: one process after the other has its number, its journal and what was asked of it. */
export class Slot {
  readonly number: number;
  readonly #env: Record<string, string>;
  readonly #events: SlotEvents;
  #worker: Worker | null = null;
  #state: SlotState = 'away';
  #startedAtMs = 0;
  #deathsInARow = 0;
  #reason: string | null = null;
  #lastId = 0;
  /** How often in a row it was looked after and had said nothing. */
  #silences = 0;
  readonly #open = new Map<number, OpenInquiry>();

  constructor(number: number, env: Record<string, string>, events: SlotEvents) {
    this.number = number;
    this.#env = { ...env, ...workerEnv(number) };
    this.#events = events;
  }

  get state(): SlotState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#worker?.process.pid;
  }

  /** Starts a process in this place; it is asked what its predecessor did not answer. */
  start(): void {
    const worker = cluster.fork(this.#env);
    this.#worker = worker;
    this.#state = 'starting';
    this.#startedAtMs = monotonicMs();
    this.#reason = null;
    worker.on('message', (message: ToSupervisor) => {
      if (this.#worker === worker && isOurs(message)) this.#hear(message);
    });
    worker.once('exit', (code, signal) => this.#end(worker, code, signal));
    worker.on('error', () => {
      // A message that did not arrive: the exit follows. A process that was not even made has none.
      if (worker.process.pid === undefined) this.#end(worker, null, null);
    });
    for (const [id, { inquiry }] of this.#open) this.tell({ says: 'inquiry', id, inquiry });
  }

  /** How long to wait before the next start: nothing after one death, longer and longer where one follows the other. */
  nextPauseMs(): number {
    if (this.#deathsInARow <= 1) return 0;
    return Math.min(FIRST_PAUSE_MS * 2 ** (this.#deathsInARow - 2), LAST_PAUSE_MS);
  }

  /**
   * To be called once in `ALIVE_EVERY_MS`; what the worker says starts the count anew. Counted rather than timed: a machine
   * that slept wakes with all its processes.
   * @returns whether the worker serves but has said nothing for too long, since its event loop hangs, or does not come to
   * the end of its start.
   */
  noteSilence(): boolean {
    this.#silences += 1;
    if (this.#state === 'starting') return monotonicMs() - this.#startedAtMs >= START_WITHIN_MS;
    return this.#state === 'listening' && this.#silences * ALIVE_EVERY_MS >= STUCK_AFTER_MS;
  }

  tell(message: ToWorker): void {
    this.#worker?.send(message, () => undefined);
  }

  kill(): void {
    this.#worker?.process.kill('SIGKILL');
  }

  async ask(inquiry: Inquiry): Promise<Reply<Inquiry>> {
    const { withinMs, waitsForStart } = ASKING[inquiry];
    const worker = this.number;
    const isThere = this.#state === 'listening' || this.#state === 'ready';
    if (!isThere && !(waitsForStart && this.#state === 'starting')) return { worker, state: 'away' };

    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Answers[Inquiry] | 'failed' | 'away'>();
    const timer = setTimeout(resolve, withinMs, 'failed');
    this.#open.set(id, { inquiry, settle: resolve });
    this.tell({ says: 'inquiry', id, inquiry });
    const answer = await promise;
    clearTimeout(timer);
    this.#open.delete(id);
    return answer === 'failed' || answer === 'away'
      ? { worker, state: answer }
      : { worker, state: 'answered', answer };
  }

  /** Nobody comes to answer what is open. */
  giveUpInquiries(which: (inquiry: Inquiry) => boolean = () => true): void {
    for (const { inquiry, settle } of this.#open.values()) if (which(inquiry)) settle('away');
  }

  #hear(message: ToSupervisor): void {
    this.#silences = 0;
    if (message.says === 'alive') return;
    if (message.says === 'ask') this.#events.asks(message.id, message.inquiry);
    else if (message.says === 'answer') this.#takeAnswer(message.id, message.answer);
    else if (message.says === 'cannot_start') this.#reason = message.reason;
    else {
      this.#state = message.says;
      this.#events[message.says]();
    }
  }

  #takeAnswer(id: number, answer: Answers[Inquiry] | undefined): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    if (answer !== undefined) this.#events.answered(open.inquiry, answer);
    open.settle(answer ?? 'failed');
  }

  #end(worker: Worker, code: number | null, signal: string | null): void {
    if (this.#worker !== worker) return;
    const isSteady = monotonicMs() - this.#startedAtMs >= STEADY_AFTER_MS;
    this.#deathsInARow = isSteady ? 1 : this.#deathsInARow + 1;
    this.#worker = null;
    this.#state = 'away';
    this.giveUpInquiries((inquiry) => !ASKING[inquiry].waitsForStart);
    this.#events.died({ code, signal, reason: this.#reason });
  }
}
