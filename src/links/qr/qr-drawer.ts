import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import type { drawQrCode, QrCodeStyle } from './qr-code.ts';

export interface Drawing {
  readonly number: number;
  readonly text: string;
  readonly style: QrCodeStyle;
}

type QrCode = Awaited<ReturnType<typeof drawQrCode>>;

export type Drawn = { readonly number: number } & (
  | { readonly code: QrCode }
  | { readonly message: string; readonly isRefusal: boolean }
);

/** Some two seconds of drawing. */
const MAX_WAITING = 200;

/** Draws in a thread: the largest code takes five milliseconds, in which no tap would be answered. */
export class QrDrawer {
  readonly #waiting = new Map<number, PromiseWithResolvers<QrCode>>();
  #thread: Worker | null = null;
  #lastNumber = 0;

  /** @throws AppError `request.invalid`, `server.busy`. */
  async draw(text: string, style: QrCodeStyle): Promise<QrCode> {
    if (this.#waiting.size >= MAX_WAITING)
      throw new AppError('server.busy', {
        message: `${MAX_WAITING} QR codes wait to be drawn. Try again after Retry-After seconds.`,
      });
    this.#thread ??= this.#start();
    const drawing: Drawing = { number: ++this.#lastNumber, text, style };
    const drawn = Promise.withResolvers<QrCode>();
    this.#waiting.set(drawing.number, drawn);
    this.#thread.postMessage(drawing);
    return await drawn.promise;
  }

  async stop(): Promise<void> {
    await this.#thread?.terminate();
  }

  /** At the first code: many services draw none. */
  #start(): Worker {
    const thread = new Worker(new URL('draw-thread.ts', import.meta.url));
    thread.unref();
    thread.on('message', (drawn: Drawn) => this.#settle(drawn));
    const end = (cause: unknown) => {
      if (this.#thread === thread) this.#thread = null;
      for (const { reject } of this.#waiting.values()) reject(cause);
      this.#waiting.clear();
    };
    thread.on('error', end);
    thread.on('exit', () => end(new Error('The thread that draws QR codes ended')));
    return thread;
  }

  #settle(drawn: Drawn): void {
    const waiting = this.#waiting.get(drawn.number);
    this.#waiting.delete(drawn.number);
    if ('code' in drawn) waiting?.resolve(drawn.code);
    else
      waiting?.reject(
        drawn.isRefusal
          ? new AppError('request.invalid', { message: drawn.message })
          : new Error(drawn.message),
      );
  }
}
