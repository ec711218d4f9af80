/**
 * Who may send how much. Each webhook has a lane; a slow or dead receiver fills its own and nobody else's.
 *
 * A lane's window is the number of its attempts that may be under way. It opens with each success and halves with each
 * failure, as TCP's does. Lanes whose last attempt failed, or that never had one, share half of all places, so that
 * those that work keep the other half; and a lane with nothing under way may always send one.
 */
export interface Lane {
  readonly appId: string;
  readonly webhookId: string;
  underWay: number;
  window: number;
  /** Whether its last attempt succeeded. */
  isProven: boolean;
}

/** A lane that may send, and how much. */
export interface Asked {
  readonly lane: Lane;
  readonly places: number;
}

const FIRST_WINDOW = 2;
const MAX_WINDOW = 64;
/** A receiver that answers at once is not busy: more of its attempts may be under way. */
const MAX_QUICK_WINDOW = 256;
const QUICK_MS = 50;
export const MAX_UNDER_WAY = 1_024;
const MAX_UNPROVEN_UNDER_WAY = MAX_UNDER_WAY / 2;
/** One turn asks for so many lanes, so that it is short; SQLite has one writer for the turns of all. */
const MAX_LANES_A_TURN = { proven: 16, unproven: 4 };
/** Idle lanes are remembered for what is known of their receivers. */
const MAX_LANES = 10_000;

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Those for which something may be due, in the order in which they came. */
  readonly #waiting = new Set<Lane>();
  readonly #underWay = { proven: 0, unproven: 0 };

  /** Something may be due for this webhook. */
  wake(appId: string, webhookId: string): void {
    this.#waiting.add(this.#laneOf(appId, webhookId));
  }

  /**
   * Who is next, of the proven or the unproven that wait and have free places. They wait no longer: who is still due is
   * woken again.
   */
  next(proven: boolean): Asked[] {
    const max = MAX_LANES_A_TURN[proven ? 'proven' : 'unproven'];
    const asked: Asked[] = [];
    for (const lane of this.#waiting) {
      if (asked.length === max) break;
      const places = lane.isProven === proven ? this.#placesOf(lane) : 0;
      if (places > 0) asked.push({ lane, places });
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
    lane.isProven = success;
    const maxWindow = durationMs <= QUICK_MS ? MAX_QUICK_WINDOW : MAX_WINDOW;
    lane.window = success ? Math.min(maxWindow, lane.window + 1) : Math.max(1, Math.floor(lane.window / 2));
    this.#count(lane, lane.underWay);
  }

  #count({ isProven }: Lane, attempts: number): void {
    this.#underWay[isProven ? 'proven' : 'unproven'] += attempts;
  }

  #placesOf({ window, underWay, isProven }: Lane): number {
    const { proven, unproven } = this.#underWay;
    const all = MAX_UNDER_WAY - proven - unproven;
    const free = isProven ? all : Math.min(all, MAX_UNPROVEN_UNDER_WAY - unproven);
    return Math.max(Math.min(window - underWay, free), underWay === 0 ? 1 : 0);
  }

  #laneOf(appId: string, webhookId: string): Lane {
    const known = this.#lanes.get(webhookId);
    if (known !== undefined) return known;
    if (this.#lanes.size >= MAX_LANES) this.#forgetIdle();
    const lane = { appId, webhookId, underWay: 0, window: FIRST_WINDOW, isProven: false };
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  #forgetIdle(): void {
    for (const lane of this.#lanes.values())
      if (lane.underWay === 0 && !this.#waiting.has(lane)) this.#lanes.delete(lane.webhookId);
  }
}
