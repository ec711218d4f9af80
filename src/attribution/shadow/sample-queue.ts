/** Certain installs that wait to be measured. The oldest of each app in turn, so that a busy app delays its own alone. */
export class SampleQueue<Item> {
  readonly #byApp = new Map<string, Item[]>();
  readonly #max: { readonly ofApp: number; readonly all: number };
  #size = 0;

  constructor(max: { readonly ofApp: number; readonly all: number }) {
    this.#max = max;
  }

  /** @returns false if there is no place for it. */
  add(appId: string, item: Item): boolean {
    const items = this.#byApp.get(appId) ?? [];
    if (this.#size >= this.#max.all || items.length >= this.#max.ofApp) return false;
    this.#byApp.set(appId, [...items, item]);
    this.#size += 1;
    return true;
  }

  /** Takes the next one out; its app then waits for the others. */
  take(): Item | undefined {
    const [entry] = this.#byApp;
    if (entry === undefined) return undefined;
    const [appId, [item, ...others]] = entry;
    this.#byApp.delete(appId);
    if (others.length > 0) this.#byApp.set(appId, others);
    this.#size -= 1;
    return item;
  }
}
