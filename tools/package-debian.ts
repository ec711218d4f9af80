/**
 * `npm run package:debian [-- --quick] [amd64 | arm64]…`: makes Debian packages of `build/throughline` (`npm run bundle`) and
 * Node, in `build`, each with its checksum. `--quick` compresses less, for tests, in a tenth of the time. Nothing of the architecture is run, so that one machine makes both. `SOURCE_DATE_EPOCH`, by default the time of
 * the last commit, is the time of every file: the same sources give the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { writeChecksum } from './checksum.ts';
import { type DebianArchitecture, NODE_PACKAGES, nodeFor } from './debian/node-for.ts';

const ROOT = join(import.meta.dirname, '..');
const BUNDLE = join(ROOT, 'build/throughline');
const DEPLOY = join(ROOT, 'deploy/debian');
const PROGRAM = 'usr/lib/throughline';
const DOCUMENTS = 'usr/share/doc/throughline';

/** Files of the package by those of `deploy/debian`. */
const FILES = {
  throughline: { to: 'usr/bin/throughline', mode: 0o755 },
  'throughline.service': { to: 'usr/lib/systemd/system/throughline.service', mode: 0o644 },
  'throughline.socket': { to: 'usr/lib/systemd/system/throughline.socket', mode: 0o644 },
  'sysusers.conf': { to: 'usr/lib/sysusers.d/throughline.conf', mode: 0o644 },
  'tmpfiles.conf': { to: 'usr/lib/tmpfiles.d/throughline.conf', mode: 0o644 },
  'defaults.env': { to: `${PROGRAM}/defaults.env`, mode: 0o644 },
  // It may hold secrets; the script after the installation lets the service read it.
  env: { to: 'etc/throughline/env', mode: 0o640 },
  'lintian-overrides': { to: 'usr/share/lintian/overrides/throughline', mode: 0o644 },
  postinst: { to: 'DEBIAN/postinst', mode: 0o755 },
  prerm: { to: 'DEBIAN/prerm', mode: 0o755 },
  postrm: { to: 'DEBIAN/postrm', mode: 0o755 },
} as const;

const version: string = JSON.parse(readFileSync(join(BUNDLE, 'package.json'), 'utf8')).version;
const epoch = process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct');
const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' } },
});
for (const architecture of asked.length > 0 ? asked : Object.keys(NODE_PACKAGES)) {
  if (!isKnown(architecture)) throw new Error(`There is no package for ${architecture}.`);
  const { file, bytes, sha256 } = makePackage(architecture);
  process.stdout.write(`${file}: ${(bytes / 1e6).toFixed(1)} MB, sha256 ${sha256}\n`);
}

function isKnown(name: string): name is DebianArchitecture {
  return Object.hasOwn(NODE_PACKAGES, name);
}

function makePackage(architecture: DebianArchitecture): { file: string; bytes: number; sha256: string } {
  const folder = join(ROOT, 'build/debian', architecture);
  rmSync(folder, { recursive: true, force: true });
  const write = (path: string, contents: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  };
  cpSync(BUNDLE, join(folder, PROGRAM), { recursive: true });
  const node = nodeFor(architecture, join(ROOT, 'build/node'));
  cpSync(join(node, 'bin/node'), join(folder, PROGRAM, 'bin/node'));
  cpSync(join(node, 'LICENSE'), join(folder, PROGRAM, 'NODE-LICENSE.txt'));
  write(`${DOCUMENTS}/copyright`, copyright());
  write(`${DOCUMENTS}/changelog.gz`, gzipSync(changelog(), { level: 9 }));
  for (const [name, { to }] of Object.entries(FILES)) write(to, readFileSync(join(DEPLOY, name)));
  const files = filesIn(folder).filter((path) => !path.startsWith('DEBIAN/'));
  write('DEBIAN/conffiles', '/etc/throughline/env\n');
  write('DEBIAN/md5sums', md5sums(folder, files));
  write('DEBIAN/control', control(architecture, sizeInKib(folder, files)));
  setModes(folder);
  const file = join(ROOT, `build/throughline_${version}_${architecture}.deb`);
  execFileSync(
    'dpkg-deb',
    ['--root-owner-group', values.quick ? '-Zzstd' : '-Zxz', '--build', folder, file],
    {
      env: { ...process.env, SOURCE_DATE_EPOCH: epoch },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  rmSync(folder, { recursive: true });
  return { file, bytes: statSync(file).size, sha256: writeChecksum(file) };
}

/** Below the folder, sorted. */
function filesIn(folder: string): string[] {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** As dpkg counts: each file in whole KiB. */
function sizeInKib(folder: string, files: readonly string[]): number {
  return files.reduce((sum, path) => sum + Math.ceil(statSync(join(folder, path)).size / 1_024), 0);
}

function md5sums(folder: string, files: readonly string[]): string {
  const lines = files
    .filter((path) => !path.startsWith('etc/'))
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(folder, path)))
          .digest('hex')}  ${path}\n`,
    );
  return lines.join('');
}

function control(architecture: DebianArchitecture, sizeKib: number): string {
  return readFileSync(join(DEPLOY, 'control'), 'utf8')
    .replace('@VERSION@', version.replace('-', '~'))
    .replace('@ARCHITECTURE@', architecture)
    .replace('@INSTALLED_SIZE@', String(sizeKib));
}

function copyright(): string {
  const [, holder = '', ...licence] = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim().split('\n\n');
  return readFileSync(join(DEPLOY, 'copyright'), 'utf8')
    .replace('@COPYRIGHT@', holder.replace('Copyright (c) ', ''))
    .replace('@LICENSE@', licence.join('\n.\n').replaceAll(/^/gm, ' '));
}

/** In the form of Debian; what changed stands in the changelog for operators. */
function changelog(): string {
  const day = new Date(Number(epoch) * 1_000).toUTCString().replace('GMT', '+0000');
  const { 1: maintainer } = /^Maintainer: (.*)$/m.exec(readFileSync(join(DEPLOY, 'control'), 'utf8')) ?? [];
  return `throughline (${version.replace('-', '~')}) stable; urgency=medium\n\n  * Version ${version}.\n\n -- ${maintainer}  ${day}\n`;
}

/** Of the package, whatever this machine's umask is. */
function setModes(folder: string): void {
  const modes = new Map<string, number>(Object.values(FILES).map(({ to, mode }) => [to, mode]));
  chmodSync(folder, 0o755);
  for (const entry of globSync('**/*', { cwd: folder, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || path.endsWith(`${PROGRAM}/bin/node`);
    chmodSync(path, modes.get(relative(folder, path)) ?? (isProgram ? 0o755 : 0o644));
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}
