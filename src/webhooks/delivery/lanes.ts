/**
 * Who may send how much. Each webhook has a lane; a slow or dead receiver fills its own and nobody else's.
 *
 * A lane's window is the number of its attempts that may be under way. It opens with each success and halves with each
 * failure, as TCP's does. Lanes whose last attempt failed, or whose first did not end yet, share half of all places, so
 * that those that work keep the other half; and a lane with nothing under way may always send one.
 */
export interface Lane {
  readonly appId: string;
  readonly webhookId: string;
  underWay: number;
  window: number;
  /** How its last attempt ended; none did yet when it is new. */
  state: 'new' | 'working' | 'failing';
}

/** A lane that may send, and how much. */
export interface Asked {
  readonly lane: Lane;
  readonly places: number;
}

const FIRST_WINDOW = 2;
const MAX_WINDOW = 64;
/** A receiver that answers at once is not busy: more of its attempts may be under way. */
const MAX_QUICK_WINDOW = 768;
const QUICK_MS = 50;
/** Places, of all lanes together. */
export const MAX_UNDER_WAY = 1_024;
const MAX_UNDER_WAY_UNPROVEN = MAX_UNDER_WAY / 2;
/** So many lanes may send their one although no place is free. */
const MAX_OVERDRAWN = 3 * MAX_UNDER_WAY;
/** One turn asks for so many lanes, so that it is short; SQLite has one writer for the turns of all. */
const MAX_LANES_A_TURN = { others: 16, failing: 4 };
/** Idle lanes are remembered for what is known of their receivers. */
const MAX_LANES = 10_000;

/** All lanes of a process. They say who may send; what is due is known to the database alone. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Those for which something may be due, in the order in which they came. */
  readonly #waiting = new Set<Lane>();
  readonly #underWay = { new: 0, working: 0, failing: 0 };

  /** Something may be due for this webhook. */
  wake(appId: string, webhookId: string): void {
    this.#waiting.add(this.#laneOf(appId, webhookId));
  }

  /**
   * Who is next, of those that fail or of the others that wait and have free places. They wait no longer: who is still
   * due is woken again.
   */
  next(those: 'failing' | 'others'): Asked[] {
    const asked: Asked[] = [];
    const free = this.#freePlaces();
    for (const lane of this.#waiting) {
      if (asked.length === MAX_LANES_A_TURN[those]) break;
      if ((lane.state === 'failing') !== (those === 'failing')) continue;
      const places = placesOf(lane, lane.state === 'working' ? free.all : Math.min(free.all, free.unproven));
      if (places === 0) continue;
      free.all -= places;
      if (lane.state !== 'working') free.unproven -= places;
      asked.push({ lane, places });
    }
    for (const { lane } of asked) this.#waiting.delete(lane);
    return asked;
  }

  began(lane: Lane): void {
    lane.underWay += 1;
    this.#count(lane, 1);
  }

  ended(lane: Lane, { success, durationMs }: { success: boolean; durationMs: number }): void {
    this.#count(lane, -lane.underWay);
    lane.underWay -= 1;
    lane.state = success ? 'working' : 'failing';
    const maxWindow = durationMs <= QUICK_MS ? MAX_QUICK_WINDOW : MAX_WINDOW;
    lane.window = success ? Math.min(maxWindow, lane.window + 1) : Math.max(1, Math.floor(lane.window / 2));
    this.#count(lane, lane.underWay);
  }

  #count({ state }: Lane, attempts: number): void {
    this.#underWay[state] += attempts;
  }

  #freePlaces(): { all: number; unproven: number } {
    const unproven = this.#underWay.new + this.#underWay.failing;
    return {
      all: MAX_UNDER_WAY - unproven - this.#underWay.working,
      unproven: MAX_UNDER_WAY_UNPROVEN - unproven,
    };
  }

  #laneOf(appId: string, webhookId: string): Lane {
    const known = this.#lanes.get(webhookId);
    if (known !== undefined) return known;
    if (this.#lanes.size >= MAX_LANES) this.#forgetIdle();
    const lane: Lane = { appId, webhookId, underWay: 0, window: FIRST_WINDOW, state: 'new' };
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  #forgetIdle(): void {
    for (const lane of this.#lanes.values())
      if (lane.underWay === 0 && !this.#waiting.has(lane)) this.#lanes.delete(lane.webhookId);
  }
}

function placesOf({ window, underWay }: Lane, free: number): number {
  const atLeast = underWay === 0 && free > -MAX_OVERDRAWN ? 1 : 0;
  return Math.max(Math.min(window - underWay, free), atLeast);
}
