import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { segmentName, segmentNumber } from './segment.ts';

/**
 * Moves the segments of one journal behind those of another. Neither is open. A crash in between leaves each segment in
 * one of both.
 */
export async function adoptSegments(from: string, into: string): Promise<void> {
  const left = await listSegments(from);
  if (left.length === 0) return;
  await mkdir(into, { recursive: true, mode: 0o700 });
  let next = ((await listSegments(into)).at(-1) ?? 0) + 1;
  for (const number of left) {
    await rename(join(from, segmentName(number)), join(into, segmentName(next)));
    next += 1;
  }
}

/** Their numbers, in order; none where there is no journal. */
async function listSegments(directory: string): Promise<number[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    // Anything else, and segments that are there would be written over.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .map(segmentNumber)
    .filter((number) => number !== null)
    .sort((a, b) => a - b);
}
