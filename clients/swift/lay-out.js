/**
 * Lays out Debian 13's Swift in a folder of its own, for Debian systems that have none: packages are downloaded and
 * unpacked there, no script of theirs runs, and the system's own packages stay as they are.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The last part changes whenever this file lays out something else. */
export const ROOT =
  process.env.THROUGHLINE_SWIFT_ROOT ?? join(homedir(), '.cache/throughline/swift-trixie-1');

const SUITE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PACKAGES = [
  'swiftlang',
  'libc6-dev',
  'libstdc++-14-dev',
  'bash',
  'coreutils',
  'ca-certificates',
  'tzdata',
];
/** Half a gigabyte that neither the compiler nor the tests need. */
const UNUSED_PACKAGES = /^(git|perl|libperl|python3|libpython3)/;
const UNUSED_FILES = [
  ...[
    '*/bin/lldb*',
    '*/bin/clangd',
    '*/bin/docc',
    '*/bin/sourcekit-lsp',
    '*/lib/liblldb*',
    '*/lib/libsourcekitd*',
  ],
  ...['*/lib/swift/embedded', '*/lib/swift_static', '*/python3*'],
  ...['./usr/share/doc', './usr/share/man', './usr/share/locale'],
];

export function layOut() {
  if (existsSync(ROOT)) return;
  if (process.getuid?.() !== 0)
    throw new Error('Laying out Swift needs root: run as root, or install Swift 6.');
  if (!existsSync(KEYRING))
    throw new Error(`Install Swift 6: ${KEYRING} is missing, so this is no Debian system.`);
  console.log(`Swift is laid out in ${ROOT} (about 450 MB to download)`);
  mkdirSync(dirname(ROOT), { recursive: true });
  // Unpacked beside it, so that an interrupted run leaves no half of it.
  const unfinished = `${ROOT}.${process.pid}`;
  try {
    const archives = download(join(unfinished, 'apt'));
    const root = join(unfinished, 'root');
    unpack(archives, root);
    renameSync(root, ROOT);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** @returns the folder of the packages. */
function download(folder) {
  for (const name of ['lists/partial', 'cache/archives/partial', 'parts'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${KEYRING}] ${mirror()} ${SUITE} main\n`);
  const options = {
    'Dir::Etc::sourcelist': join(folder, 'sources.list'),
    'Dir::Etc::sourceparts': join(folder, 'parts'),
    'Dir::Etc::preferencesparts': join(folder, 'parts'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  };
  const settings = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  run('apt-get', [...settings, '-qq', 'update']);
  run('apt-get', [...settings, '-qq', '--yes', '--download-only', 'install', ...PACKAGES]);
  return join(folder, 'cache/archives');
}

/** That of the system, which may be the only one in reach. */
function mirror() {
  for (const file of ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list']) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const found = /^URIs:\s*(\S+)|^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/m.exec(text);
    if (found !== null) return found[1] ?? found[2];
  }
  return 'http://deb.debian.org/debian';
}

function unpack(archives, root) {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(root, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
  const excluded = UNUSED_FILES.map((pattern) => `--exclude=${pattern}`);
  for (const name of readdirSync(archives)) {
    if (!name.endsWith('.deb') || UNUSED_PACKAGES.test(name)) continue;
    const pipe = 'set -o pipefail; dpkg-deb --fsys-tarfile "$0" | tar -x --keep-directory-symlink "$@"';
    run('bash', ['-c', pipe, join(archives, name), '-C', root, ...excluded]);
  }
  // Scripts of the packages would make the first, and of the others some are missing.
  link('bash', join(root, 'usr/bin/sh'));
  for (const name of ['swift', 'swift-format', 'swift-package', 'swift-test'])
    link(`../libexec/swift/bin/${name}`, join(root, 'usr/bin', name));
}

function link(target, path) {
  if (!existsSync(path)) symlinkSync(target, path);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`, { cause: error });
}
