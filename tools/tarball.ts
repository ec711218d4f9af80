/** `npm run tarball`: packs `build/throughline` as `build/throughline-VERSION.tar.gz`. The same sources give the same bytes. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeChecksum } from './checksum.ts';

const BUILD = join(import.meta.dirname, '../build');
const MAX_BYTES = 500_000_000;

const { version } = JSON.parse(readFileSync(join(BUILD, 'throughline/package.json'), 'utf8'));
const name = `throughline-${version}`;
const fixed = '--sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@0 --format=gnu';
const renamed = `--transform=s/^throughline/${name}/`;
const { status, stdout } = spawnSync('tar', ['-c', ...fixed.split(' '), renamed, 'throughline'], {
  cwd: BUILD,
  maxBuffer: MAX_BYTES,
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) process.exit(1);
const packed = gzipSync(stdout, { level: 9 });
const file = `${name}.tar.gz`;
writeFileSync(join(BUILD, file), packed);
writeChecksum(join(BUILD, file));
process.stdout.write(`build/${file}: ${(packed.length / 1e6).toFixed(1)} MB\n`);
