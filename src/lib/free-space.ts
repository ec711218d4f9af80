import { statfs } from 'node:fs/promises';

const MIB = 1024 * 1024;
const RESERVED_SHARE = 0.05;
const MIN_RESERVED_BYTES = 64 * MIB;
const MAX_RESERVED_BYTES = 1024 * MIB;

/** Of the file system of a directory. The reserve is 5 % of it, at least 64 MiB and at most 1 GiB. */
export async function readSpace(directory: string): Promise<{ freeBytes: number; reservedBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(directory);
  const share = Math.round(blocks * bsize * RESERVED_SHARE);
  const reservedBytes = Math.min(Math.max(share, MIN_RESERVED_BYTES), MAX_RESERVED_BYTES);
  return { freeBytes: bavail * bsize, reservedBytes };
}

/** Free bytes beyond the reserve; negative below it. */
export async function freeBeyondReserve(directory: string): Promise<number> {
  const { freeBytes, reservedBytes } = await readSpace(directory);
  return freeBytes - reservedBytes;
}
