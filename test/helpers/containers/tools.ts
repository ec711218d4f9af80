/** What the tests of the image need of a machine: root on Debian, with packages that they install. */
import { execFileSync, spawnSync } from 'node:child_process';

const PACKAGES = ['buildah', 'podman', 'runc', 'netavark', 'aardvark-dns', 'iptables', 'catatonit'];

/** Why the image cannot be built and run here; false if it can. */
export function lacksContainers(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'needs Linux on x64';
  if (process.getuid?.() !== 0) return 'needs root, for buildah and podman';
  if (spawnSync('apt-get', ['--version']).error !== undefined) return 'needs Debian, for its packages';
  if (!isInstalled()) install();
  return isInstalled() ? false : `apt-get could not install ${PACKAGES.join(' ')}`;
}

function isInstalled(): boolean {
  return spawnSync('dpkg', ['--status', ...PACKAGES]).status === 0;
}

function install(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update'], { env });
  spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', ...PACKAGES], { env });
}

/** Runs a program to its end. @returns what it wrote to standard output. @throws with what it wrote to both. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  if (status === 0) return stdout;
  throw new Error(
    `${command} ${args.join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}\n${stderr}`,
  );
}

/** A pipe between two programs, for what is too large for a string. */
export function pipe(command: string, env: NodeJS.ProcessEnv = process.env): void {
  execFileSync('bash', ['-o', 'pipefail', '-c', command], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}
