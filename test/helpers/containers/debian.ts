/** Packages of Debian 13, whatever this machine runs, for either architecture; kept in the user's cache. */
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './tools.ts';

export type Architecture = 'amd64' | 'arm64';

const RELEASE = 'trixie';
export const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
export const CACHE = join(homedir(), '.cache/throughline/ship');

/** Unpacks packages into a folder, without running anything of theirs. */
export function unpack(architecture: Architecture, names: readonly string[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  const kept = download(architecture, names);
  for (const name of names) {
    const file = kept.find((path) => path.includes(`/${name}_`));
    if (file === undefined) throw new Error(`apt-get downloaded no ${name}`);
    run('dpkg-deb', ['--extract', file, folder]);
  }
}

function download(architecture: Architecture, names: readonly string[]): string[] {
  const folder = join(CACHE, architecture);
  mkdirSync(folder, { recursive: true });
  const list = () => globSync(join(folder, '*.deb'));
  const missing = names.filter((name) => !list().some((path) => path.includes(`/${name}_`)));
  if (missing.length > 0) {
    const options = aptOptions(architecture);
    if (!existsSync(join(folder, 'lists', 'lock'))) run('apt-get', [...options, 'update']);
    run('apt-get', [...options, 'download', ...missing.map((name) => `${name}:${architecture}`)], {
      cwd: folder,
    });
  }
  return list();
}

/** Lists of their own: those of the machine stay as they are. */
function aptOptions(architecture: Architecture): string[] {
  const folder = join(CACHE, architecture);
  for (const name of ['lists/partial', 'archives/partial'])
    mkdirSync(join(folder, name), { recursive: true });
  const sources = join(folder, 'sources.list');
  writeFileSync(
    sources,
    `deb [arch=${architecture} signed-by=${KEYRING}] http://deb.debian.org/debian ${RELEASE} main\n`,
  );
  return [
    ...['-o', `Dir::Etc::SourceList=${sources}`, '-o', 'Dir::Etc::SourceParts=/dev/null'],
    ...['-o', `Dir::State::Lists=${join(folder, 'lists')}`, '-o', `Dir::Cache=${folder}`],
    ...['-o', 'Dir::State::status=/dev/null', '-o', `APT::Architecture=${architecture}`],
    ...['-o', `APT::Architectures=${architecture}`, '-o', 'APT::Sandbox::User=root'],
  ];
}
