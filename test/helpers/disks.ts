/** Small disks that a test can fill and break. They need Linux and the right to mount. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Three times the free space that the click log reserves. */
const DISK_MB = 192;

/** A disk in memory. */
export function mountDisk(): string {
  return makeDisk((disk) => mount('-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk));
}

/** Fills the disk up to `leaveMb`; to the last block where that is 0. */
export function fill(disk: string, leaveMb = 0): void {
  for (;;) {
    const { bavail, bsize } = statfsSync(disk);
    const blocks = bavail - (leaveMb * 1024 * 1024) / bsize;
    if (blocks <= 0) return;
    try {
      writeFileSync(ballastOf(disk), Buffer.alloc(Math.min(blocks, 1_024) * bsize), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

export function makeRoom(disk: string): void {
  rmSync(ballastOf(disk));
}

export function makeReadOnly(disk: string): void {
  mount('-o', 'remount,ro', disk);
}

/** A disk in a file, so that a test can corrupt its file system. */
export function mountImage(): string {
  return makeDisk((disk) => {
    run('truncate', '--size', `${DISK_MB}M`, imageOf(disk));
    run('mkfs.ext4', '-q', imageOf(disk));
    mountAgain(disk);
  });
}

/** Makes the file system report an error and refuse writes, also for open files. */
export function breakDown(disk: string): void {
  const device = run('findmnt', '--noheadings', '--output', 'SOURCE', disk).trim();
  writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, 'by a test');
}

/** No process may use the disk during the repair. */
export function repair(disk: string): void {
  run('umount', disk);
  const { status } = spawnSync('e2fsck', ['-f', '-y', imageOf(disk)]);
  // Exit code 1: errors were corrected.
  if (status === null || status > 1) throw new Error(`e2fsck ended with ${status}`);
  mountAgain(disk);
}

export function unmount(disk: string): void {
  rmSync(imageOf(disk), { force: true });
  spawnSync('umount', ['--lazy', disk]);
  rmSync(disk, { recursive: true, force: true });
}

/** The reason why the test cannot create a disk, or false. */
export const noDisk =
  process.platform === 'linux' && works(() => unmount(mountDisk()))
    ? false
    : 'needs Linux and the right to mount a file system';

/** The reason why the test cannot break and repair a disk, or false; found by trying. */
export function noImage(): string | false {
  return (
    noDisk || (works(tryImage) ? false : 'needs loop devices and an ext4 file system that tests may break')
  );
}

function tryImage(): void {
  const disk = mountImage();
  try {
    breakDown(disk);
    assert.throws(() => writeFileSync(ballastOf(disk), 'x'));
    repair(disk);
  } finally {
    unmount(disk);
  }
}

function works(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

function makeDisk(make: (disk: string) => void): string {
  const disk = mkdtempSync(join(tmpdir(), 'throughline-disk-'));
  try {
    make(disk);
    return disk;
  } catch (error) {
    unmount(disk);
    throw error;
  }
}

function ballastOf(disk: string): string {
  return join(disk, 'ballast');
}

function imageOf(disk: string): string {
  return `${disk}.image`;
}

function mountAgain(disk: string): void {
  mount('-o', 'loop,errors=remount-ro', imageOf(disk), disk);
}

function mount(...args: string[]): void {
  run('mount', ...args);
}

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}
