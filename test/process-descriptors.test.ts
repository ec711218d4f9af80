/** Connections that take every file descriptor of the process cost no install, and `/readyz` tells of them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines, makePlace } from './engines.ts';
import { freePort } from './free-port.ts';
import { commandLine, makePlayLink, OWN_ENV } from './process.ts';
import { waitFor } from './wait-for.ts';
import { PIXEL } from './world.ts';

const KEY = 'svc_live_0123456789abcdef';
const DESCRIPTORS = 200;

for (const engine of engines)
  it(`installs are recorded while half-open connections take all descriptors, on ${engine}`, {
    timeout: 120_000,
  }, async (t) => {
    const place = await makePlace(engine);
    const port = await freePort();
    const server = spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS}; exec ${commandLine('serve')}`], {
      env: { ...OWN_ENV, ...place.env, BOOTSTRAP_LIVE_KEY: KEY, PORT: String(port) },
      stdio: 'ignore',
    });
    t.after(async () => {
      server.kill('SIGKILL');
      await place.remove();
    });
    const url = `http://127.0.0.1:${port}`;
    const readiness = async () => {
      const answer = await fetch(`${url}/readyz`);
      return { status: answer.status, text: await answer.text() };
    };
    await waitFor('it is ready', () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    );
    const code = await makePlayLink(url, KEY);
    const tap = async () =>
      (await fetch(`${url}/l/${code}`, { redirect: 'manual', headers: { 'user-agent': PIXEL } })).status;
    const install = async () => {
      const answer = await fetch(`${url}/v1/sdk/install`, {
        method: 'POST',
        headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ fingerprint: { platform: 'IOS' } }),
      });
      await answer.text();
      return answer.status;
    };
    assert.deepEqual([await tap(), await install()], [302, 200]);

    const sockets = Array.from({ length: DESCRIPTORS + 20 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n'));
      return socket.on('error', () => undefined);
    });
    await sleep(1_000);
    // By the connection that was there before.
    for (let turn = 0; turn < 3; turn++) assert.deepEqual([await tap(), await install()], [302, 200]);
    const { status, text } = await readiness();
    if (status !== 200) assert.match(text, /No file descriptor is left/);
    for (const socket of sockets) socket.destroy();
    await waitFor('it is ready again', async () => ((await readiness()).status === 200 ? true : undefined));
  });
