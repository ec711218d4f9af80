import type { Dispatcher } from 'undici';
import { SECOND_MS } from '../clock.ts';
import { failureOf, OutgoingError } from './failure.ts';

/** What came back: any status, also 3xx, and the beginning of the body as text without NUL characters. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Limits {
  /** For all of it: name, connection, TLS, headers and body. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
}

/** One request, as the agent tells of it. It ends once; what comes after that is dropped with the connection. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: Limits;
  readonly #outcome = Promise.withResolvers<Answer>();
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #ended = false;
  #status = 0;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#timer = setTimeout(() => this.stop(tooSlow(limits.timeoutMs)), limits.timeoutMs);
    limits.signal?.addEventListener('abort', this.#onAbort);
  }

  /** Rejects with OutgoingError, or with the reason for which it was stopped. */
  get answer(): Promise<Answer> {
    return this.#outcome.promise;
  }

  /** Drops the connection, if there is one yet. */
  stop(reason: unknown): void {
    this.#fail(reason);
    this.#disconnect();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // While it waits for a connection, a request cannot be taken back; it must not be sent any more, though.
    if (this.#ended) controller.abort(new Error('ended before it was sent'));
    this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    // Each 1xx comes here too; the last is the answer's.
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes < this.#limits.maxResponseBytes) return;
    this.#succeed();
    this.#disconnect();
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(failureOf(error));
  }

  readonly #onAbort = (): void => this.stop(this.#limits.signal?.reason);

  #disconnect(): void {
    this.#controller?.abort(new Error('ended early'));
  }

  #succeed(): void {
    if (!this.#end()) return;
    this.#outcome.resolve({ status: this.#status, body: this.#text() });
    this.#chunks = [];
  }

  #fail(reason: unknown): void {
    if (this.#end()) this.#outcome.reject(reason);
  }

  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  /** As UTF-8, whatever it is; PostgreSQL cannot hold NUL in a text. */
  #text(): string {
    if (this.#receivedBytes === 0) return '';
    const bytes = Buffer.concat(this.#chunks).subarray(0, this.#limits.maxResponseBytes);
    // A character that the cut goes through is left out.
    const stream = bytes.length < this.#receivedBytes;
    return new TextDecoder().decode(bytes, { stream }).replaceAll('\0', '');
  }
}

function tooSlow(timeoutMs: number): OutgoingError {
  return new OutgoingError('timeout', `No complete answer within ${timeoutMs / SECOND_MS} s.`);
}
