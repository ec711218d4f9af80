import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { AppError } from '../../errors.ts';
import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';
import { MAX_IMPORT_BYTES } from './import.ts';

const STALLED_AFTER_MS = 30 * SECOND_MS;
/** What is refused is read on and dropped: many clients read no answer before they have sent all. */
const DISCARD_FOR_MS = 10 * SECOND_MS;

const TOO_LARGE = 'The file has more than 50 MB. Divide it, and import the parts one after the other.';

/**
 * Writes a body to a new file as it arrives.
 * @param announced its length, if the client said it.
 * @returns the bytes.
 * @throws AppError `request.too_large`; the error of a connection that ends, or that sends nothing for 30 s.
 */
export async function receiveFile(
  body: Readable,
  { path, announced }: { path: string; announced: number },
): Promise<number> {
  const stalled = setTimeout(() => body.destroy(new AppError('request.malformed')), STALLED_AFTER_MS);
  const file = await open(path, 'wx', 0o600);
  try {
    return await copy(body, file, { announced, onPiece: () => stalled.refresh() });
  } finally {
    clearTimeout(stalled);
    await file.close();
  }
}

/** Reads the rest of a refused upload, for 10 s at most. @returns whether that was all of it. */
export async function discard(body: Readable): Promise<boolean> {
  if (body.readableEnded || body.destroyed) return body.readableEnded;
  body.resume();
  const options = { signal: AbortSignal.timeout(DISCARD_FOR_MS), cleanup: true };
  return await finished(body, options).then(
    () => true,
    () => false,
  );
}

async function copy(
  body: Readable,
  file: FileHandle,
  { announced, onPiece }: { announced: number; onPiece: () => void },
): Promise<number> {
  let bytes = 0;
  let refusedMs: number | null = announced > MAX_IMPORT_BYTES ? monotonicMs() : null;
  // A destroyed request could not be answered.
  for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    onPiece();
    bytes += piece.length;
    if (refusedMs === null && bytes > MAX_IMPORT_BYTES) refusedMs = monotonicMs();
    if (refusedMs === null) await file.writeFile(piece);
    else if (monotonicMs() - refusedMs > DISCARD_FOR_MS) break;
  }
  if (refusedMs !== null) throw new AppError('request.too_large', { message: TOO_LARGE });
  return bytes;
}
