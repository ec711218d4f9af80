/** A Debian 12 that systemd has booted, in a container that shares the network of this machine. Needs root. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'throughline/debian-bookworm');
/** What a server of Debian has, beside the smallest system. */
const PACKAGES = 'systemd,systemd-sysv,dbus,libstdc++6,init-system-helpers';
const TOOLS = { 'systemd-nspawn': 'systemd-container', debootstrap: 'debootstrap', 'dpkg-deb': 'dpkg' };

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BootedDebian {
  /** Runs a shell command as root. */
  run(command: string): Promise<Outcome>;
  /** @throws if it fails. */
  must(command: string): Promise<string>;
  /** Copies a file to `/root`. */
  give(file: string): void;
  end(): Promise<void>;
}

/** Why no Debian can be booted here; false if it can. Installs missing tools. */
export function lacksDebian(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'needs Linux on x64';
  if (process.getuid?.() !== 0) return 'needs root: sudo npm run test:ship';
  const missing = Object.entries(TOOLS).filter(
    ([tool]) => spawnSync(tool, ['--version']).error !== undefined,
  );
  if (missing.length === 0) return false;
  const names = missing.map(([, name]) => name);
  const { status } = spawnSync('sh', [
    '-c',
    `apt-get update && apt-get install --yes --no-install-recommends ${names.join(' ')}`,
  ]);
  return status === 0 ? false : `needs ${names.join(' and ')} (apt-get install)`;
}

/** Boots a copy of the cached system, and throws it away at the end. */
export async function bootDebian(): Promise<BootedDebian> {
  if (!existsSync(CACHE)) makeRoot();
  const folder = mkdtempSync(join(tmpdir(), 'throughline-debian-'));
  const root = join(folder, 'root');
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(folder, name));
  const layers = `lowerdir=${CACHE},upperdir=${folder}/upper,workdir=${folder}/work`;
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, root]);
  const machine = spawn(
    'systemd-nspawn',
    ['--quiet', '--directory', root, '--register=no', '--keep-unit', '--boot', `--machine=${machineName()}`],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...cgroupsOfThisMachine() } },
  );
  let output = '';
  for (const stream of [machine.stdout, machine.stderr]) stream.on('data', (part) => (output += part));
  const end = async () => {
    const ended = once(machine, 'exit');
    // Without waiting for its services: the folder goes.
    if (machine.exitCode === null) spawnSync('kill', ['-KILL', String(initOf(machine))]);
    await ended;
    execFileSync('umount', ['--lazy', root]);
    rmSync(folder, { recursive: true, force: true });
  };
  const run = (command: string) => runInside(machine, command);
  try {
    await waitFor('the system to boot', async () => {
      if (machine.exitCode !== null) throw new Error(`the system did not boot: ${output}`);
      const { stdout } = await run('systemctl is-system-running');
      return /running|degraded/.test(stdout) || undefined;
    });
  } catch (error) {
    await end();
    throw error;
  }
  return {
    run,
    async must(command) {
      const { code, stdout, stderr } = await run(command);
      if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}`);
      return stdout;
    },
    give: (file) => cpSync(file, join(root, 'root', file.split('/').at(-1) ?? '')),
    end,
  };
}

/** Takes a minute, once on a machine. */
function makeRoot(): void {
  const draft = `${CACHE}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  execFileSync('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, 'bookworm', draft], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(draft, CACHE);
}

/** Those of version 1 are asked for; systemd finds those of version 2 itself. */
function cgroupsOfThisMachine(): NodeJS.ProcessEnv {
  return existsSync('/sys/fs/cgroup/cgroup.controllers') ? {} : { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '0' };
}

function machineName(): string {
  return `throughline-${process.pid}`;
}

function initOf(machine: ChildProcess): number | null {
  const { stdout } = spawnSync('pgrep', ['--parent', String(machine.pid)], { encoding: 'utf8' });
  return Number.parseInt(stdout, 10) || null;
}

async function runInside(machine: ChildProcess, command: string): Promise<Outcome> {
  const init = initOf(machine);
  if (init === null) return { code: null, stdout: '', stderr: 'the system does not run' };
  const child = spawn('nsenter', ['--target', String(init), '--all', '/bin/sh', '-c', command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', DEBIAN_FRONTEND: 'noninteractive' },
  });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (part) => (written[stream] += part));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...written };
}
