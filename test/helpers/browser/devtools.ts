/** Chromium's DevTools protocol over a pair of pipes: JSON texts, each terminated by a zero byte. No port is opened. */
import type { Readable, Writable } from 'node:stream';

// biome-ignore lint/suspicious/noExplicitAny: the protocol has hundreds of shapes; each caller knows its own.
export type Fields = Record<string, any>;

type Listener = (fields: Fields) => void;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Fields;
  readonly sessionId?: string;
  readonly result?: Fields;
  readonly error?: { readonly message: string };
}

interface Call {
  readonly method: string;
  readonly resolve: (result: Fields) => void;
  readonly reject: (error: Error) => void;
}

const END = 0;
/** Longer than any call takes on a loaded machine. */
export const GIVE_UP_AFTER_MS = 30_000;

export class DevTools {
  readonly #toBrowser: Writable;
  readonly #calls = new Map<number, Call>();
  readonly #listeners = new Map<string, Listener[]>();
  #lastId = 0;
  #received: Buffer[] = [];
  #isClosed = false;

  constructor(toBrowser: Writable, fromBrowser: Readable) {
    this.#toBrowser = toBrowser;
    fromBrowser.on('data', (chunk: Buffer) => this.#receive(chunk));
    fromBrowser.on('close', () => this.#close());
    // Writes to an ended browser fail; `#close` rejects the pending calls.
    toBrowser.on('error', () => undefined);
    fromBrowser.on('error', () => undefined);
  }

  /**
   * Calls a method, of the whole browser or of one session with a page.
   * @throws the browser's error, its end, or a timeout.
   */
  async call(method: string, params: Fields = {}, sessionId?: string): Promise<Fields> {
    if (this.#isClosed) throw new Error(`${method}: the browser has ended`);
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Fields>();
    this.#calls.set(id, { method, resolve, reject });
    const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), GIVE_UP_AFTER_MS);
    this.#toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return await promise.finally(() => clearTimeout(timer));
  }

  /** Subscribes to one event of one session. */
  on(event: string, sessionId: string, listener: Listener): void {
    const key = `${sessionId} ${event}`;
    this.#listeners.set(key, [...(this.#listeners.get(key) ?? []), listener]);
  }

  #receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(END); end !== -1; end = rest.indexOf(END)) {
      const text = Buffer.concat([...this.#received, rest.subarray(0, end)]).toString();
      this.#received = [];
      rest = rest.subarray(end + 1);
      this.#take(JSON.parse(text) as Message);
    }
    this.#received.push(rest);
  }

  #take({ id, method, params = {}, sessionId, result = {}, error }: Message): void {
    if (id === undefined) {
      for (const listener of this.#listeners.get(`${sessionId} ${method}`) ?? []) listener(params);
      return;
    }
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(`${call.method}: ${error.message}`));
  }

  #close(): void {
    this.#isClosed = true;
    for (const { method, reject } of this.#calls.values())
      reject(new Error(`${method}: the browser has ended`));
    this.#calls.clear();
  }
}
