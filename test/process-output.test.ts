/** Standard output that takes nothing: a full disk, or a reader that has gone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { engines } from './engines.ts';
import { freePort } from './free-port.ts';
import { commandLine, makeUnconfiguredPlace, OWN_ENV } from './process.ts';
import { waitFor } from './wait-for.ts';

const FULL = '/dev/full';
const noFull = existsSync(FULL) ? false : `needs ${FULL}`;

for (const engine of engines)
  describe(`a service on ${engine} whose log cannot be written`, { skip: noFull }, () => {
    it('starts, serves and stops as ever', async (t) => {
      const place = await makeUnconfiguredPlace(engine);
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
      await waitFor('it is ready', ready);
      // TRUST_PROXY is not set, of which the log warns.
      const headers = { 'x-forwarded-for': '192.0.2.1' };
      for (let call = 0; call < 3; call++)
        assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`, { headers })).status, 200);
      child.kill('SIGTERM');
      assert.equal(await waitFor('it has ended', async () => child.exitCode ?? undefined), 0);
    });
  });

describe('a command', { skip: noFull }, () => {
  it('whose output cannot be written says so in one line, and nothing to a reader that has gone', async () => {
    const { code, stderr: said } = await run(`${commandLine('--version')} >${FULL}`);
    assert.equal(code, 1);
    assert.match(said, /^It is done, but what came of it could not be written: [^\n]*ENOSPC[^\n]*\n$/);
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
