/** Links on their way to the listeners of the app; they wait for the first one. */
import type { Session } from './session.ts';
import { isWithin } from './timing.ts';
import type { DeepLink } from './types.ts';

export type Listener = (link: DeepLink) => void | Promise<void>;

const MAX_LINKS = 20;
/** Later the person has forgotten the tap. */
const MAX_AGE_MS = 86_400_000;

export class WaitingLinks {
  readonly #session: Session;
  readonly #listeners: ReadonlySet<Listener>;

  constructor(session: Session, listeners: ReadonlySet<Listener>) {
    this.#session = session;
    this.#listeners = listeners;
  }

  /** The caller saves the state. */
  add(link: DeepLink): void {
    const { state, now } = this.#session;
    state.waiting.push({ at: now(), link });
    if (state.waiting.length > MAX_LINKS) state.waiting.shift();
    this.deliver();
  }

  /** Calls the listeners. The link leaves the storage in the same turn. */
  deliver(): void {
    const { state, now, save, log } = this.#session;
    while (this.#listeners.size > 0) {
      const next = state.waiting.shift();
      if (next === undefined) return;
      save();
      if (!isWithin(MAX_AGE_MS, now(), next.at)) continue;
      log('debug', `Delivering ${next.link.path}`);
      for (const listener of this.#listeners) void this.#call(listener, next.link);
    }
  }

  /** A caller has the link. */
  remove(url: string): void {
    const { state, save } = this.#session;
    state.waiting = state.waiting.filter(({ link }) => link.url !== url);
    save();
  }

  async #call(listener: Listener, link: DeepLink): Promise<void> {
    try {
      await listener(link);
    } catch (cause) {
      this.#session.log('error', `A listener of onDeepLink failed: ${cause}`);
    }
  }
}
