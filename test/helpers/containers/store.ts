/** buildah and podman with images, containers and networks of their own, run by runc. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../wait-for.ts';
import type { Architecture } from './debian.ts';
import { pipe, run } from './tools.ts';

export interface Imported {
  readonly image: string;
  /** Instructions of a Dockerfile. */
  readonly config: readonly string[];
  readonly architecture?: Architecture;
}

export interface Store {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** @returns what the command writes to standard output. */
  podman(...args: readonly string[]): string;
  buildah(...args: readonly string[]): string;
  /** Makes an image of a folder. */
  importFolder(folder: string, made: Imported): void;
  /** Docker's API, for compose. @returns the address of its socket. */
  serveApi(): Promise<string>;
  close(): void;
}

export function makeStore(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-containers-'));
  const env = { ...process.env, ...configure(folder) };
  const podman = (...args: readonly string[]) => run('podman', args, { env });
  let api: ChildProcess | undefined;
  return {
    folder,
    env,
    podman,
    buildah: (...args) => run('buildah', args, { env }),
    importFolder: (from, { image, config, architecture = 'amd64' }) =>
      pipe(
        `tar --create --directory '${from}' . | podman import --quiet --os linux --arch ${architecture} ${config.map((line) => `--change '${line}'`).join(' ')} - '${image}'`,
        env,
      ),
    async serveApi() {
      const socket = join(folder, 'podman.sock');
      api ??= spawn('podman', ['system', 'service', '--time', '0', `unix://${socket}`], {
        env,
        stdio: 'ignore',
      });
      await waitFor('the socket of podman', () => (existsSync(socket) ? true : undefined));
      return `unix://${socket}`;
    },
    close() {
      podman('rm', '--all', '--force', '--time', '2');
      podman('volume', 'rm', '--all', '--force');
      podman('network', 'prune', '--force');
      api?.kill('SIGKILL');
      // Working containers of builds are mounted until the end.
      removeMounted(folder);
    },
  };
}

/** Removes a folder below which something is mounted. */
export function removeMounted(folder: string): void {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? []);
  for (const mount of mounts.filter((path) => path.startsWith(folder)).reverse()) run('umount', [mount]);
  rmSync(folder, { recursive: true, force: true });
}

/** No systemd: containers have plain control groups, and health checks run when they are asked for. */
function configure(folder: string): NodeJS.ProcessEnv {
  mkdirSync(join(folder, 'networks'));
  const containers = join(folder, 'containers.conf');
  writeFileSync(
    containers,
    `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=4096:4096"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
`,
  );
  const storage = join(folder, 'storage.conf');
  writeFileSync(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/store"\nrunroot = "${folder}/run"\n`,
  );
  return { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage };
}
