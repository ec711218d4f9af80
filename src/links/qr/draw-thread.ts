/** Draws QR codes one after the other, beside the event loop. */
import { parentPort } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import { drawQrCode } from './qr-code.ts';
import type { Drawing, Drawn } from './qr-drawer.ts';

let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (drawing: Drawing) => {
  last = last.then(async () => parentPort?.postMessage(await draw(drawing)));
});

async function draw({ number, text, style }: Drawing): Promise<Drawn> {
  try {
    return { number, code: await drawQrCode(text, style) };
  } catch (error) {
    // An error loses its class between threads.
    const { message } = error as Error;
    return { number, message, isRefusal: error instanceof AppError };
  }
}
