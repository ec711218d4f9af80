import type { Clock } from '../../lib/clock.ts';
import { SECOND_MS } from '../../lib/clock.ts';
import type { Endpoint } from './endpoint-scheduler.ts';

/** Another process may have changed a webhook's address: the database says again whether its receiver is held. */
const MAX_WAIT_MS = 10 * SECOND_MS;
/** Timers may fire a little before the time by the clock. */
const TIMER_SLACK_MS = 5;

interface Line {
  /** The first one goes on next. */
  readonly endpoints: Set<Endpoint>;
  /** When the last one came. */
  sinceMs: number;
  untilMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** Endpoints whose receiver is held stand in its line: after the time one goes on, so that all of them get their turn. */
export class ReceiverLines {
  readonly #clock: Clock;
  readonly #goOn: (endpoint: Endpoint) => void;
  readonly #lines = new Map<string, Line>();
  readonly #lineOf = new Map<Endpoint, string>();

  constructor({ clock, goOn }: { clock: Clock; goOn: (endpoint: Endpoint) => void }) {
    this.#clock = clock;
    this.#goOn = goOn;
  }

  /** Whether the endpoint has to wait, as far as this process knows. */
  isHeld(endpoint: Endpoint): boolean {
    const line = this.#lines.get(this.#lineOf.get(endpoint) ?? '');
    return line !== undefined && line.untilMs > this.#clock.nowMs();
  }

  /** Puts the endpoint at the end of the receiver's line. */
  wait(receiverId: string, endpoint: Endpoint, untilMs: number): void {
    this.leave(endpoint);
    const line = this.#lines.get(receiverId) ?? {
      endpoints: new Set(),
      sinceMs: 0,
      untilMs: 0,
      timer: undefined,
    };
    line.sinceMs = this.#clock.nowMs();
    this.#lines.set(receiverId, line);
    line.endpoints.add(endpoint);
    this.#lineOf.set(endpoint, receiverId);
    this.hold(receiverId, untilMs);
  }

  /** Lets those who stand in the receiver's line, if any, wait until a time. */
  hold(receiverId: string, untilMs: number): void {
    const line = this.#lines.get(receiverId);
    if (line === undefined) return;
    const nowMs = this.#clock.nowMs();
    line.untilMs = Math.min(Math.max(line.untilMs, untilMs), nowMs + MAX_WAIT_MS);
    clearTimeout(line.timer);
    const delayMs = Math.max(line.untilMs - nowMs, 0) + TIMER_SLACK_MS;
    line.timer = setTimeout(() => this.#next(receiverId), delayMs).unref();
  }

  /** The next in the receiver's line may go on, unless it is known to be held. */
  pass(receiverId: string): void {
    const line = this.#lines.get(receiverId);
    if (line !== undefined && line.untilMs <= this.#clock.nowMs()) this.#next(receiverId);
  }

  /** Receivers that are held; at most `limit` of them. */
  heldReceivers(limit: number): string[] {
    const nowMs = this.#clock.nowMs();
    const held = [...this.#lines].filter(([, { untilMs }]) => untilMs > nowMs);
    return held.slice(0, limit).map(([receiverId]) => receiverId);
  }

  /** The next in the receiver's line goes on: its pause was ended at a time. Of no effect on a later pause. */
  endPause(receiverId: string, endedAtMs: number): void {
    const line = this.#lines.get(receiverId);
    if (line === undefined || line.sinceMs > endedAtMs) return;
    line.untilMs = 0;
    clearTimeout(line.timer);
    this.#next(receiverId);
  }

  leave(endpoint: Endpoint): void {
    const receiverId = this.#lineOf.get(endpoint);
    if (receiverId === undefined) return;
    this.#lineOf.delete(endpoint);
    const line = this.#lines.get(receiverId);
    line?.endpoints.delete(endpoint);
    if (line?.endpoints.size !== 0) return;
    clearTimeout(line.timer);
    this.#lines.delete(receiverId);
  }

  stop(): void {
    for (const { timer } of this.#lines.values()) clearTimeout(timer);
  }

  #next(receiverId: string): void {
    const [first] = this.#lines.get(receiverId)?.endpoints ?? [];
    if (first === undefined) return;
    this.leave(first);
    this.#goOn(first);
  }
}
