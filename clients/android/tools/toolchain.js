/**
 * Brings Debian's packages of Android's tools, and AOSP's list of the API, into a cache: by apt with folders of its own, so
 * that nothing is installed on the machine.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './paths.js';
import { run } from './run.js';

const LIST = join(import.meta.dirname, 'packages.txt');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** @returns the folder of the unpacked packages, and the signature file of API 29. */
export function ensureToolchain() {
  const text = readFileSync(LIST, 'utf8');
  const folder = join(CACHE, createHash('sha256').update(text).digest('hex').slice(0, 12));
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    rmSync(unfinished, { recursive: true, force: true });
    fill(unfinished, readPackages(text));
    // Whole or not there, also if two builds begin at once.
    if (existsSync(folder)) rmSync(unfinished, { recursive: true });
    else renameSync(unfinished, folder);
  }
  return { root: join(folder, 'root'), signatures: join(folder, 'current.txt') };
}

/** The libraries of the programs under `root`. */
export function libraryPath(root) {
  const folders = [
    'usr/lib/x86_64-linux-gnu/android',
    'usr/lib/x86_64-linux-gnu',
    'lib/x86_64-linux-gnu',
    'usr/lib',
    'usr/lib/p7zip',
  ];
  return { LD_LIBRARY_PATH: folders.map((folder) => join(root, folder)).join(':') };
}

function readPackages(text) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [release, name, version, sha256] = line.split(' ');
    return { release, name, version, sha256 };
  });
}

function fill(folder, packages) {
  const downloads = join(folder, 'downloads');
  const root = join(folder, 'root');
  for (const made of ['lists/partial', 'archives/partial'])
    mkdirSync(join(folder, 'apt', made), { recursive: true });
  mkdirSync(downloads);
  mkdirSync(root);
  const apt = aptOf(folder);
  const binaries = packages.filter(({ release }) => release !== 'source');
  apt(['update'], downloads);
  apt(['download', ...binaries.map(({ name, version }) => `${name}=${version}`)], downloads);
  for (const { name, version, sha256 } of binaries) {
    const [file] = globSync(join(downloads, `${name}_${version.replace(':', '%3a')}_*.deb`));
    check(file, sha256);
    run('dpkg-deb', ['-x', file, root]);
  }
  for (const { name, version, sha256 } of packages.filter(({ release }) => release === 'source')) {
    apt(['source', '--download-only', '--tar-only', `${name}=${version}`], downloads);
    const [file] = globSync(join(downloads, `${name}_*.orig.tar.xz`));
    check(file, sha256);
    run('tar', ['-xJf', file, '-C', folder, 'api/current.txt']);
    cpSync(join(folder, 'api/current.txt'), join(folder, 'current.txt'));
  }
  for (const used of ['apt', 'downloads', 'api']) rmSync(join(folder, used), { recursive: true });
}

/** An apt that knows these releases only, and no package of the machine. */
function aptOf(folder) {
  const signed = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : '';
  const mirror = mirrorOfMachine();
  const line = (kind, release) => `${kind} ${signed}${mirror} ${release} main\n`;
  const sources = join(folder, 'apt/sources.list');
  writeFileSync(sources, line('deb', 'bookworm') + line('deb-src', 'bookworm') + line('deb', 'bullseye'));
  const options = {
    'Dir::State::lists': join(folder, 'apt/lists'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(folder, 'apt'),
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '-',
    'APT::Architecture': 'amd64',
    'APT::Architectures': 'amd64',
    'APT::Sandbox::User': 'root',
    'Acquire::Retries': '3',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return (programArguments, cwd) => run('apt-get', ['-q', ...flags, ...programArguments], { cwd });
}

/** The mirror from which this machine takes Debian's packages. */
function mirrorOfMachine() {
  const files = ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*.{list,sources}')];
  for (const file of files.filter((file) => existsSync(file)))
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const found = /^(?:deb\b.*?|URIs:.*?)\s(https?:\S+\/debian)\/?(?:\s|$)/.exec(line);
      if (found !== null) return found[1];
    }
  throw new Error(
    'This machine names no mirror of Debian: run the build on Debian, or in a container of it.',
  );
}

function check(file, sha256) {
  if (file === undefined) throw new Error('apt-get brought no file of a package in tools/packages.txt.');
  const actual = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (actual !== sha256) throw new Error(`${file} is not the file that tools/packages.txt names.`);
}
