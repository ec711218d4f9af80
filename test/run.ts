/**
 * Runs the tests: `node test/run.ts [unit | api | engine | process | browser | console | conformance]…`; without a name
 * all but those of single screens of the console. Tests of the real program, of pages and of clients have a process for
 * each file. The others share a few, since loading the service takes longer than most of their files.
 */
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { useCompileCache } from './helpers/compile-cache.ts';
import report from './helpers/reporter.ts';

const FILES_IN_PROCESS = 10;
/** Holds a file for each shared process, which imports its tests. */
const SHARED = mkdtempSync(join(tmpdir(), 'throughline-tests-'));

const KINDS: Readonly<Record<string, () => readonly string[]>> = {
  process: () => list('test/process/**/*.test.ts'),
  conformance: () => list('packages/conformance/*.test.ts'),
  browser: () => [...list('test/browser/*.test.ts'), EACH_SCREEN],
  console: () => list('test/browser/console/*.test.ts').filter((file) => file !== EACH_SCREEN),
  engine: () => share('engine', list('test/engine/**/*.test.ts')),
  api: () => share('api', list('test/api/**/*.test.ts')),
  documents: () => share('documents', list('test/*.test.ts')),
  unit: () => [
    ...share('clients', list('packages/*/{src,test}/**/*.test.ts'), 2),
    ...list(ALONE),
    ...share('unit', unitTests()),
  ],
};
const EACH_SCREEN = resolve('test/browser/console/screens.test.ts');
/** Changes the certificates that its process trusts. */
const ALONE = 'src/lib/outgoing/tls.test.ts';
/** Their files take seconds at most, so that all lanes end at about the same time. */
const LAST = ['documents', 'unit'];

/** A job of its own in CI runs them. */
const ONLY_IF_ASKED = ['console'];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(KINDS, name));
if (unknown.length > 0) throw new Error(`Unknown tests: ${unknown}. There are ${Object.keys(KINDS)}.`);

useCompileCache();
const chosen = Object.keys(KINDS).filter((name) =>
  asked.length === 0 ? !ONLY_IF_ASKED.includes(name) : asked.includes(name),
);
const cores = availableParallelism();
const events = run({
  files: [
    ...interleave(chosen.filter((name) => !LAST.includes(name)).map(filesOf)),
    ...chosen.filter((name) => LAST.includes(name)).flatMap(filesOf),
  ],
  // Many tests wait for a program, a retry or a timeout, and leave a core idle.
  concurrency: asked.join() === 'unit' ? 2 * cores : cores + 2,
  timeout: 300_000,
  ...(asked.join() !== 'unit' && { globalSetupPath: resolve('test/helpers/global-setup.ts') }),
});
events.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
events.on('end', () => rmSync(SHARED, { recursive: true }));
events.compose(report).pipe(process.stdout);

function filesOf(kind: string): readonly string[] {
  return KINDS[kind]?.() ?? [];
}

/** Spreads each list over the whole, so that kinds which wait run beside kinds which compute. */
function interleave(lists: readonly (readonly string[])[]): string[] {
  return lists
    .flatMap((files) => files.map((file, index) => ({ file, place: (index + 0.5) / files.length })))
    .sort((one, other) => one.place - other.place)
    .map(({ file }) => file);
}

function unitTests(): string[] {
  return list('{src,console/src,tools}/**/*.test.ts').filter((file) => file !== resolve(ALONE));
}

function list(pattern: string): string[] {
  return globSync(pattern)
    .sort()
    .map((file) => resolve(file));
}

/** Deals the tests out, since neighbours take about the same time. */
function share(name: string, tests: readonly string[], filesInProcess = FILES_IN_PROCESS): string[] {
  const processes = Math.ceil(tests.length / filesInProcess);
  return Array.from({ length: processes }, (_, index) => {
    const mine = tests.filter((_test, position) => position % processes === index);
    const file = join(SHARED, `${name}-${index + 1}.test.mjs`);
    writeFileSync(file, mine.map((test) => `import '${pathToFileURL(test)}';\n`).join(''));
    return file;
  });
}
