/** Standard output that fails: a full disk, or a reader that closed the pipe. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { engines } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { commandLine, makeUnconfiguredPlace, OWN_ENV } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';

const FULL = '/dev/full';
const noFull = existsSync(FULL) ? false : `needs ${FULL}`;

describe('a service that cannot write its log', { skip: noFull }, () => {
  it('starts, serves and stops as usual', async (t) => {
    const place = await makeUnconfiguredPlace(engines[0] ?? 'sqlite');
    const port = await freePort();
    const child = spawn('sh', ['-c', `exec ${commandLine('serve')}`], {
      env: { ...OWN_ENV, ...place.env, PORT: String(port) },
      stdio: ['ignore', openSync(FULL, 'w'), 'pipe'],
    });
    t.after(async () => {
      child.kill('SIGKILL');
      await place.remove();
    });
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      );
    await waitFor('the service to be ready', ready);
    // Without TRUST_PROXY this header makes the service log a warning.
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    for (let call = 0; call < 3; call++)
      assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`, { headers })).status, 200);
    child.kill('SIGTERM');
    assert.equal(await waitFor('the service to end', async () => child.exitCode ?? undefined), 0);
  });
});

describe('a command', { skip: noFull }, () => {
  it('reports a failed write to standard output in one line, and nothing after a closed pipe', async () => {
    const { code, stderr: full } = await run(`${commandLine('--version')} >${FULL}`);
    assert.equal(code, 1);
    assert.match(full, /^The command succeeded, but its output could not be written: [^\n]*ENOSPC[^\n]*\n$/);
    const { stderr } = await run(`${commandLine('--help')} | true`);
    assert.equal(stderr, '');
  });
});

async function run(command: string): Promise<{ code: number | null; stderr: string }> {
  const child = spawn('sh', ['-c', command], { env: OWN_ENV, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stderr };
}
