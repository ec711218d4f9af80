/** The web console's files: pages, caching and security headers. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { readConfig } from '../../src/config.ts';
import { consoleRoutes } from '../../src/console/routes.ts';
import { useWorld } from '../helpers/world.ts';

const PAGE = '<!doctype html><base href="/console/" /><title>Throughline</title>';

describe('the console', () => {
  const dist = mkdtempSync(join(tmpdir(), 'throughline-console-'));
  const servers: FastifyInstance[] = [];
  let api: FastifyInstance;
  before(async () => {
    mkdirSync(join(dist, 'assets'));
    writeFileSync(join(dist, 'index.html'), PAGE);
    writeFileSync(join(dist, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    writeFileSync(join(dist, 'assets', 'index-abc.js'), 'export {};');
    writeFileSync(join(dist, 'assets', 'index-abc.js.gz'), 'compressed');
    writeFileSync(join(dist, '..', 'beside-the-console.txt'), 'secret');
    api = await serve('https://example.com/');
  });
  after(async () => {
    for (const server of servers) await server.close();
    rmSync(dist, { recursive: true });
    rmSync(join(dist, '..', 'beside-the-console.txt'), { force: true });
  });

  async function serve(publicUrl: string, folder = dist): Promise<FastifyInstance> {
    const server = Fastify();
    const config = readConfig({ PUBLIC_URL: publicUrl });
    await server.register(consoleRoutes, { config, dist: folder });
    servers.push(server);
    return server;
  }

  it('every address that is no file has the page, which is never stored', async () => {
    for (const url of ['/console', '/console/', '/console/sign-in', '/console/an-app/links/autumn?x=1']) {
      const { statusCode, headers, body } = await api.inject({ url });
      assert.deepEqual([statusCode, body], [200, PAGE], url);
      assert.equal(headers['cache-control'], 'no-store');
      assert.match(String(headers['content-type']), /^text\/html; charset=utf-8/);
    }
  });

  it('files with a hash are kept for a year, and sent compressed to clients that take it', async () => {
    const plain = await api.inject({ url: '/console/assets/index-abc.js' });
    assert.deepEqual([plain.statusCode, plain.body], [200, 'export {};']);
    assert.match(String(plain.headers['content-type']), /javascript/);
    assert.match(String(plain.headers['cache-control']), /max-age=31536000, immutable/);
    const packed = await api.inject({
      url: '/console/assets/index-abc.js',
      headers: { 'accept-encoding': 'gzip' },
    });
    assert.deepEqual([packed.headers['content-encoding'], packed.body], ['gzip', 'compressed']);
    const icon = await api.inject({ url: '/console/icon.svg' });
    assert.equal(icon.statusCode, 200);
    assert.doesNotMatch(String(icon.headers['cache-control']), /immutable/);
  });

  it('a file of another build is not found, rather than the page', async () => {
    const { statusCode, body } = await api.inject({ url: '/console/assets/index-old.js' });
    assert.equal(statusCode, 404);
    assert.ok(!body.includes('Throughline'));
  });

  it('no file outside of the build is sent', async () => {
    for (const path of ['../beside-the-console.txt', '..%2fbeside-the-console.txt', 'assets/../../x'])
      for (const start of ['/console/', '/console/assets/']) {
        const { body } = await api.inject({ url: start + path });
        assert.ok(!body.includes('secret'), start + path);
      }
  });

  it('runs scripts and styles of its own files only, in no frame, and tells no other site its address', async () => {
    for (const url of ['/console/', '/console/assets/index-abc.js']) {
      const { headers } = await api.inject({ url });
      const policy = String(headers['content-security-policy']).split('; ');
      for (const directive of [
        ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
        ...["base-uri 'self'", "form-action 'self'", "frame-ancestors 'none'"],
      ])
        assert.ok(policy.includes(directive), directive);
      assert.doesNotMatch(policy.join(), /unsafe|\*|https?:/);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    }
  });

  it('works below the path of PUBLIC_URL, whatever characters it has', async () => {
    for (const [publicUrl, base] of [
      ['https://example.com/tools/links', '/tools/links/console/'],
      ['https://example.com/a&b', '/a&amp;b/console/'],
    ] as const) {
      const { body } = await (await serve(publicUrl)).inject({ url: '/console/x' });
      assert.ok(body.includes(`<base href="${base}" />`), body);
    }
  });

  it('says what to do if it is not built', async () => {
    const { statusCode, headers, body } = await (
      await serve('https://example.com', join(dist, 'none'))
    ).inject({
      url: '/console/',
    });
    assert.equal(statusCode, 503);
    assert.match(body, /npm ci --include=dev/);
    assert.equal(headers['cache-control'], 'no-store');
  });
});

describe('the console in the service', () => {
  const world = useWorld('sqlite');

  it('is served without a key, and its missing files have the error of any route', async () => {
    const page = await world.call('GET', '/console/');
    assert.equal(page.status, 200, page.text);
    assert.ok(page.text.includes('<base href="/console/" />'));
    const { status, headers } = await world.call('GET', '/console/assets/none.js');
    assert.deepEqual([status, headers['x-service-error']], [404, 'route.not_found']);
  });

  it('is no part of the described API', async () => {
    const { body } = await world.call('GET', '/openapi.json');
    assert.deepEqual(
      Object.keys(body.paths).filter((path) => path.includes('console')),
      [],
    );
  });
});
