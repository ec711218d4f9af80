/** The program on a Node that cannot run it: one line that says what to do, and exit code 78. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Where systems install Node, apart from the one in `node_modules`. */
const SYSTEM_NODES = ['/usr/local/bin/node', '/usr/bin/node'];

describe('a Node that cannot run the program', () => {
  let copy: string;
  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'no-packages-'));
    for (const name of ['bin', 'migrations', 'package.json', 'src', 'tools'])
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  });
  after(() => rmSync(copy, { recursive: true }));

  /** Runs the command of `npm start`. */
  function start(node: string, env: Record<string, string> = {}) {
    const { scripts } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
      scripts: { start: string };
    };
    const PATH = `${dirname(node)}:/usr/bin:/bin`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', scripts.start], {
      cwd: copy,
      env: { PATH, ...env },
      encoding: 'utf8',
    });
    return { status, stdout, lines: stderr.trimEnd().split('\n') };
  }

  function assertOneLine({ status, stdout, lines }: ReturnType<typeof start>, line: RegExp): void {
    assert.deepEqual([status, stdout, lines.length], [78, '', 1], lines.join('\n'));
    assert.match(lines[0] ?? '', line);
  }

  it('without packages, Node 24 says to run npm ci', () => {
    assertOneLine(
      start(process.execPath),
      /^Throughline’s packages are not installed: .* Run “npm ci” in \//,
    );
  });

  it('a Node without TypeScript says what disables it', () => {
    const NODE_OPTIONS = '--no-experimental-strip-types';
    assertOneLine(
      start(process.execPath, { NODE_OPTIONS }),
      /^Node runs without TypeScript here\. .*NODE_OPTIONS/,
    );
  });

  const older = SYSTEM_NODES.find((node) => existsSync(node) && majorOf(node) < 24);
  it('an older Node says to run npm ci', { skip: older === undefined && 'no older Node here' }, () => {
    assertOneLine(start(older ?? ''), /^Throughline needs Node 24, and this is Node \d.* Run “npm ci” in \//);
    const bundled = spawnSync(older ?? '', [join(ROOT, 'tools/bundle/throughline.js'), 'serve'], {
      encoding: 'utf8',
    });
    assert.deepEqual([bundled.status, bundled.stdout], [78, '']);
    assert.match(bundled.stderr, /^Throughline needs Node 24, and this is Node \d.*\n$/);
  });
});

function majorOf(node: string): number {
  return Number(spawnSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }).stdout);
}
