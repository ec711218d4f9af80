import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { StartError } from '../errors.ts';
import type { Log } from '../log.ts';
import { MachineMetrics } from './machine-metrics.ts';
import { ALIVE_EVERY_MS, type Answers, type Inquiry, type ProcessMetrics, type Reply } from './messages.ts';
import { type Death, Slot } from './slot.ts';

interface WorkersOptions {
  readonly count: number;
  /** What each process has in its environment beside this one's. */
  readonly env: Record<string, string>;
  readonly log: Log;
}

/**
 * The processes that do the work, kept by the one that supervises them: whoever dies is replaced, and what one of them
 * asks goes to all.
 */
export class Workers {
  readonly #log: Log;
  readonly #slots: readonly Slot[];
  readonly #metrics: MachineMetrics;
  readonly #pauses = new Set<NodeJS.Timeout>();
  readonly #allReady = Promise.withResolvers<void>();
  readonly #allListening = Promise.withResolvers<void>();
  readonly #allEnded = Promise.withResolvers<void>();
  /** While they start, none is replaced: the first that cannot start ends the start. */
  #isStarting = true;
  #mayListen = false;
  #isStopping = false;
  #endedWell = true;

  constructor({ count, env, log }: WorkersOptions) {
    this.#log = log;
    // Whoever waits hears of a start that fails; nobody may wait yet.
    for (const { promise } of [this.#allReady, this.#allListening]) promise.catch(() => undefined);
    // Workers count calls together, in this process.
    new RateLimiterClusterMaster();
    this.#metrics = new MachineMetrics(() => this.#in('listening'));
    this.#slots = Array.from({ length: count }, (_, index) => this.#slot(index + 1, env));
  }

  /**
   * Resolves when each of them has opened everything.
   * @throws StartError with the reason of the first that cannot.
   */
  async start(): Promise<void> {
    for (const slot of this.#slots) slot.start();
    await this.#allReady.promise;
  }

  /** Resolves when all are listening; from then on whoever dies is replaced. */
  async listen(): Promise<void> {
    this.#mayListen = true;
    for (const slot of this.#slots) slot.tell({ says: 'listen' });
    await this.#allListening.promise;
    this.#isStarting = false;
    setInterval(() => this.#killStuck(), ALIVE_EVERY_MS).unref();
  }

  /** Has all of them answer what is under way and end. False where one did not end well. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    for (const slot of this.#slots) slot.tell({ says: 'stop' });
    this.#noteEnd();
    await this.#allEnded.promise;
    return this.#endedWell;
  }

  /** Ends all of them now. */
  kill(): void {
    this.#isStopping = true;
    for (const slot of this.#slots) slot.kill();
  }

  #slot(number: number, env: Record<string, string>): Slot {
    const slot: Slot = new Slot(number, env, {
      ready: () => this.#noteReady(slot),
      listening: () => {
        if (this.#in('listening') === this.#slots.length) this.#allListening.resolve();
      },
      died: (death) => this.#noteDeath(slot, death),
      asks: (id, inquiry) => void this.#askAllFor(slot, id, inquiry),
      answered: (inquiry, answer) => this.#noteAnswer(number, inquiry, answer),
    });
    return slot;
  }

  /** What one that hangs has acknowledged is on disk, and its successor goes on with it. */
  #killStuck(): void {
    for (const slot of this.#slots) {
      if (!slot.noteSilence()) continue;
      this.#log.error({ worker: slot.number, pid: slot.pid }, 'a worker hangs: it is killed');
      slot.kill();
    }
  }

  #in(state: Slot['state']): number {
    return this.#slots.filter((slot) => slot.state === state).length;
  }

  #noteReady(slot: Slot): void {
    this.#log.info({ worker: slot.number, pid: slot.pid }, 'a worker is ready');
    if (this.#isStopping) return;
    if (this.#mayListen) slot.tell({ says: 'listen' });
    if (this.#in('ready') === this.#slots.length) this.#allReady.resolve();
  }

  #noteDeath(slot: Slot, { code, signal, reason }: Death): void {
    void this.#metrics.noteDeath(slot.number);
    if (this.#isStopping) {
      if (code !== 0) this.#endedWell = false;
      slot.giveUpInquiries();
      this.#noteEnd();
    } else if (this.#isStarting) this.#refuseStart(slot, { code, signal, reason });
    else this.#replace(slot, { code, signal, reason });
  }

  #replace(slot: Slot, { code, signal, reason }: Death): void {
    const pauseMs = slot.nextPauseMs();
    const how = { worker: slot.number, code, signal, reason, pauseMs };
    this.#log.error(how, 'a worker died; another takes its place');
    if (pauseMs === 0) slot.start();
    else this.#startLater(slot, pauseMs);
  }

  #refuseStart({ number }: Slot, { code, signal, reason }: Death): void {
    const failure = new StartError(reason ?? `Worker ${number} ended while it started (${signal ?? code}).`);
    this.#allReady.reject(failure);
    this.#allListening.reject(failure);
  }

  #startLater(slot: Slot, pauseMs: number): void {
    slot.giveUpInquiries();
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      slot.start();
    }, pauseMs);
    this.#pauses.add(pause);
  }

  #noteEnd(): void {
    if (this.#in('away') === this.#slots.length) this.#allEnded.resolve();
  }

  async #askAllFor(asker: Slot, id: number, inquiry: Inquiry): Promise<void> {
    const { pid } = asker;
    let replies: readonly Reply<Inquiry>[] = await Promise.all(this.#slots.map((slot) => slot.ask(inquiry)));
    if (inquiry === 'metrics') replies = await this.#metrics.all();
    // Whoever took the place of one that died has inquiries of the same numbers.
    if (asker.pid !== pid) return;
    asker.tell({ says: 'replies', id, replies });
  }

  #noteAnswer<Q extends Inquiry>(worker: number, inquiry: Q, answer: Answers[Q]): void {
    if (inquiry === 'metrics') this.#metrics.note(worker, answer as ProcessMetrics);
  }
}
