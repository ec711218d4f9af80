import { type BytesByApp, isAtOrAfter, type Position } from './journal/index.ts';

/** Which apps have rows in the main journal that are not applied, so that each waits for its own only. */
export class PendingApps {
  /** Rows before it are of an earlier process and unknown apps. */
  readonly #startedAt: Position;
  #position: Position;
  /** By app: the end of its last write. */
  readonly #ends = new Map<string, Position>();

  constructor({ start, end }: { readonly start: Position; readonly end: Position }) {
    this.#position = start;
    this.#startedAt = end;
  }

  /** Everything before `end` is on disk. */
  written(bytes: BytesByApp, end: Position): void {
    for (const appId of bytes.keys()) this.#ends.set(appId, end);
  }

  /** Everything before `position` is applied, or in a lane. */
  applied(position: Position): void {
    this.#position = position;
    for (const [appId, end] of this.#ends) if (isAtOrAfter(position, end)) this.#ends.delete(appId);
  }

  get apps(): readonly string[] {
    return [...this.#ends.keys()];
  }

  /** The position up to which an app has to wait; null if nothing of it is pending. */
  endOf(appId: string): Position | null {
    const end = this.#ends.get(appId);
    if (end !== undefined) return end;
    return isAtOrAfter(this.#position, this.#startedAt) ? null : this.#startedAt;
  }
}
