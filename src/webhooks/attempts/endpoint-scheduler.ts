import type { AttemptResult } from './send.ts';

/**
 * Decides how many deliveries each webhook may send, so that a slow or failing receiver delays only its own.
 * An endpoint's window, the attempts it may have in flight, grows by one with each success and halves with each failure,
 * as TCP's does, but not below `MIN_WINDOW`; it is one after a receiver asked for a pause. Endpoints that failed last, or have no result yet, share half of all slots.
 * An endpoint with nothing in flight may always send one.
 */
export interface Endpoint {
  readonly appId: string;
  readonly webhookId: string;
  inFlight: number;
  window: number;
  /** The result of its last attempt; `new` before the first. */
  state: 'new' | 'healthy' | 'failing';
}

/** An endpoint that may send, and how many deliveries. */
export interface Grant {
  readonly endpoint: Endpoint;
  readonly slots: number;
}

/** Each has a worker. `unproven` are failing endpoints, and new ones beyond their first attempts; `regular` all others. */
export type EndpointGroup = 'regular' | 'unproven';

/** So many deliveries to a receiver that hangs are each retried on time, though every attempt lasts 10 s. */
const MIN_WINDOW = 20;
/** Attempts of a new endpoint that start at once. */
const FIRST_SLOTS = 2;
const MAX_WINDOW = 64;
/** For receivers that respond within `FAST_MS` and so have capacity left. */
const MAX_FAST_WINDOW = 768;
const FAST_MS = 50;
/** Slots of all endpoints together. */
export const MAX_IN_FLIGHT = 1_024;
/** Of the half that unproven endpoints share, kept for those with nothing in flight. */
const RESERVED_UNPROVEN = 64;
const MAX_IN_FLIGHT_UNPROVEN = MAX_IN_FLIGHT / 2 - RESERVED_UNPROVEN;
/** Attempts beyond `MAX_IN_FLIGHT` from endpoints that had none in flight. */
const MAX_OVERDRAFT = 3 * MAX_IN_FLIGHT;
/** Endpoints in one batch. Few, so that its transaction is short: SQLite has one writer for all batches. */
const MAX_GRANTS = { regular: 16, unproven: 4 };
/** Of one grant to an unproven endpoint. More would delay the attempts of others, above all if they fail at once. */
const MAX_UNPROVEN_SLOTS = 5;
/** Idle endpoints are kept for their window and state. */
const MAX_ENDPOINTS = 10_000;

/** The endpoints of this process. Which deliveries are due is known to the database alone. */
export class EndpointScheduler {
  readonly #endpoints = new Map<string, Endpoint>();
  /** Endpoints that may have due deliveries, in order of arrival. */
  readonly #ready = new Set<Endpoint>();
  readonly #inFlight = { new: 0, healthy: 0, failing: 0 };

  endpointOf(appId: string, webhookId: string): Endpoint {
    const known = this.#endpoints.get(webhookId);
    if (known !== undefined) return known;
    if (this.#endpoints.size >= MAX_ENDPOINTS) this.#evictIdle();
    const endpoint: Endpoint = { appId, webhookId, inFlight: 0, window: MIN_WINDOW, state: 'new' };
    this.#endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  /** Marks a webhook as one that may have due deliveries. */
  wake(appId: string, webhookId: string): void {
    this.#ready.add(this.endpointOf(appId, webhookId));
  }

  /** The endpoint waits until it is woken again. */
  rest(endpoint: Endpoint): void {
    this.#ready.delete(endpoint);
  }

  /** Takes the next endpoints with free slots from the ready ones. The caller wakes those with more due deliveries. */
  next(group: EndpointGroup): Grant[] {
    const grants: Grant[] = [];
    const free = this.#freeSlots();
    for (const endpoint of this.#ready) {
      if (grants.length === MAX_GRANTS[group]) break;
      if (groupOf(endpoint) !== group) continue;
      const isHealthy = endpoint.state === 'healthy';
      const freeSlots = isHealthy ? free.all : Math.min(free.all, free.unproven);
      const slots = Math.min(slotsFor(endpoint, freeSlots), maxSlotsOf(endpoint));
      if (slots === 0) continue;
      free.all -= slots;
      if (!isHealthy) free.unproven -= slots;
      grants.push({ endpoint, slots });
    }
    for (const { endpoint } of grants) this.#ready.delete(endpoint);
    return grants;
  }

  started(endpoint: Endpoint): void {
    endpoint.inFlight += 1;
    this.#inFlight[endpoint.state] += 1;
  }

  finished(
    endpoint: Endpoint,
    { success, durationMs, pauseMs }: Pick<AttemptResult, 'success' | 'durationMs' | 'pauseMs'>,
  ): void {
    this.#inFlight[endpoint.state] -= endpoint.inFlight;
    endpoint.inFlight -= 1;
    endpoint.state = success ? 'healthy' : 'failing';
    this.#inFlight[endpoint.state] += endpoint.inFlight;
    const maxWindow = durationMs <= FAST_MS ? MAX_FAST_WINDOW : MAX_WINDOW;
    if (success) endpoint.window = Math.min(maxWindow, endpoint.window + 1);
    // After a pause one attempt finds out what the receiver takes.
    else if (pauseMs !== null) endpoint.window = 1;
    else endpoint.window = Math.max(MIN_WINDOW, Math.floor(endpoint.window / 2));
  }

  #freeSlots(): { all: number; unproven: number } {
    const unproven = this.#inFlight.new + this.#inFlight.failing;
    return {
      all: MAX_IN_FLIGHT - unproven - this.#inFlight.healthy,
      unproven: MAX_IN_FLIGHT_UNPROVEN - unproven,
    };
  }

  #evictIdle(): void {
    for (const endpoint of this.#endpoints.values())
      if (endpoint.inFlight === 0 && !this.#ready.has(endpoint)) this.#endpoints.delete(endpoint.webhookId);
  }
}

function groupOf({ state, inFlight }: Endpoint): EndpointGroup {
  const isRegular = state === 'healthy' || (state === 'new' && inFlight < FIRST_SLOTS);
  return isRegular ? 'regular' : 'unproven';
}

/** Of one grant. */
function maxSlotsOf(endpoint: Endpoint): number {
  if (groupOf(endpoint) === 'unproven') return MAX_UNPROVEN_SLOTS;
  return endpoint.state === 'new' ? FIRST_SLOTS - endpoint.inFlight : MAX_IN_FLIGHT;
}

function slotsFor({ window, inFlight }: Endpoint, free: number): number {
  const atLeast = inFlight === 0 && free > -MAX_OVERDRAFT ? 1 : 0;
  return Math.max(Math.min(window - inFlight, free), atLeast);
}
