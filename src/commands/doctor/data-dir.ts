import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { readSpace } from '../../lib/free-space.ts';
import { attempt, type Finding, fault, ok, sizeOf, warning } from './check.ts';

/** Of statfs(2): file systems whose locks or syncs SQLite and the journal cannot rely on, or that end with the machine. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x786f4256, 'a shared folder of VirtualBox'],
]);
const IN_MEMORY = 0x01021994;
const OF_CONTAINER = 0x794c7630;

const SYNCS = 15;
const SLOW_SYNC_MS = 25;
/** Free space, times the reserve, below which it is said. */
const LOW = 2;

/** Of `DATA_DIR`: it is private and writable, on a disk with free space that syncs fast. */
export async function checkDataDir({ dataDir }: Pick<Config, 'dataDir'>): Promise<Finding[]> {
  const path = resolve(dataDir);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    return [
      warning(
        'disk.writable',
        `${path} does not exist`,
        'The first start creates it. If there is data, set DATA_DIR to its folder.',
      ),
    ];
  if (!stats.isDirectory())
    return [fault('disk.writable', `${path} is no folder`, 'Set DATA_DIR to the folder of the data.')];
  try {
    accessSync(path, constants.W_OK);
  } catch {
    return [
      fault(
        'disk.writable',
        `${path} is not writable for this user`,
        'Run the doctor as the user of the service, or chown the folder.',
      ),
    ];
  }
  const foreign = readdirSync(path).find((name) => !isUsable(join(path, name)));
  if (foreign !== undefined)
    return [
      fault(
        'disk.writable',
        `${join(path, foreign)} is not readable and writable for this user`,
        `Run the doctor as the user of the service, or give the files to that user: chown -R USER: ${path}`,
      ),
    ];
  const open = isOpen(stats) ? readdirSync(path).find((name) => isOpenAt(join(path, name))) : undefined;
  return [
    open === undefined
      ? ok('disk.private', `${path} is private and writable`)
      : warning(
          'disk.private',
          `Other users may read ${join(path, open)}, and this folder holds personal data`,
          `chmod -R go= ${path}`,
        ),
    await checkSpace(path),
    checkFileSystem(path),
    // A full disk takes no write.
    ...(await attempt('disk.sync', () => checkSync(path))),
  ];
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    // Gone meanwhile.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function isOpen({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

/** The service makes private files, also in a folder that a container engine made open. */
function isOpenAt(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && isOpen(stats);
}

async function checkSpace(path: string): Promise<Finding> {
  const { freeBytes, reservedBytes } = await readSpace(path);
  const free = `${sizeOf(freeBytes)} are free`;
  if (freeBytes < reservedBytes)
    return fault(
      'disk.free',
      `${free}: taps are redirected without a record`,
      'Free space on the disk of DATA_DIR.',
    );
  if (freeBytes < LOW * reservedBytes)
    return warning(
      'disk.free',
      `${free}, which is nearly the reserve of ${sizeOf(reservedBytes)}`,
      'Free space, or shorten the retention (docs/guide/privacy.md).',
    );
  return ok('disk.free', free);
}

function checkFileSystem(path: string): Finding {
  const { type } = statfsSync(path);
  const network = NETWORK.get(type >>> 0);
  if (network !== undefined)
    return fault(
      'disk.file_system',
      `${path} is on ${network}, where locks and syncs do not hold what they promise`,
      'Move DATA_DIR to a disk of this machine (docs/guide/running.md).',
    );
  if (type === IN_MEMORY)
    return fault(
      'disk.file_system',
      `${path} is in memory and lost with a restart`,
      'Move DATA_DIR to a disk.',
    );
  if (type === OF_CONTAINER)
    return warning(
      'disk.file_system',
      `${path} is in the container’s own layer and lost with the container`,
      'Mount a volume there.',
    );
  return ok('disk.file_system', 'The file system is a local one');
}

function checkSync(path: string): Finding {
  const folder = mkdtempSync(join(path, '.doctor-'));
  try {
    const file = openSync(join(folder, 'sync'), 'w');
    const times = Array.from({ length: SYNCS }, () => {
      const begunMs = monotonicMs();
      writeSync(file, Buffer.alloc(4_096));
      fsyncSync(file);
      return monotonicMs() - begunMs;
    });
    closeSync(file);
    const median = times.sort((a, b) => a - b)[Math.floor(SYNCS / 2)] ?? 0;
    const text = `A synced write takes ${median.toFixed(1)} ms`;
    return median > SLOW_SYNC_MS
      ? warning(
          'disk.sync',
          text,
          'Each install waits for one. Use a faster disk, or find what else writes to it.',
        )
      : ok('disk.sync', text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
