/** The tarball, and the tests of the program run on the bundle. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const FILE = `build/throughline-${version}.tar.gz`;

describe('the tarball', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-tarball-'));
  const program = join(folder, `throughline-${version}/throughline.js`);
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has the same bytes when it is built again', async () => {
    await runFile('npm', ['run', 'tarball']);
    const first = readFileSync(FILE);
    await runFile('npm', ['run', 'tarball']);
    assert.ok(first.equals(readFileSync(FILE)));
    await runFile('tar', ['-xzf', FILE, '-C', folder]);
  });

  it('runs with Node alone', async () => {
    const { stdout } = await runFile(process.execPath, [program, '--version'], { cwd: folder, env: {} });
    assert.equal(stdout, `${version}\n`);
  });

  it('tells a stack by the sources where Node reads source maps', async () => {
    const script = `import('${resolve(program, '../code/errors.js')}').then((module) => {
      const Fault = Object.values(module).find((each) => each.name === 'AppError');
      console.log(new Fault('route.not_found').stack);
    })`;
    const { stdout } = await runFile(process.execPath, ['--enable-source-maps', '-e', script]);
    assert.match(stdout, /src\/errors\.ts:\d+/);
  });

  it('passes the tests of the program', { timeout: 600_000 }, async () => {
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const tests = ['--test', '--test-concurrency=2', '--test-global-setup=test/helpers/global-setup.ts'];
    const run = runFile(process.execPath, [...tests, 'test/process/*.test.ts'], {
      env: { ...env, THROUGHLINE_PROGRAM: program, ENGINE: 'sqlite' },
      maxBuffer: 100_000_000,
    });
    await assert.doesNotReject(run.catch(({ stdout }) => Promise.reject(new Error(stdout))));
  });
});
