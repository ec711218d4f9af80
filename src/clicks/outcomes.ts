import { Counter } from 'prom-client';
import { SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { NewClick } from './click.ts';

/** A disk that stays full is not reported with every write. */
const WARN_EVERY_MS = 10 * SECOND_MS;

/** Clicks that are written to the journal together. */
interface Write {
  readonly written: Promise<void>;
  /** Shared by all that wait, so that no click makes a promise of its own. */
  readonly onDisk: Promise<boolean>;
  readonly clicks: Map<NewClick['visitor'], number>;
}

/** Whether clicks came onto the disk: counted, and told to those who wait. */
export class Outcomes {
  readonly #ctx: Ctx;
  readonly #recordedTotal: Counter<'visitor'>;
  readonly #lostTotal: Counter;
  #write: Write | undefined;
  #lost = 0;
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  #fault: unknown;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#recordedTotal = new Counter({
      name: 'throughline_clicks_recorded_total',
      help: 'Hits on short links that are on disk, by kind of visitor',
      labelNames: ['visitor'],
      registers: [ctx.metrics],
    });
    this.#lostTotal = new Counter({
      name: 'throughline_clicks_lost_total',
      help: 'Clicks that could not be written, or that damage of the journal destroyed',
      registers: [ctx.metrics],
    });
  }

  /** Why a click did not come onto the disk; undefined while they do, and once there is room again. */
  get fault(): unknown {
    return this.#fault;
  }

  /** Believes that clicks can be written again where there is room, unless another one was lost meanwhile. */
  async tryAgain(room: Promise<void>): Promise<void> {
    const lost = this.#lost;
    await room.then(
      () => {
        if (this.#lost === lost) this.#fault = undefined;
      },
      () => undefined,
    );
  }

  /** How many clicks could not be written, or were destroyed later. */
  get lost(): number {
    return this.#lost;
  }

  /** Also for clicks that were on disk, and damage destroyed. */
  countLost(clicks: number): void {
    this.#lost += clicks;
    this.#lostTotal.inc(clicks);
  }

  /**
   * Whether a visitor's click is on disk, once that is known. Never rejects.
   * @param written the journal's promise, one for each write.
   */
  of(visitor: NewClick['visitor'], written: Promise<void>): Promise<boolean> {
    if (this.#write?.written !== written) this.#write = this.#startWrite(written);
    const { clicks, onDisk } = this.#write;
    clicks.set(visitor, (clicks.get(visitor) ?? 0) + 1);
    return onDisk;
  }

  #startWrite(written: Promise<void>): Write {
    const clicks: Write['clicks'] = new Map();
    const onDisk = written.then(
      () => this.#noteRecorded(clicks),
      (error: unknown) => this.#noteLost(clicks, error),
    );
    return { written, onDisk, clicks };
  }

  #noteRecorded(clicks: Write['clicks']): true {
    for (const [visitor, count] of clicks) this.#recordedTotal.inc({ visitor }, count);
    return true;
  }

  #noteLost(clicks: Write['clicks'], error: unknown): false {
    this.#fault = error;
    for (const count of clicks.values()) this.countLost(count);
    this.#warn(error);
    return false;
  }

  #warn(error: unknown): void {
    const nowMs = this.#ctx.clock.nowMs();
    if (nowMs - this.#warnedAtMs < WARN_EVERY_MS) return;
    this.#warnedAtMs = nowMs;
    this.#ctx.log.error(
      { err: error, lost: this.#lost },
      'clicks cannot be written: visitors go on, but these clicks are lost',
    );
  }
}
