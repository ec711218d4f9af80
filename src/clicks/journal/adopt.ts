import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { damagedName, damagedNumber, segmentName, segmentNumber } from './segment.ts';

/**
 * Moves the segments of one journal behind those of another, and the damaged ones that are kept. Neither is open. A crash
 * in between leaves each segment in one of both.
 */
export async function adoptSegments(from: string, into: string): Promise<void> {
  const left = await listFiles(from);
  if (left.length === 0) return;
  await mkdir(into, { recursive: true, mode: 0o700 });
  let next = ((await listFiles(into)).at(-1)?.number ?? 0) + 1;
  for (const { name, nameOf } of left) {
    await rename(join(from, name), join(into, nameOf(next)));
    next += 1;
  }
}

interface SegmentFile {
  readonly name: string;
  readonly number: number;
  /** The name of a file of this kind. */
  readonly nameOf: (number: number) => string;
}

/** In the order of their numbers; none where there is no journal. */
async function listFiles(directory: string): Promise<SegmentFile[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    // Anything else, and segments that are there would be written over.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap(toSegmentFile).sort((a, b) => a.number - b.number);
}

function toSegmentFile(name: string): SegmentFile[] {
  const number = segmentNumber(name);
  if (number !== null) return [{ name, number, nameOf: segmentName }];
  const damaged = damagedNumber(name);
  return damaged === null ? [] : [{ name, number: damaged, nameOf: damagedName }];
}
