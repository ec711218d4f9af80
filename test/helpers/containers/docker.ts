/** Docker of Debian 13, whatever this machine has: a daemon with data and socket of its own, and its client. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../wait-for.ts';
import { KEYRING, unpack } from './debian.ts';
import { removeMounted, type Store } from './store.ts';
import { pipe, run } from './tools.ts';

const PACKAGES = ['docker.io', 'containerd', 'docker-cli', 'docker-buildx'];

/** What a machine without a firewall has: a daemon makes tables that the dump before it does not name. */
const NO_RULES = `*filter
:INPUT ACCEPT
:FORWARD ACCEPT
:OUTPUT ACCEPT
COMMIT
*nat
:PREROUTING ACCEPT
:INPUT ACCEPT
:OUTPUT ACCEPT
:POSTROUTING ACCEPT
COMMIT
`;

export interface Docker extends Pick<Store, 'folder' | 'importFolder' | 'serveApi'> {
  /** @returns what the command writes to standard output and to standard error. */
  docker(...args: readonly string[]): string;
  close(): Promise<void>;
}

/** Why Docker cannot run here; false if it can. */
export function lacksDocker(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'needs Linux on x64';
  if (process.getuid?.() !== 0) return 'needs root, for a Docker daemon';
  // Only the root of all has no type.
  if (existsSync('/sys/fs/cgroup/cgroup.type'))
    return 'needs a machine: Docker in a container cannot divide the control group';
  if (!existsSync(KEYRING)) return 'needs apt-get and debian-archive-keyring, for the packages of Docker';
  for (const program of ['runc', 'iptables'])
    if (spawnSync(program, ['--version']).status !== 0) return `needs ${program}`;
  if (spawnSync('pgrep', ['-x', 'dockerd']).status === 0)
    return 'another Docker daemon runs here, whose rules of the firewall a second one replaces: stop it first';
  return false;
}

export async function startDocker(): Promise<Docker> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-docker-'));
  const programs = join(folder, 'programs');
  unpack('amd64', PACKAGES, programs);
  mkdirSync(join(folder, 'config'));
  symlinkSync(join(programs, 'usr/libexec/docker/cli-plugins'), join(folder, 'config/cli-plugins'));
  const address = `unix://${join(folder, 'docker.sock')}`;
  const env = {
    ...process.env,
    PATH: `${join(programs, 'usr/bin')}:${join(programs, 'usr/sbin')}:${process.env.PATH}`,
    DOCKER_CONFIG: join(folder, 'config'),
    DOCKER_HOST: address,
  };
  const log = join(folder, 'log');
  const firewall = run('iptables-save', []);
  const options = [
    ...['--host', address, '--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
    ...['--pidfile', join(folder, 'pid'), '--bridge', 'none'],
  ];
  const daemon = spawn('setpriv', ['--pdeathsig', 'TERM', 'dockerd', ...options], {
    env,
    stdio: ['ignore', openSync(log, 'w'), openSync(log, 'a')],
  });
  const docker = (...args: readonly string[]) =>
    run('bash', ['-c', 'exec docker "$@" 2>&1', 'docker', ...args], { env });
  await waitFor('a Docker daemon', () => {
    if (daemon.exitCode !== null) throw new Error(readFileSync(log, 'utf8'));
    return spawnSync('docker', ['version'], { env }).status === 0 ? true : undefined;
  });
  return {
    folder,
    docker,
    serveApi: async () => address,
    importFolder: (from, { image, config }) =>
      pipe(
        `tar --create --directory '${from}' . | docker import ${config.map((line) => `--change '${line}'`).join(' ')} - '${image}'`,
        env,
      ),
    async close() {
      const containers = docker('ps', '--all', '--quiet').split('\n').filter(Boolean);
      if (containers.length > 0) docker('rm', '--force', ...containers);
      docker('network', 'prune', '--force');
      const ended = once(daemon, 'exit');
      daemon.kill();
      await ended;
      run('iptables-restore', [], { input: `${NO_RULES}${firewall}` });
      removeMounted(folder);
    },
  };
}
