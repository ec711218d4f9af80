/** A process with more connections than file descriptors. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it } from 'node:test';
import { Agent, fetch } from 'undici';
import { engines, makePlace } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { commandLine, makePlayLink, OWN_ENV } from '../helpers/process.ts';
import { RawConnection } from '../helpers/raw-http.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
const DESCRIPTORS = 200;
/** Every request opens a connection: the server ends those that are kept open when it has too many. */
const dispatcher = new Agent({ pipelining: 0 });

for (const engine of engines)
  describe(`a service on ${engine} with ${DESCRIPTORS} file descriptors`, () => {
    it('records and redirects while half-open connections outnumber them', { timeout: 90_000 }, async (t) => {
      const place = await makePlace(engine);
      const port = String(await freePort());
      const url = `http://127.0.0.1:${port}`;
      const child = spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS}; exec ${commandLine('serve')}`], {
        env: { ...OWN_ENV, ...place.env, PORT: port, BOOTSTRAP_LIVE_KEY: KEY },
        stdio: 'ignore',
      });
      t.after(async () => {
        child.kill('SIGKILL');
        await place.remove();
      });
      const isReady = () =>
        fetch(`${url}/readyz`, { dispatcher }).then(
          ({ ok }) => ok || undefined,
          () => undefined,
        );
      await waitFor('the server to be ready', isReady);
      const shortCode = await makePlayLink(url, KEY);
      for (let count = 0; count < DESCRIPTORS + 50; count++) {
        const connection = await RawConnection.open(url);
        t.after(() => connection.destroy());
        connection.send('GET / HTTP/1.1\r\n');
      }

      const tap = await fetch(`${url}/l/${shortCode}`, {
        dispatcher,
        redirect: 'manual',
        headers: { 'user-agent': 'Mozilla/5.0 (Linux; Android 14) Chrome/141.0 Mobile' },
      });
      assert.equal(tap.status, 302);
      assert.match(String(tap.headers.get('location')), /svc_click_id/);
      const install = await fetch(`${url}/v1/sdk/install`, {
        dispatcher,
        method: 'POST',
        headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ fingerprint: { platform: 'ANDROID' } }),
      });
      assert.equal(install.status, 200);
      assert.equal(await isReady(), true);
    });
  });
