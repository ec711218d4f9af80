/** Hosts of single apps: `shortLinkHost`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { ask } from '../../helpers/ask.ts';
import { engines } from '../../helpers/engines.ts';
import { useTwoNodes } from '../../helpers/nodes.ts';
import { assertError } from '../../helpers/shapes.ts';
import { DESKTOP, type TestApp, useWorld, type World } from '../../helpers/world.ts';

const APPLE = '/.well-known/apple-app-site-association';
const ANDROID = '/.well-known/assetlinks.json';
const FALLBACK = { fallbackUrl: 'https://example.com/' };
const PRINT = Array.from({ length: 32 }, () => 'AB').join(':');

/** One host name in several spellings of the header `Host`. */
const spellings = (host: string) => [host, host.toUpperCase(), `${host}:443`, `${host}.`, `${host}.:8443`];

let lastHost = 0;
function newHost(): string {
  lastHost += 1;
  return `app-${lastHost}.example.com`;
}

function newApp(world: World, name: string, shortLinkHost: string | null): Promise<TestApp> {
  return world.newApp({
    shortLinkHost,
    iosTeamId: 'TEAM',
    iosBundleId: name,
    androidPackage: name,
    androidCertFingerprints: [PRINT],
  });
}

async function namedAt(world: World, host: string): Promise<{ ios: string[]; android: string[] }> {
  const { applinks } = (await ask(world, APPLE, { host })).body;
  const statements = (await ask(world, ANDROID, { host })).body;
  return {
    ios: applinks.details.flatMap(({ appIDs }: { appIDs: string[] }) => appIDs),
    android: statements.map((one: { target: { package_name: string } }) => one.target.package_name),
  };
}

async function tapAt(world: World, host: string, shortCode: string): Promise<number> {
  return (await ask(world, `/l/${shortCode}`, { host, headers: { 'user-agent': DESKTOP } })).status;
}

for (const engine of engines)
  describe(`hosts of single apps on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.test' });

    it('app field: shortLinkHost, default null, in lower case and without a port, cleared by null', async () => {
      const bare = (await world.admin('POST', '/apps', { name: 'Shop' })).body;
      assert.equal(bare.shortLinkHost, null);
      const host = newHost();
      const made = await world.admin('POST', '/apps', {
        name: 'Shop',
        shortLinkHost: `${host.toUpperCase()}:8443`,
      });
      assert.deepEqual([made.status, made.body.shortLinkHost], [201, host]);
      for (const shortLinkHost of [newHost(), 'localhost', null]) {
        const patched = await world.admin('PATCH', `/apps/${bare.id}`, { shortLinkHost });
        assert.deepEqual([patched.status, patched.body.shortLinkHost], [200, shortLinkHost]);
      }
    });

    it('an invalid host name gets 400', async () => {
      const { id } = await world.newApp();
      for (const shortLinkHost of [
        ...[
          7,
          '',
          ' ',
          'with space',
          'https://a.example',
          'a.example/path',
          'a..example',
          '.example',
          'a.example.',
        ],
        ...['-a.example', 'a-.example', 'a_b.example', '*.example', '127.0.0.1', '[::1]', 'a.example:'],
        ...['a.example:port', 'münchen.example', `${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`],
      ])
        assertError(
          await world.admin('PATCH', `/apps/${id}`, { shortLinkHost }),
          400,
          'request.invalid',
          'shortLinkHost',
        );
    });

    it('the shared host of all apps gets 400', async () => {
      const { id } = await world.newApp();
      for (const shortLinkHost of ['go.test', 'GO.test:443', 'links.test'])
        for (const answer of [
          await world.admin('PATCH', `/apps/${id}`, { shortLinkHost }),
          await world.admin('POST', '/apps', { name: 'Shop', shortLinkHost }),
        ])
          assertError(answer, 400, 'request.invalid', /shortLinkHost .* Choose another host name\.$/);
    });

    it('the host of an absolute request target takes precedence over Host', async () => {
      const [own, other] = [newHost(), newHost()];
      const app = await newApp(world, 'own', own);
      await newApp(world, 'other', other);
      const { shortCode } = await world.newLink(app, FALLBACK);
      const status = async (target: string, host: string) =>
        (await ask(world, `http://${target}/l/${shortCode}`, { host, headers: { 'user-agent': DESKTOP } }))
          .status;
      assert.deepEqual(
        [await status(own, own), await status(`${own}:8443`, other), await status(other, own)],
        [302, 302, 404],
      );
      assert.deepEqual(
        (await ask(world, `HTTP://${own}${APPLE}`, { host: other })).body.applinks.details[0].appIDs,
        ['TEAM.own'],
      );
    });

    it('two apps never have the same host: 409 until the first releases it', async () => {
      const shortLinkHost = newHost();
      const first = await world.newApp({ shortLinkHost });
      const second = await world.newApp();
      const taken = { shortLinkHost: shortLinkHost.toUpperCase() };
      const take = () => world.admin('PATCH', `/apps/${second.id}`, taken);
      assertError(await take(), 409, 'app.host_taken');
      assertError(await world.admin('POST', '/apps', { name: 'Shop', ...taken }), 409, 'app.host_taken');
      assert.equal((await world.admin('PATCH', `/apps/${first.id}`, { shortLinkHost })).status, 200);
      await world.admin('PATCH', `/apps/${first.id}`, { shortLinkHost: null });
      assert.equal((await take()).status, 200);
    });

    it('an app’s own host serves that app only, in every spelling', async () => {
      const host = newHost();
      await newApp(world, 'own.one', host);
      await newApp(world, 'own.two', newHost());
      await newApp(world, 'own.none', null);
      for (const spelling of spellings(host))
        assert.deepEqual(await namedAt(world, spelling), { ios: ['TEAM.own.one'], android: ['own.one'] });
    });

    it('every other host serves exactly the apps without their own host', async () => {
      await newApp(world, 'shared.one', null);
      await newApp(world, 'shared.two', null);
      await newApp(world, 'shared.elsewhere', newHost());
      for (const host of ['go.test', 'GO.TEST:443', 'links.test', '127.0.0.1:8080', 'unknown.example']) {
        const { ios, android } = await namedAt(world, host);
        assert.deepEqual(
          android.filter((name) => name.startsWith('shared.')),
          ['shared.one', 'shared.two'],
        );
        assert.deepEqual(
          ios.filter((name) => name.startsWith('TEAM.shared.')),
          ['TEAM.shared.one', 'TEAM.shared.two'],
        );
      }
    });

    it('a link of another app is not found at an app’s own host, and records no click there', async () => {
      const host = newHost();
      const owner = await world.newApp({ shortLinkHost: host });
      const strangers = [await world.newApp(), await world.newApp({ shortLinkHost: newHost() })];
      const own = await world.newLink(owner, FALLBACK);
      for (const spelling of spellings(host)) assert.equal(await tapAt(world, spelling, own.shortCode), 302);
      for (const stranger of strangers) {
        const { shortCode } = await world.newLink(stranger, FALLBACK);
        for (const spelling of spellings(host)) assert.equal(await tapAt(world, spelling, shortCode), 404);
        await world.service.clickLog.applied();
        const { db } = world.service;
        const clicks = db.selectFrom('clicks').select('id').where('app_id', '=', stranger.id);
        assert.deepEqual(await clicks.execute(), []);
      }
    });

    it('an app’s links also stay at the shared host', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, FALLBACK);
      await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: newHost() });
      for (const host of ['go.test', 'links.test', 'unknown.example'])
        assert.equal(await tapAt(world, host, shortCode), 302);
    });

    it('a host is an app’s own as soon as it is set, and shared as soon as it is cleared', async () => {
      const host = newHost();
      const { shortCode } = await world.newLink(await world.newApp(), FALLBACK);
      const other = await world.newApp();
      assert.equal(await tapAt(world, host, shortCode), 302);
      await world.admin('PATCH', `/apps/${other.id}`, { shortLinkHost: host });
      assert.equal(await tapAt(world, host, shortCode), 404);
      await world.admin('PATCH', `/apps/${other.id}`, { shortLinkHost: null });
      assert.equal(await tapAt(world, host, shortCode), 302);
    });

    it('shortUrl has the app’s own host in every response, with the scheme of SHORT_LINK_URL', async () => {
      const host = newHost();
      const app = await world.newApp({ shortLinkHost: host });
      const key = app.keys.live;
      const { shortCode, shortUrl } = await world.newLink(app);
      const path = `/v1/links/${shortCode}`;
      const shown = [
        shortUrl,
        (await world.call('GET', path, { key })).body.shortUrl,
        (await world.call('GET', '/v1/links', { key })).body[0].shortUrl,
        (await world.call('PATCH', path, { key, body: {} })).body.shortUrl,
      ];
      assert.deepEqual(new Set(shown), new Set([`https://${host}/l/${shortCode}`]));
      await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: null });
      const { body } = await world.call('GET', path, { key });
      assert.equal(body.shortUrl, `https://go.test/l/${shortCode}`);
    });

    it('POST /v1/sdk/resolve accepts URLs of the host for its app only', async () => {
      const host = newHost();
      const app = await world.newApp({ shortLinkHost: host });
      const { shortCode } = await world.newLink(app);
      const resolve = ({ keys }: TestApp, at: string) =>
        world.call('POST', '/v1/sdk/resolve', {
          key: keys.live_publishable,
          body: { url: `https://${at}/l/${shortCode}` },
        });
      for (const at of [host, host.toUpperCase(), `${host}:8443`, 'go.test', 'links.test'])
        assert.equal((await resolve(app, at)).status, 200, at);
      assertError(await resolve(app, 'unknown.example'), 404, 'link.not_found', `begins with ${host}/ or `);
      assertError(await resolve(await world.newApp(), host), 404, 'link.not_found', /begins with go\.test/);
    });
  });

for (const engine of engines)
  describe(`hosts of single apps, if SHORT_LINK_URL has a port, on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'http://localhost:8080' });

    it('shortUrl has the port too, since the host has no listener on the default port', async () => {
      const app = await world.newApp({ shortLinkHost: 'shop.localhost' });
      const { shortCode, shortUrl } = await world.newLink(app);
      assert.equal(shortUrl, `http://shop.localhost:8080/l/${shortCode}`);
    });
  });

if (engines.includes('postgres'))
  describe('hosts of single apps, of two nodes on one PostgreSQL', () => {
    const nodes = useTwoNodes();

    it('a host set on one node is the app’s own on the other within a second', async () => {
      const { first, second } = nodes;
      const host = newHost();
      const { shortCode } = await first.newLink(await first.newApp(), FALLBACK);
      assert.equal(await tapAt(second, host, shortCode), 302);
      await newApp(first, 'two.nodes', host);
      second.clock.advance(SECOND_MS);
      assert.equal(await tapAt(second, host, shortCode), 404);
      assert.deepEqual(await namedAt(second, host), { ios: ['TEAM.two.nodes'], android: ['two.nodes'] });
    });
  });
