/** Unpacks the compressed Chromium from the npm package. */
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import type { Program } from './chromium.ts';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const PACKAGE = join(MODULES, '@sparticuz/chromium');

/**
 * Unpacks Chromium once into `node_modules/.cache`, which `npm ci` clears.
 * @throws Error if the package is not installed or does not support this machine.
 */
export async function unpackChromium(): Promise<Program> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`the package has no Chromium for ${process.platform} on ${process.arch}`);
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  const directory = join(MODULES, '.cache', `chromium-${version}`);
  if (!existsSync(directory)) await unpackInto(directory);
  return {
    path: join(directory, 'chromium'),
    // Libraries that a minimal system lacks.
    env: { LD_LIBRARY_PATH: join(directory, 'lib'), FONTCONFIG_FILE: join(directory, 'fonts.conf') },
  };
}

/**
 * Test files start concurrently: each unpacks into a directory of its own, and the first to finish renames it into
 * place.
 */
async function unpackInto(directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const beside = await mkdtemp(`${directory}-`);
  try {
    // The test process may run as another user than the one that installed the packages.
    await chmod(beside, 0o755);
    await decompress('chromium.br', join(beside, 'chromium'), 0o755);
    for (const archive of ['al2023.tar', 'fonts.tar']) {
      await decompress(`${archive}.br`, join(beside, archive), 0o644);
      await promisify(execFile)('tar', ['-x', '--no-same-owner', '-f', archive], { cwd: beside });
    }
    await writeFile(join(beside, 'fonts.conf'), fontsConf(directory));
    await rename(beside, directory).catch(() => undefined);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

async function decompress(name: string, target: string, mode: number): Promise<void> {
  const source = createReadStream(join(PACKAGE, 'bin', name));
  await pipeline(source, createBrotliDecompress(), createWriteStream(target, { mode }));
}

/** One font on every machine; system fonts only for scripts that it does not cover. */
function fontsConf(directory: string): string {
  const families = ['sans-serif', 'system-ui'].map(
    (family) => `<alias><family>${family}</family><prefer><family>Open Sans</family></prefer></alias>`,
  );
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
    <dir>${directory}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${directory}/fonts-cache</cachedir>
    ${families.join('')}</fontconfig>`;
}
