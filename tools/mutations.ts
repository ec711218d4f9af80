/**
 * Breaks the guarantees of `test/fixtures/mutations.json`, one line each, in a copy of the last commit, and fails unless
 * the named test fails each time. A line that is no longer in its file needs its successor there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Mutation {
  /** The guarantee, broken. */
  readonly name: string;
  readonly file: string;
  readonly line: string;
  readonly broken: string;
  readonly test: string;
}

const MUTATIONS = JSON.parse(readFileSync('test/fixtures/mutations.json', 'utf8')) as readonly Mutation[];

const copy = mkdtempSync(join(tmpdir(), 'throughline-mutations-'));
process.on('exit', () => {
  execFileSync('git', ['worktree', 'remove', '--force', copy]);
  rmSync(copy, { recursive: true, force: true });
});
execFileSync('git', ['worktree', 'add', '--detach', copy, 'HEAD'], { stdio: 'ignore' });
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));

const whole = failuresOf([...new Set(MUTATIONS.map(({ test }) => test))]);
if (whole.length > 0) throw new Error(`Without any mutation fail: ${whole.join(', ')}`);
for (const mutation of MUTATIONS) {
  const caught = failuresUnder(mutation);
  process.stdout.write(`${caught.length === 0 ? 'SURVIVED' : 'caught'}: ${mutation.name}\n`);
  for (const title of caught) process.stdout.write(`    by “${title}”\n`);
  if (caught.length === 0) process.exitCode = 1;
}

function failuresUnder({ file, line, broken, test }: Mutation): string[] {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(line).length !== 2) throw new Error(`${file} has not once: ${line}`);
  writeFileSync(
    path,
    text.replace(line, () => broken),
  );
  try {
    return failuresOf([test]);
  } finally {
    writeFileSync(path, text);
  }
}

/** Titles of the tests that fail, on SQLite. */
function failuresOf(tests: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--test',
      '--test-global-setup=test/helpers/global-setup.ts',
      '--test-reporter=./test/helpers/reporter.ts',
      ...tests,
    ],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, ENGINE: 'sqlite' } },
  );
  if (status === 0) return [];
  const titles = [...stdout.matchAll(/^✖ (.*)\n {2}\S+\.ts$/gm)].map(([, title = '']) => title);
  return titles.length > 0 ? titles : [`no test: ${stderr.slice(-500)}`];
}
