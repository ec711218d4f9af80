/** The tarball, and the tests of the program run on the bundle. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { blocksFor } from '../helpers/documents/listed.ts';
import { freePort } from '../helpers/free-port.ts';
import { waitFor } from '../helpers/wait-for.ts';

const runFile = promisify(execFile);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
/** Of the constructor of errors. */
const STATEMENT = 'this.status = status;';
/** What a start, a stop, a command and a tap need; `THROUGHLINE_PROGRAM` runs the others on the bundle, too. */
const TESTS = ['tour', 'cli', 'first-start', 'imports', 'output', 'stop'];
const FILE = `build/throughline-${version}.tar.gz`;

async function ask(url: string): Promise<number | null> {
  return await fetch(url).then(
    ({ status }) => status,
    () => null,
  );
}

describe('the tarball', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-tarball-'));
  const program = join(folder, `throughline-${version}/throughline.js`);
  after(() => rmSync(folder, { recursive: true, force: true }));

  before(async () => {
    await runFile('npm', ['run', 'tarball']);
    await runFile('tar', ['-xzf', FILE, '-C', folder]);
  });

  it('has the same bytes when it is built again', async () => {
    const first = readFileSync(FILE);
    for (const tool of ['tools/bundle.ts', 'tools/tarball.ts']) await runFile(process.execPath, [tool]);
    assert.ok(first.equals(readFileSync(FILE)));
  });

  it('runs by the commands of the quick start', async () => {
    const [block] = blocksFor('test/ship/bundle.test.ts');
    assert.match(block?.text ?? '', new RegExp(`^version=${version} `));
    const here = (block?.text ?? '').replace(/https:.*v\$version/, `file://${resolve('build')}`);
    const port = await freePort();
    const start = mkdtempSync(join(folder, 'start-'));
    const shell = spawn('bash', ['-euc', here.replace(/^node /m, 'exec node ')], {
      cwd: start,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        PORT: String(port),
        HOST: '127.0.0.1',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = text(shell.stdout);
    await waitFor('a ready service', async () =>
      (await ask(`http://127.0.0.1:${port}/readyz`)) === 200 ? true : undefined,
    );
    assert.equal(await ask(`http://127.0.0.1:${port}/docs/`), 200);
    shell.kill('SIGTERM');
    assert.match(await output, /first-keys\.txt|LIVE_KEY/);
    assert.ok(readdirSync(join(start, 'data')).includes('throughline.db'));
  });

  it('runs with Node alone', async () => {
    const { stdout } = await runFile(process.execPath, [program, '--version'], { cwd: folder, env: {} });
    assert.equal(stdout, `${version}\n`);
  });

  it('has maps that lead a stack to the lines of the sources', async () => {
    const code = resolve(program, '../code/errors.js');
    const places = readFileSync(code, 'utf8').split('\n');
    const line = places.findIndex((each) => each.includes(STATEMENT)) + 1;
    const script = `await import('${code}');
      const { fileName, lineNumber } = (await import('node:module')).findSourceMap('${code}').findOrigin(${line}, 3);
      console.log(fileName + ':' + lineNumber);`;
    const options = ['--enable-source-maps', '--input-type=module', '-e', script];
    const { stdout } = await runFile(process.execPath, options);
    const [, found = ''] = /\/src\/errors\.ts:(\d+)\n$/.exec(stdout) ?? [];
    const ofSource = readFileSync('src/errors.ts', 'utf8').split('\n')[Number(found) - 1] ?? '';
    assert.ok(ofSource.includes(STATEMENT), ofSource);
  });

  it('passes the tests of the program', { timeout: 600_000 }, async () => {
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const tests = ['--test', '--test-concurrency=2', '--test-global-setup=test/helpers/global-setup.ts'];
    const run = runFile(
      process.execPath,
      [...tests, ...TESTS.map((name) => `test/process/${name}.test.ts`)],
      {
        env: { ...env, THROUGHLINE_PROGRAM: program, ENGINE: 'sqlite' },
        maxBuffer: 100_000_000,
      },
    );
    await assert.doesNotReject(run.catch(({ stdout }) => Promise.reject(new Error(stdout))));
  });
});
