/** Runs programs of Swift: the one in PATH, or on Debian one that is laid out in a folder of its own and entered by chroot. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { layOut, ROOT } from './lay-out.js';

const HERE = import.meta.dirname;
const REPOSITORY = resolve(HERE, '../..');
const INSIDE = 'THROUGHLINE_SWIFT_INSIDE';
const hasSwift = spawnSync('swift', ['--version']).status === 0;

/**
 * Without a Swift in PATH starts this script again in a mount namespace, where the laid out root has the repository and
 * the temporary files: they leave no trace when it ends.
 *
 * @returns whether the caller is to go on.
 */
export function enter() {
  if (hasSwift) return true;
  if (process.env[INSIDE] !== undefined) {
    for (const folder of ['/proc', '/dev', tmpdir(), REPOSITORY]) bind(folder);
    return true;
  }
  layOut();
  const args = ['--mount', '--propagation', 'private', process.execPath, ...process.argv.slice(1)];
  const { status, error } = spawnSync('unshare', args, {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  });
  if (error !== undefined) throw error;
  process.exitCode = status ?? 1;
  return false;
}

/** @returns the words of a command that runs the program within the toolchain, in this folder. */
export function within(program, ...args) {
  if (hasSwift) return [program, ...args];
  return ['chroot', ROOT, 'env', '-C', HERE, program, ...args];
}

export function swift(program, ...args) {
  const [command = '', ...rest] = within(program, ...args);
  const env = { ...process.env, HOME: join(tmpdir(), 'throughline-swift-home') };
  mkdirSync(env.HOME, { recursive: true });
  const { status, error } = spawnSync(command, rest, { cwd: HERE, env, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args[0] ?? ''} failed`);
}

function bind(folder) {
  const target = join(ROOT, folder);
  if (statSync(target, { throwIfNoEntry: false }) === undefined) mkdirSync(target, { recursive: true });
  const { status } = spawnSync('mount', ['--bind', folder, target], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${folder} could not be mounted in ${ROOT}`);
}
