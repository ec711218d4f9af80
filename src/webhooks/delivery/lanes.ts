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
  isProven: boolean;
  /** Whether something may be due: false once the queue gave less than was asked for. */
  mayBeDue: boolean;
}

/** A lane that may send, and how much. */
export interface Asked {
  readonly lane: Lane;
  readonly places: number;
}

const FIRST_WINDOW = 8;
const MAX_WINDOW = 64;
export const MAX_UNDER_WAY = 1_024;
const MAX_UNPROVEN_UNDER_WAY = MAX_UNDER_WAY / 2;
/** One turn asks for so many lanes at most, so that a turn is short. */
const MAX_LANES_A_TURN = 16;
/** Idle lanes are remembered for what is known of their receivers. */
const MAX_LANES = 10_000;

export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /** Something may be due for this webhook. */
  wake(appId: string, webhookId: string): void {
    this.#laneOf(appId, webhookId).mayBeDue = true;
  }

  /** Lanes that may be due and have free places, and how many places; proven ones first, then who waited longest. */
  next(): Asked[] {
    const waiting = [...this.#lanes.values()].filter(({ mayBeDue }) => mayBeDue);
    if (waiting.length === 0) return [];
    const free = this.#freePlaces();
    const chosen: Asked[] = [];
    for (const isProven of [true, false])
      for (const lane of waiting) {
        if (lane.isProven !== isProven || chosen.length === MAX_LANES_A_TURN) continue;
        const places = placesOf(lane, isProven ? free.all : Math.min(free.all, free.unproven));
        if (places === 0) continue;
        free.all -= places;
        if (!isProven) free.unproven -= places;
        chosen.push({ lane, places });
      }
    for (const { lane } of chosen) this.#toTheEnd(lane);
    return chosen;
  }

  /** An attempt of this lane ended. */
  ended(lane: Lane, success: boolean): void {
    lane.underWay -= 1;
    lane.isProven = success;
    lane.window = success ? Math.min(MAX_WINDOW, lane.window + 1) : Math.max(1, Math.floor(lane.window / 2));
  }

  #freePlaces(): { all: number; unproven: number } {
    return {
      all: MAX_UNDER_WAY - this.#sum(() => true),
      unproven: MAX_UNPROVEN_UNDER_WAY - this.#sum(({ isProven }) => !isProven),
    };
  }

  #sum(counts: (lane: Lane) => boolean): number {
    let sum = 0;
    for (const lane of this.#lanes.values()) if (counts(lane)) sum += lane.underWay;
    return sum;
  }

  #laneOf(appId: string, webhookId: string): Lane {
    const known = this.#lanes.get(webhookId);
    if (known !== undefined) return known;
    if (this.#lanes.size >= MAX_LANES) this.#forgetIdle();
    const lane = { appId, webhookId, underWay: 0, window: FIRST_WINDOW, isProven: false, mayBeDue: false };
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  #forgetIdle(): void {
    for (const lane of this.#lanes.values())
      if (lane.underWay === 0 && !lane.mayBeDue) this.#lanes.delete(lane.webhookId);
  }

  #toTheEnd(lane: Lane): void {
    this.#lanes.delete(lane.webhookId);
    this.#lanes.set(lane.webhookId, lane);
  }
}

function placesOf({ window, underWay }: Lane, free: number): number {
  const places = Math.min(window - underWay, free);
  return Math.max(places, underWay === 0 ? 1 : 0);
}
