import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';
import { isShortOfConnections } from '../faults.ts';

/** Each attempt costs the server a process. */
const ASK_AGAIN_AFTER_MS = 10 * SECOND_MS;
const RETRY_MS = 50;

type Callback = Parameters<pg.Pool['connect']>[0];

/**
 * Where the server has no connection left, callers wait for one of those that this pool has, rather than fail. `pg` would
 * fail a caller although a connection is free a moment later.
 */
export class PatientPool extends pg.Pool {
  readonly #max: number;
  readonly #onShort: (error: unknown, connections: number) => void;
  #askAgain: NodeJS.Timeout | undefined;

  constructor(config: pg.PoolConfig, onShort: (error: unknown, connections: number) => void) {
    super(config);
    this.#max = this.options.max;
    this.#onShort = onShort;
  }

  /** Whether the server has refused further connections lately. */
  get isShort(): boolean {
    return this.options.max < this.#max;
  }

  get connections() {
    return { busy: this.totalCount - this.idleCount, idle: this.idleCount, waiting: this.waitingCount };
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error, undefined, () => undefined),
    );
    return undefined;
  }

  async #connect(): Promise<pg.PoolClient> {
    const untilMs = monotonicMs() + (this.options.connectionTimeoutMillis ?? 0);
    for (;;)
      try {
        return await super.connect();
      } catch (error) {
        const isRefused = isShortOfConnections(error);
        if (!isRefused || this.totalCount === 0 || monotonicMs() > untilMs) throw error;
        this.#settleFor(this.totalCount, error);
        await sleep(RETRY_MS);
      }
  }

  #settleFor(connections: number, error: unknown): void {
    this.options.max = Math.min(this.options.max, connections);
    this.#onShort(error, connections);
    this.#askAgain ??= setTimeout(() => {
      this.#askAgain = undefined;
      this.options.max = this.#max;
    }, ASK_AGAIN_AFTER_MS).unref();
  }
}
