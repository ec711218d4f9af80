/** The script for web pages: caching, compression, and that any page may load it. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { webRoutes } from '../../src/web/routes.ts';
import { neutralEngines } from '../helpers/engines.ts';
import { useWorld } from '../helpers/world.ts';

const SCRIPT = readFileSync(new URL('../../packages/web/dist/web.js', import.meta.url));

for (const engine of neutralEngines)
  describe(`the script for web pages, on ${engine}`, () => {
    const world = useWorld(engine);
    const pinned = async () => `/sdk/${(await world.call('GET', '/sdk/web.js')).headers['content-location']}`;

    it('is kept for an hour, and for a year by the address with its hash', async () => {
      for (const [url, caching] of [
        ['/sdk/web.js', 'public, max-age=3600'],
        [await pinned(), 'public, max-age=31536000, immutable'],
      ] as const) {
        const { status, headers, text } = await world.call('GET', url);
        assert.deepEqual([status, headers['cache-control']], [200, caching], url);
        assert.equal(text, SCRIPT.toString());
        assert.match(String(headers['content-type']), /^\w+\/javascript; charset=utf-8$/);
        const etag = String(headers.etag);
        const again = await world.call('GET', url, { headers: { 'if-none-match': etag } });
        assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
        assert.equal((await world.call('HEAD', url)).status, 200);
      }
      assert.match(await pinned(), /^\/sdk\/web-[\da-f]{16}\.js$/);
    });

    it('may be loaded by pages of any origin, with their checks of its bytes', async () => {
      const { headers } = await world.call('GET', await pinned(), {
        headers: { origin: 'https://shop.example' },
      });
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
      assert.equal(headers['x-content-type-options'], 'nosniff');
    });

    it('is sent compressed to clients that take it', async () => {
      for (const [encoding, unpack] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const { headers, rawPayload } = await world.service.api.inject({
          url: '/sdk/web.js',
          headers: { 'accept-encoding': encoding },
        });
        assert.equal(headers['content-encoding'], encoding);
        assert.match(String(headers.vary), /accept-encoding/i);
        assert.deepEqual(unpack(rawPayload), SCRIPT);
        assert.ok(rawPayload.length <= 5 * 1_024);
      }
    });

    it('leads from the hash of another version to the present one, and no other file is sent', async () => {
      const old = await world.call('GET', '/sdk/web-0123456789abcdef.js');
      assert.deepEqual(
        [old.status, old.headers.location, old.headers['cache-control']],
        [302, 'web.js', 'no-store'],
      );
      for (const file of [
        'web.js.gz',
        'esm',
        'index.js',
        '..%2fpackage.json',
        '%2e%2e/package.json',
        'web-.js',
      ])
        assert.equal((await world.call('GET', `/sdk/${file}`)).status, 404, file);
    });

    it('says what to do if it is not built', async () => {
      const dist = mkdtempSync(join(tmpdir(), 'throughline-web-'));
      const server = Fastify();
      await server.register(webRoutes, { dist });
      const { statusCode, body, headers } = await server.inject({ url: '/sdk/web.js' });
      assert.deepEqual([statusCode, headers['cache-control']], [503, 'no-store']);
      assert.match(body, /npm ci --include=dev/);
      await server.close();
      rmSync(dist, { recursive: true });
    });
  });
