import { statfs } from 'node:fs/promises';

const MIB = 1024 * 1024;
const RESERVED_SHARE = 0.05;
const MIN_RESERVED_BYTES = 64 * MIB;
const MAX_RESERVED_BYTES = 1024 * MIB;

/**
 * Free bytes of a directory's file system beyond the reserve: 5 % of the file system, at least 64 MiB and at most 1 GiB.
 * Negative below it.
 */
export async function freeBeyondReserve(directory: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(directory);
  const share = blocks * bsize * RESERVED_SHARE;
  return bavail * bsize - Math.min(Math.max(share, MIN_RESERVED_BYTES), MAX_RESERVED_BYTES);
}
