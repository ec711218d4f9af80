import { SECOND_MS } from '../../lib/clock.ts';
import type { AttemptResult } from './send.ts';

/**
 * Decides which webhooks send next, and how much, so that a slow or failing receiver delays only its own.
 * A webhook's window, the attempts it may have in flight, grows by one with each success and halves with each failure,
 * as TCP's does, but not below `MIN_WINDOW`; it is one after a receiver asked for a pause. Webhooks that failed last, or
 * have no result yet, share half of all slots. A webhook with nothing in flight may always send one.
 * Webhooks whose receiver is held stand in its line: after the time one goes on, so that all of them get their turn.
 */
export interface ScheduledWebhook {
  readonly appId: string;
  readonly webhookId: string;
  inFlight: number;
  window: number;
  /** Of its kind: attempts in flight at most, known once it was claimed. */
  maxInFlight: number;
  /** The result of its last attempt; `new` before the first. */
  state: 'new' | 'healthy' | 'failing';
  line: Line | null;
}

/** A webhook that may send, and how many attempts. */
export interface Grant {
  readonly webhook: ScheduledWebhook;
  readonly slots: number;
}

/** Each takes turns of its own. `unproven` are failing webhooks, and new ones beyond their first attempts. */
export type Group = 'regular' | 'unproven';

interface Line {
  readonly receiverId: string;
  /** The first one goes on next. */
  readonly webhooks: Set<ScheduledWebhook>;
  /** When the last one came. */
  sinceMs: number;
  untilMs: number;
  /** When the first one goes on; null after that, until the receiver is held or found free. */
  turnAtMs: number | null;
}

/** So many attempts to a receiver that hangs are each retried on time, though every one lasts 10 s. */
const MIN_WINDOW = 20;
/** Attempts of a new webhook that start at once. */
const FIRST_SLOTS = 2;
const MAX_WINDOW = 64;
/** For receivers that respond within `FAST_MS` and so have capacity left. */
const MAX_FAST_WINDOW = 768;
const FAST_MS = 50;
/** Slots of all webhooks together. */
export const MAX_IN_FLIGHT = 1_024;
/** Of the half that unproven webhooks share, kept for those with nothing in flight. */
const RESERVED_UNPROVEN = 64;
const MAX_IN_FLIGHT_UNPROVEN = MAX_IN_FLIGHT / 2 - RESERVED_UNPROVEN;
/** Attempts beyond `MAX_IN_FLIGHT` from webhooks that had none in flight. */
const MAX_OVERDRAFT = 3 * MAX_IN_FLIGHT;
/** Webhooks in one turn. Few, so that its transaction is short: SQLite has one writer for all. */
const MAX_GRANTS = { regular: 16, unproven: 4 };
/** Of one grant to an unproven webhook. More would delay the attempts of others, above all if they fail at once. */
const MAX_UNPROVEN_SLOTS = 5;
/** Idle webhooks are kept for their window and state. */
const MAX_WEBHOOKS = 10_000;
/** Another process may have changed a webhook's address: the database says again whether its receiver is held. */
const MAX_WAIT_MS = 10 * SECOND_MS;

/** The webhooks of this process. Which attempts are due is known to the database alone. */
export class Schedule {
  readonly #webhooks = new Map<string, ScheduledWebhook>();
  /** Webhooks that may have due attempts, in order of arrival. */
  readonly #ready = new Set<ScheduledWebhook>();
  readonly #inFlight = { new: 0, healthy: 0, failing: 0 };
  readonly #lines = new Map<string, Line>();

  find(appId: string, webhookId: string): ScheduledWebhook {
    const known = this.#webhooks.get(webhookId);
    if (known !== undefined) return known;
    if (this.#webhooks.size >= MAX_WEBHOOKS) this.#evictIdle();
    const state = { inFlight: 0, window: MIN_WINDOW, state: 'new', line: null } as const;
    const maxInFlight = MAX_IN_FLIGHT;
    const webhook: ScheduledWebhook = { appId, webhookId, maxInFlight, ...state };
    this.#webhooks.set(webhookId, webhook);
    return webhook;
  }

  /** Marks a webhook as one that may have due attempts. */
  wake(webhook: ScheduledWebhook): void {
    this.#ready.add(webhook);
  }

  /** @param maxInFlight of its kind; null if the schedule alone decides. */
  bound(webhook: ScheduledWebhook, maxInFlight: number | null): void {
    webhook.maxInFlight = maxInFlight ?? MAX_IN_FLIGHT;
  }

  /** Takes the next webhooks with free slots from the ready ones. The caller wakes those with more due attempts. */
  next(group: Group): Grant[] {
    const grants: Grant[] = [];
    const free = this.#freeSlots();
    for (const webhook of this.#ready) {
      if (grants.length === MAX_GRANTS[group]) break;
      if (groupOf(webhook) !== group) continue;
      const isHealthy = webhook.state === 'healthy';
      const freeSlots = isHealthy ? free.all : Math.min(free.all, free.unproven);
      const slots = Math.min(slotsFor(webhook, freeSlots), maxSlotsOf(webhook));
      if (slots === 0) continue;
      free.all -= slots;
      if (!isHealthy) free.unproven -= slots;
      grants.push({ webhook, slots });
    }
    for (const { webhook } of grants) this.#ready.delete(webhook);
    return grants;
  }

  started(webhook: ScheduledWebhook): void {
    webhook.inFlight += 1;
    this.#inFlight[webhook.state] += 1;
  }

  finished(
    webhook: ScheduledWebhook,
    { success, durationMs, pauseMs }: Pick<AttemptResult, 'success' | 'durationMs' | 'pauseMs'>,
  ): void {
    this.#inFlight[webhook.state] -= webhook.inFlight;
    webhook.inFlight -= 1;
    webhook.state = success ? 'healthy' : 'failing';
    this.#inFlight[webhook.state] += webhook.inFlight;
    const maxWindow = durationMs <= FAST_MS ? MAX_FAST_WINDOW : MAX_WINDOW;
    if (success) webhook.window = Math.min(maxWindow, webhook.window + 1);
    // After a pause one attempt finds out what the receiver takes.
    else if (pauseMs !== null) webhook.window = 1;
    else webhook.window = Math.max(MIN_WINDOW, Math.floor(webhook.window / 2));
  }

  /** Puts the webhook at the end of the receiver's line. @returns when `turn` is to be called. */
  wait(webhook: ScheduledWebhook, receiverId: string, { untilMs, nowMs }: Until): number {
    this.leave(webhook);
    this.#ready.delete(webhook);
    const empty = { receiverId, webhooks: new Set<ScheduledWebhook>(), untilMs: 0, turnAtMs: null };
    const line = this.#lines.get(receiverId) ?? { ...empty, sinceMs: nowMs };
    this.#lines.set(receiverId, line);
    line.sinceMs = nowMs;
    line.webhooks.add(webhook);
    webhook.line = line;
    return holdLine(line, { untilMs, nowMs });
  }

  /** Those who stand in the receiver's line wait until a time. @returns when `turn` is to be called; null without a line. */
  hold(receiverId: string, until: Until): number | null {
    const line = this.#lines.get(receiverId);
    return line === undefined ? null : holdLine(line, until);
  }

  /** Whether the webhook has to wait, as far as this process knows. */
  isHeld({ line }: ScheduledWebhook, nowMs: number): boolean {
    return line !== null && line.untilMs > nowMs;
  }

  /** The first in the receiver's line goes on if its time has come; once for each hold. */
  turn(receiverId: string, nowMs: number): void {
    const line = this.#lines.get(receiverId);
    if (line !== undefined && line.turnAtMs !== null && line.turnAtMs <= nowMs) this.#goOn(line);
  }

  /** The first in the line of a receiver that was found free goes on, unless it is known to be held. */
  pass(receiverId: string, nowMs: number): void {
    const line = this.#lines.get(receiverId);
    if (line !== undefined && line.untilMs <= nowMs) this.#goOn(line);
  }

  /** The first in the receiver's line goes on: its pause was ended at a time. Of no effect on a later pause. */
  endPause(receiverId: string, endedAtMs: number): void {
    const line = this.#lines.get(receiverId);
    if (line === undefined || line.sinceMs > endedAtMs) return;
    line.untilMs = 0;
    this.#goOn(line);
  }

  /** Receivers that are held; at most `limit` of them. */
  heldReceivers(limit: number, nowMs: number): string[] {
    const held = [...this.#lines.values()].filter(({ untilMs }) => untilMs > nowMs);
    return held.slice(0, limit).map(({ receiverId }) => receiverId);
  }

  leave(webhook: ScheduledWebhook): void {
    const { line } = webhook;
    if (line === null) return;
    webhook.line = null;
    line.webhooks.delete(webhook);
    if (line.webhooks.size === 0) this.#lines.delete(line.receiverId);
  }

  #goOn(line: Line): void {
    line.turnAtMs = null;
    const [first] = line.webhooks;
    if (first === undefined) return;
    this.leave(first);
    this.wake(first);
  }

  #freeSlots(): { all: number; unproven: number } {
    const unproven = this.#inFlight.new + this.#inFlight.failing;
    return {
      all: MAX_IN_FLIGHT - unproven - this.#inFlight.healthy,
      unproven: MAX_IN_FLIGHT_UNPROVEN - unproven,
    };
  }

  #evictIdle(): void {
    for (const webhook of this.#webhooks.values())
      if (webhook.inFlight === 0 && webhook.line === null && !this.#ready.has(webhook))
        this.#webhooks.delete(webhook.webhookId);
  }
}

interface Until {
  readonly untilMs: number;
  readonly nowMs: number;
}

function holdLine(line: Line, { untilMs, nowMs }: Until): number {
  line.untilMs = Math.min(Math.max(line.untilMs, untilMs), nowMs + MAX_WAIT_MS);
  line.turnAtMs = line.untilMs;
  return line.untilMs;
}

function groupOf({ state, inFlight }: ScheduledWebhook): Group {
  const isRegular = state === 'healthy' || (state === 'new' && inFlight < FIRST_SLOTS);
  return isRegular ? 'regular' : 'unproven';
}

/** Of one grant. */
function maxSlotsOf(webhook: ScheduledWebhook): number {
  if (groupOf(webhook) === 'unproven') return MAX_UNPROVEN_SLOTS;
  return webhook.state === 'new' ? FIRST_SLOTS - webhook.inFlight : MAX_IN_FLIGHT;
}

function slotsFor({ window, maxInFlight, inFlight }: ScheduledWebhook, free: number): number {
  const atLeast = inFlight === 0 && free > -MAX_OVERDRAFT ? 1 : 0;
  return Math.max(Math.min(Math.min(window, maxInFlight) - inFlight, free), atLeast);
}
