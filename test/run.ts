/**
 * Runs the tests: `node test/run.ts [unit | api | engine | process | browser | conformance]…`; without a name all of
 * them. Tests of the real program, of pages and of clients have a process for each file. The others share a few, since
 * loading the service takes longer than most of their files.
 */
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { pathToFileURL } from 'node:url';
import report from './helpers/reporter.ts';

const FILES_IN_PROCESS = 10;
/** Changes the certificates that its process trusts. */
const ALONE = 'src/lib/outgoing/tls.test.ts';
/** Holds a file for each shared process, which imports its tests. */
const SHARED = mkdtempSync(join(tmpdir(), 'throughline-tests-'));

/** The slowest first, so that all lanes end at about the same time. */
const KINDS: Readonly<Record<string, () => readonly string[]>> = {
  process: () => list('test/process/**/*.test.ts'),
  conformance: () => list('packages/conformance/*.test.ts'),
  browser: () => list('test/browser/**/*.test.ts'),
  engine: () => share('engine', list('test/engine/**/*.test.ts')),
  api: () => share('api', list('test/api/**/*.test.ts')),
  documents: () => share('documents', list('test/*.test.ts')),
  unit: () => [
    ...list(ALONE),
    ...share(
      'unit',
      list('{src,packages/*/{src,test}}/**/*.test.ts').filter((file) => file !== resolve(ALONE)),
    ),
  ],
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(KINDS, name));
if (unknown.length > 0) throw new Error(`Unknown tests: ${unknown}. There are ${Object.keys(KINDS)}.`);

const events = run({
  files: Object.entries(KINDS).flatMap(([name, find]) =>
    asked.length === 0 || asked.includes(name) ? find() : [],
  ),
  concurrency: 2,
  timeout: 300_000,
  ...(asked.join() !== 'unit' && { globalSetupPath: resolve('test/helpers/global-setup.ts') }),
});
events.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
events.on('end', () => rmSync(SHARED, { recursive: true }));
events.compose(report).pipe(process.stdout);

function list(pattern: string): string[] {
  return globSync(pattern)
    .sort()
    .map((file) => resolve(file));
}

/** Deals the tests out, since neighbours take about the same time. */
function share(name: string, tests: readonly string[]): string[] {
  const processes = Math.ceil(tests.length / FILES_IN_PROCESS);
  return Array.from({ length: processes }, (_, index) => {
    const mine = tests.filter((_test, position) => position % processes === index);
    const file = join(SHARED, `${name}-${index + 1}.test.mjs`);
    writeFileSync(file, mine.map((test) => `import '${pathToFileURL(test)}';\n`).join(''));
    return file;
  });
}
