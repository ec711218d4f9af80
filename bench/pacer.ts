/** Requests at an even pace, however long answers take: each counts from when it was due. */
export class Pacer {
  readonly #everyMs: number;
  #dueMs: number;
  /** Connections without a request, by how each is asked to go on. */
  readonly #free: ((nowMs: number) => void)[] = [];
  readonly #timer = setInterval(() => this.#tick(performance.now()), 1);
  #stoppedAtMs: number | null = null;

  constructor(perSecond: number, startMs: number) {
    this.#everyMs = 1_000 / perSecond;
    this.#dueMs = startMs;
  }

  /** Whether a connection's request is due. If not, the connection is asked again, with the time from which it counts. */
  isDue(nowMs: number, goOn: (nowMs: number) => void): boolean {
    // A timer may fire a little before its time: whoever is answered in between is asked too, and not left waiting.
    if (this.#stoppedAtMs !== null) goOn(this.#stoppedAtMs);
    else if (nowMs < this.#dueMs) this.#free.push(goOn);
    else if (nowMs > this.#dueMs) goOn(this.#dueMs);
    else {
      this.#dueMs += this.#everyMs;
      return true;
    }
    return false;
  }

  /** Asks whoever still waits, and nobody afterwards. */
  stop(nowMs: number): void {
    clearInterval(this.#timer);
    this.#stoppedAtMs = nowMs;
    for (const goOn of this.#free.splice(0)) goOn(nowMs);
  }

  #tick(nowMs: number): void {
    while (this.#dueMs <= nowMs) {
      const goOn = this.#free.shift();
      if (goOn === undefined) return;
      goOn(this.#dueMs);
    }
  }
}
