import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type After, SECOND_MS } from '../clock.ts';
import { decode } from './decode.ts';
import { failureOf, OutgoingError, type OutgoingResponse } from './failure.ts';

interface Limits {
  /** In total: name, connection, TLS, headers and body. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Names in lower case. */
  readonly keepHeaders?: readonly string[];
  readonly signal?: AbortSignal;
  readonly after: After;
}

/** Handles the agent's callbacks for one request. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: Limits;
  readonly #outcome = Promise.withResolvers<OutgoingResponse>();
  readonly #cancelTimeout: () => void;
  #controller: Dispatcher.DispatchController | null = null;
  #ended = false;
  #status = 0;
  #retryAfter: string | undefined;
  #location: string | undefined;
  #encoding: string | undefined;
  #kept: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #receivedBytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#cancelTimeout = limits.after(limits.timeoutMs, () => this.stop(timeout(limits.timeoutMs)));
    limits.signal?.addEventListener('abort', this.#onAbort);
  }

  /** Rejects with OutgoingError, or with the reason given to `stop`. */
  get response(): Promise<OutgoingResponse> {
    return this.#outcome.promise;
  }

  /** Closes the connection, if it is open. */
  stop(reason: unknown): void {
    this.#fail(reason);
    this.#disconnect();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The agent cannot cancel a request that waits for a connection, so it is aborted here.
    if (this.#ended) controller.abort(new Error('Ended before it was sent'));
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    const { 'retry-after': retryAfter, location, 'content-encoding': encoding } = headers;
    // Called for each 1xx too.
    this.#status = status;
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
    // Two of them are an array too, although the type says otherwise.
    this.#location = [location].flat()[0];
    this.#encoding = encoding;
    const kept = (this.#limits.keepHeaders ?? []).map((name) => [name, [headers[name]].flat()[0]]);
    this.#kept = Object.fromEntries(kept.filter(([, value]) => value !== undefined));
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
    this.#controller?.abort(new Error('Ended early'));
  }

  #succeed(): void {
    if (!this.#end()) return;
    this.#outcome.resolve(this.#received());
  }

  #received(): OutgoingResponse {
    const [retryAfter, location] = [this.#retryAfter, this.#location];
    const body = this.#text();
    this.#chunks = [];
    return {
      status: this.#status,
      body,
      ...(retryAfter !== undefined && { retryAfter }),
      ...(location !== undefined && { location }),
      ...(this.#limits.keepHeaders && { headers: this.#kept }),
    };
  }

  #fail(reason: unknown): void {
    if (!this.#end()) return;
    if (reason instanceof OutgoingError && this.#status >= 200) reason.partial = this.#received();
    this.#outcome.reject(reason);
  }

  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#cancelTimeout();
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  /** PostgreSQL cannot store NUL in text. */
  #text(): string {
    if (this.#receivedBytes === 0) return '';
    const { maxResponseBytes } = this.#limits;
    const received = Buffer.concat(this.#chunks);
    const decoded = decode(received, this.#encoding, maxResponseBytes) ?? received;
    const isCut = Math.max(received.length, decoded.length) > maxResponseBytes;
    const text = startOf(decoded, { bytes: maxResponseBytes, isCut }).replaceAll('\0', '');
    // Bytes that are no text, such as compressed ones, take more bytes as text.
    const asText = Buffer.from(text);
    return asText.length > maxResponseBytes
      ? startOf(asText, { bytes: maxResponseBytes, isCut: true })
      : text;
  }
}

/** @param isCut omits a character that is cut in the middle. */
function startOf(text: Buffer, { bytes, isCut }: { bytes: number; isCut: boolean }): string {
  return new TextDecoder().decode(text.subarray(0, bytes), { stream: isCut });
}

function timeout(timeoutMs: number): OutgoingError {
  return new OutgoingError('timeout', `No complete response within ${timeoutMs / SECOND_MS} s.`);
}
