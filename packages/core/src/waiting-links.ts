/** Links on their way to the listeners of the app; they wait for the first one. */
import { withUpdate } from './app-version.ts';
import type { Session } from './session.ts';
import type { DeepLink } from './types.ts';

export type Listener = (link: DeepLink) => void | Promise<void>;

const MAX_LINKS = 20;
/** Later the person has forgotten the tap. */
const MAX_AGE_MS = 86_400_000;

export class WaitingLinks {
  readonly #session: Session;
  /** When those of this process came, in milliseconds of `uptime`. */
  readonly #since = new WeakMap<object, number>();
  /** Until it is known whether a URL started the app. */
  #isDeferredHeld = true;
  #isOpened = false;
  readonly #listeners: ReadonlySet<Listener>;

  constructor(session: Session, listeners: ReadonlySet<Listener>) {
    this.#session = session;
    this.#listeners = listeners;
  }

  /** The caller saves the state. */
  add(link: DeepLink): void {
    const { state, now, uptime } = this.#session;
    const waiting = { at: now(), link };
    this.#since.set(waiting, uptime());
    state.waiting.push(waiting);
    if (link.deferred && this.#isOpened) this.removeDeferred();
    if (state.waiting.length > MAX_LINKS) state.waiting.shift();
    this.deliver();
  }

  /** Calls the listeners. The link leaves the storage in the same turn. */
  deliver(): void {
    const { state, now, uptime, save, log, app, appRead } = this.#session;
    while (this.#listeners.size > 0) {
      const next = state.waiting.find(({ link }) => !(link.deferred && this.#isDeferredHeld));
      if (next === undefined) return;
      if (next.link.minAppVersion !== undefined && app() === null) {
        void appRead().then(() => this.deliver());
        return;
      }
      state.waiting = state.waiting.filter((each) => each !== next);
      save();
      const since = this.#since.get(next);
      const ageMs = since === undefined ? now() - next.at : uptime() - since;
      if (ageMs >= MAX_AGE_MS) continue;
      log('debug', `Delivering ${next.link.path}`);
      const link = withUpdate(next.link, app());
      for (const listener of this.#listeners) void this.#call(listener, link);
    }
  }

  /** No URL started the app. */
  releaseDeferred(): void {
    this.#isDeferredHeld = false;
    this.deliver();
  }

  /** A URL opened the app, whose screen the deferred link must not replace; `firstOpen` has it. */
  removeDeferred(): void {
    this.#isOpened = true;
    const { state, save } = this.#session;
    const kept = state.waiting.filter(({ link }) => !link.deferred);
    if (kept.length === state.waiting.length) return;
    state.waiting = kept;
    save();
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
