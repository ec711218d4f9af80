/** The command line of the conformance kit, as `npx @throughline/conformance` starts it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type TestApp, useWorld } from '../helpers/world.ts';

const LINKED = 'node_modules/.bin/throughline-conformance';
const CLIENT = `${process.execPath} packages/conformance/clients/core-node/client.ts`;

describe('npx @throughline/conformance', () => {
  const world = useWorld('sqlite');
  let app: TestApp;
  let url: string;
  before(async () => {
    app = await world.newApp({ fingerprintIos: false, fingerprintAndroid: false });
    const { api } = world.service;
    await api.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
  });

  interface Ended {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  const run = (program: string, args: readonly string[]) =>
    new Promise<Ended>((resolve) => {
      execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  const against = (service: string, keys: { live?: string; sdk?: string } = {}) =>
    run(LINKED, [
      ...['--client', CLIENT, '--service', service],
      ...['--live-key', keys.live ?? app.keys.live, '--sdk-key', keys.sdk ?? app.keys.live_publishable],
    ]);

  it('is linked by npm ci, and lists the scenarios', async () => {
    const { code, stdout } = await run(LINKED, ['--list']);
    assert.equal(code, 0);
    assert.ok(stdout.split('\n').length > 20, stdout);
  });

  it('passes a client with the keys of an app', async () => {
    const [name = ''] = (await run(LINKED, ['--list'])).stdout.split(':');
    const { code, stdout, stderr } = await run(LINKED, [
      ...['--client', CLIENT, '--only', name, '--service', url],
      ...['--live-key', app.keys.live, '--sdk-key', app.keys.live_publishable],
    ]);
    assert.equal(code, 0, stdout + stderr);
  });

  it('ends with code 2 and one line that names the wrong key', async () => {
    const wrong = 'svc_live_0123456789abcdefghijklmnopqrstuv';
    for (const [keys, option] of [
      [{ live: wrong }, '--live-key'],
      [{ live: '' }, '--live-key'],
      [{ live: app.keys.live_publishable }, '--live-key'],
      [{ sdk: wrong }, '--sdk-key'],
      [{ sdk: 'nonsense' }, '--sdk-key'],
    ] as const)
      await assertOneLine(
        against(url, keys),
        new RegExp(`^The service refuses ${option} \\(key\\.\\w+\\): `),
      );
  });

  it('ends with code 2 and one line for keys of two apps, and for a secret key in place of the publishable one', async () => {
    const other = await world.newApp();
    await assertOneLine(against(url, { sdk: other.keys.live_publishable }), /are of two apps/);
    await assertOneLine(against(url, { sdk: app.keys.live }), /^--sdk-key is a secret key/);
  });

  it('ends with code 2 and one line for a service that is not there, or is another', async () => {
    const other = createServer((_request, response) => response.end('<h1>Hello</h1>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    after(() => other.close());
    const { port } = other.address() as AddressInfo;
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port: closed } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    await assertOneLine(
      against(`http://127.0.0.1:${closed}`),
      /^No answer from .*: ECONNREFUSED\. Check --service/,
    );
    await assertOneLine(against('http://no-such-host.invalid'), /^No answer from .*: E\w+\. Check --service/);
    await assertOneLine(
      against(`http://127.0.0.1:${port}`),
      /answered 200, but is no service .* Check --service/,
    );
    await assertOneLine(against('nonsense'), /^--service takes the address/);
  });

  it('of a package that is not built says how to build it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-unbuilt-'));
    after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'bin'));
    const program = join(folder, 'bin', 'conformance.mjs');
    copyFileSync('packages/conformance/bin/conformance.js', program);
    await assertOneLine(run(program, ['--list']), /npm run build/);
  });

  async function assertOneLine(running: Promise<Ended>, pattern: RegExp): Promise<void> {
    const { code, stdout, stderr } = await running;
    assert.deepEqual([code, stdout, stderr.trim().split('\n').length], [2, '', 1], stdout + stderr);
    assert.match(stderr, pattern);
  }
});
