/** Links at the root of an app's own host. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isReservedPath } from '../../../src/apps/index.ts';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { ask, type Question } from '../../helpers/ask.ts';
import { engines } from '../../helpers/engines.ts';
import { useTwoNodes } from '../../helpers/nodes.ts';
import { assertError } from '../../helpers/shapes.ts';
import { DESKTOP, IPHONE, type TestApp, useWorld, type World } from '../../helpers/world.ts';

const to = (name: string) => `https://www.example.com/${name}`;
const SIGNALS = {
  ...{ screenWidth: 393, screenHeight: 852, pixelRatio: 3 },
  ...{ timezone: 'Europe/Berlin', languages: ['de-DE'] },
};
let count = 0;
const newHost = () => `paths-${++count}.example.com`;

/** Where a visitor of the host is led; the status if nowhere. */
async function leadsTo(world: World, host: string, path: string, question: Question = {}) {
  const headers = { 'user-agent': DESKTOP, ...question.headers };
  const answer = await ask(world, path, { ...question, host, headers });
  return answer.headers.location ?? answer.status;
}

async function newHostedApp(world: World, fields: Record<string, unknown> = {}) {
  const host = newHost();
  return { host, app: await world.newApp({ shortLinkHost: host, ...fields }) };
}

function linkAt(world: World, app: TestApp, path: string, fields: Record<string, unknown> = {}) {
  return world.newLink(app, { path, fallbackUrl: to(path), ...fields });
}

const create = (world: World, app: TestApp, body: object) =>
  world.call('POST', '/v1/links', { key: app.keys.live, body: { deepLinkPath: '/', ...body } });
const patch = (world: World, app: TestApp, code: string, body: object) =>
  world.call('PATCH', `/v1/links/${code}`, { key: app.keys.live, body });

for (const engine of engines)
  describe(`links at paths on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.test' });
    let host: string;
    let app: TestApp;
    before(async () => {
      ({ host, app } = await newHostedApp(world));
    });

    it('a link answers at its path, however a client writes it, and at its code', async () => {
      const { shortCode, shortUrl } = await linkAt(world, app, 'summer/sale');
      assert.equal(shortUrl, `https://${host}/summer/sale`);
      for (const path of [
        ...['/summer/sale', '/summer/sale/', '//summer//sale', '/%73ummer/sale', '/summer%2Fsale'],
        ...['/summer/sale?x=1', '/SUMMER/Sale', `/l/${shortCode}`, `http://${host}/summer/sale`],
      ])
        assert.equal(await leadsTo(world, host, path), to('summer/sale'), path);
      for (const path of [
        ...['/summer', '/summer/sale/more', '/summer/%2573ale', '/summer/./sale', '/summer/../summer/sale'],
        ...['/s%C3%BCmmer/sale', '/summer\\sale', '/summer/sale%00', '/%zz', `/l/${shortCode}/more`, '/'],
      ])
        assert.equal(await leadsTo(world, host, path), 404, path);
      assert.equal(await leadsTo(world, 'go.test', '/summer/sale'), 404);
    });

    it('HEAD gets what GET gets', async () => {
      await linkAt(world, app, 'head');
      assert.equal(await leadsTo(world, host, '/head', { method: 'HEAD' }), to('head'));
      assert.equal(await leadsTo(world, host, '/no-head', { method: 'HEAD' }), 404);
    });

    it('a path in other letters leads to the only link that has it', async () => {
      await linkAt(world, app, 'Case');
      await linkAt(world, app, 'caSe', { fallbackUrl: to('other') });
      await linkAt(world, app, 'Single');
      assert.equal(await leadsTo(world, host, '/Case'), to('Case'));
      assert.equal(await leadsTo(world, host, '/caSe'), to('other'));
      assert.equal(await leadsTo(world, host, '/case'), 404);
      assert.equal(await leadsTo(world, host, '/sINGLE'), to('Single'));
    });

    it('with passPath a link has the paths below its own that no other link has', async () => {
      await linkAt(world, app, 'shop', { passPath: true });
      await linkAt(world, app, 'shop/men', { passPath: true });
      await linkAt(world, app, 'shop/men/shoes');
      assert.equal(await leadsTo(world, host, '/shop/a/b/c/d/e/f'), to('shop/a/b/c/d/e/f'));
      assert.equal(await leadsTo(world, host, '/shop/men/hats'), to('shop/men/hats'));
      assert.equal(await leadsTo(world, host, '/shop/men/shoes'), to('shop/men/shoes'));
      assert.equal(await leadsTo(world, host, '/shopping'), 404);
      for (const rest of ['..', '%2e%2e/x', '%252e%252e/x', 'a'.repeat(513)])
        assert.equal(await leadsTo(world, host, `/shop/men/${rest}`), 404, rest);
      assert.equal(await leadsTo(world, host, '/shop///evil.example'), to('shop/evil.example'));
    });

    it('a changed, cleared or deleted path stops at once, and that of a deleted link stays dead', async () => {
      const { shortCode } = await linkAt(world, app, 'first');
      assert.equal(await leadsTo(world, host, '/first'), to('first'));
      assert.equal((await patch(world, app, shortCode, { path: 'second' })).body.path, 'second');
      assert.deepEqual(
        [await leadsTo(world, host, '/first'), await leadsTo(world, host, '/second')],
        [404, to('first')],
      );
      const cleared = (await patch(world, app, shortCode, { path: null })).body;
      assert.deepEqual([cleared.path, cleared.shortUrl], [null, `https://${host}/l/${shortCode}`]);
      assert.equal(await leadsTo(world, host, '/second'), 404);
      await patch(world, app, shortCode, { path: 'third' });
      assert.equal(await leadsTo(world, host, '/third'), to('first'));
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      assert.equal(await leadsTo(world, host, '/third'), 404);
      assertError(await create(world, app, { path: 'third' }), 409, 'link.path_taken');
    });

    it('a new link answers right after its path was asked for in vain', async () => {
      assert.equal(await leadsTo(world, host, '/soon'), 404);
      await linkAt(world, app, 'soon');
      assert.equal(await leadsTo(world, host, '/soon'), to('soon'));
    });

    it('two apps may have the same path, and a host that is given to another app takes no link along', async () => {
      const [one, two] = [await newHostedApp(world), await newHostedApp(world)];
      await linkAt(world, one.app, 'same', { fallbackUrl: to('one') });
      await linkAt(world, two.app, 'same', { fallbackUrl: to('two') });
      await linkAt(world, one.app, 'only-one');
      assert.equal(await leadsTo(world, one.host, '/same'), to('one'));
      assert.equal(await leadsTo(world, two.host, '/same'), to('two'));
      await world.admin('PATCH', `/apps/${one.app.id}`, { shortLinkHost: newHost() });
      await world.admin('PATCH', `/apps/${two.app.id}`, { shortLinkHost: one.host });
      assert.equal(await leadsTo(world, one.host, '/same'), to('two'));
      assert.equal(await leadsTo(world, one.host, '/only-one'), 404);
      assert.equal(await leadsTo(world, two.host, '/same'), 404);
    });

    it('path needs a host of the app’s own; without one a link that has a path is at its code', async () => {
      const bare = await world.newApp();
      assertError(await create(world, bare, { path: 'summer' }), 400, 'request.invalid', 'shortLinkHost');
      const { shortCode } = await world.newLink(bare);
      assertError(
        await patch(world, bare, shortCode, { path: 'x' }),
        400,
        'request.invalid',
        'shortLinkHost',
      );
      const moving = await newHostedApp(world);
      const link = await linkAt(world, moving.app, 'stays');
      await world.admin('PATCH', `/apps/${moving.app.id}`, { shortLinkHost: null });
      world.clock.advance(SECOND_MS);
      const call = { key: moving.app.keys.live };
      const { body } = await world.call('GET', `/v1/links/${link.shortCode}`, call);
      assert.deepEqual([body.path, body.shortUrl], ['stays', `https://go.test/l/${link.shortCode}`]);
      const again = await patch(world, moving.app, link.shortCode, body);
      assert.deepEqual([again.status, again.body.path], [200, 'stays'], 'written back whole');
    });

    it('a path of 255 characters and 5 segments is the longest', async () => {
      const longest = `a/b/c/d/${'e'.repeat(247)}`;
      await linkAt(world, app, longest, { fallbackUrl: to('longest') });
      assert.equal(await leadsTo(world, host, `/${longest}`), to('longest'));
      for (const path of [`${longest}f`, 'a/b/c/d/e/f', 'a//b', 'a/', '', '/', '//a', 'a b', 'ä', 'a%20b'])
        assertError(await create(world, app, { path }), 400, 'request.invalid', 'path');
      for (const path of ['.', '..', 'a/../b', './a'])
        assertError(await create(world, app, { path }), 400, 'request.invalid', 'path');
    });

    it('no link has a path of the service, which answers at every host as before', async () => {
      for (const path of ['v1', 'v1/links', '/l/x', 'l', '.well-known/x', 'console', 'sdk/web.js', 'docs/x'])
        assertError(await create(world, app, { path }), 400, 'request.invalid', 'belongs to the service');
      for (const path of ['_', '_next/x', 'healthz', 'readyz', 'metrics', 'openapi.json', 'robots.txt'])
        assertError(await create(world, app, { path }), 400, 'request.invalid', 'belongs to the service');
      for (const path of [
        '/healthz',
        '/docs/',
        '/.well-known/assetlinks.json',
        '/%2ewell-known/assetlinks.json',
      ])
        assert.equal(await leadsTo(world, host, path), 200, path);
      for (const path of ['V1', 'documents', 'v1x', 'a/v1', 'l2']) await linkAt(world, app, path);
      assert.equal(await leadsTo(world, host, '/V1'), to('V1'));
    });

    it('the root, unknown paths and unknown codes of a host go where the app says, without a click', async () => {
      const own = await newHostedApp(world, { rootUrl: to('home'), notFoundUrl: to('missing') });
      const link = await linkAt(world, own.app, 'there');
      const crawler = { headers: { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' } };
      for (const question of [{}, crawler, { method: 'HEAD' as const }]) {
        assert.equal(await leadsTo(world, own.host, '/', question), to('home'));
        assert.equal(await leadsTo(world, own.host, '/?utm_source=x', question), to('home'));
        for (const path of ['/nowhere', '/l/unknown1', `/l/${link.shortCode}/more`, '/there/more', '/a/../b'])
          assert.equal(await leadsTo(world, own.host, path, question), to('missing'), path);
      }
      assert.equal(await leadsTo(world, own.host, '/v1/nowhere'), 404, 'of the service');
      assert.equal(await leadsTo(world, own.host, '/robots.txt'), 404);
      const clicks = await world.call('GET', '/v1/clicks?visitor=all', { key: own.app.keys.live });
      assert.deepEqual(clicks.body, []);
      await world.admin('PATCH', `/apps/${own.app.id}`, { rootUrl: null, notFoundUrl: null });
      world.clock.advance(SECOND_MS);
      assert.deepEqual(
        [await leadsTo(world, own.host, '/'), await leadsTo(world, own.host, '/nowhere')],
        [404, 404],
      );
    });

    it('the page of a path reports its signals for the click', async () => {
      await linkAt(world, app, 'page/here', { landingPage: 'always', passPath: true });
      const { text } = await ask(world, '/page/here/more', {
        host,
        headers: { 'user-agent': IPHONE, accept: 'text/html' },
      });
      const [, signals = ''] = /data-signals="([^"]+)"/.exec(text) ?? [];
      const [, click] = /data-click="([^"]+)"/.exec(text) ?? [];
      const [, proof] = /data-proof="([^"]+)"/.exec(text) ?? [];
      const { pathname } = new URL(signals, `https://${host}/page/here/more`);
      const answer = await world.call('POST', pathname, {
        body: { ...SIGNALS, clickId: click, proof },
      });
      assert.equal(answer.status, 204, answer.text);
    });

    it('the app gets the payload of a path, whatever port, slash or query the address has', async () => {
      const { shortUrl } = await linkAt(world, app, 'open/me', { deepLinkPath: '/me', passPath: true });
      const resolve = (url: string) =>
        world.call('POST', '/v1/sdk/resolve', { key: app.keys.live_publishable, body: { url } });
      for (const url of [shortUrl, `${shortUrl}/`, `${shortUrl}?x=1#y`, `https://${host}:8443/open/me`])
        assert.equal((await resolve(url)).body.deepLinkPath, '/me', url);
      assert.equal((await resolve(`${shortUrl}/more`)).body.deepLinkPath, '/me/more');
      for (const path of ['/', '/open', '/open/you', '/v1'])
        assertError(await resolve(`https://${host}${path}`), 404, 'link.not_found');
    });

    it('lists and the search take a path, or a whole short URL, where they take a code', async () => {
      const { shortCode, shortUrl } = await linkAt(world, app, 'find/me');
      assert.equal(await leadsTo(world, host, '/find/me'), to('find/me'));
      const call = { key: app.keys.live };
      for (const name of [
        shortCode,
        'find/me',
        '/find/me',
        shortUrl,
        `${host}/find/me`,
        `https://${host}/l/${shortCode}`,
      ]) {
        const clicks = await world.call('GET', `/v1/clicks?shortCode=${encodeURIComponent(name)}`, call);
        assert.deepEqual([clicks.status, clicks.body.length], [200, 1], name);
        const found = await world.call('GET', `/v1/search?q=${encodeURIComponent(name)}`, call);
        assert.equal(found.body[0]?.id ?? found.body.results?.[0]?.id, shortCode, name);
      }
    });
  });

describe('links at paths, with two processes', () => {
  const nodes = useTwoNodes();

  it('a changed or cleared path stops, and a new host answers, within a second in every process', async () => {
    const { first, second } = nodes;
    const { host, app } = await newHostedApp(first);
    const pass = () => {
      first.clock.advance(SECOND_MS);
      second.clock.advance(SECOND_MS);
    };
    const { shortCode } = await linkAt(first, app, 'one');
    pass();
    for (let turn = 0; turn < 5; turn++) {
      assert.equal(await leadsTo(second, host, '/one'), to('one'));
      assert.equal(await leadsTo(second, host, '/two'), 404);
      pass();
    }
    await patch(first, app, shortCode, { path: 'two' });
    pass();
    assert.deepEqual(
      [await leadsTo(second, host, '/one'), await leadsTo(second, host, '/two')],
      [404, to('one')],
    );
    await patch(first, app, shortCode, { path: null });
    pass();
    assert.equal(await leadsTo(second, host, '/two'), 404);
    await patch(first, app, shortCode, { path: 'three' });
    const moved = newHost();
    await first.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: moved });
    pass();
    assert.equal(await leadsTo(second, moved, '/three'), to('one'));
    assert.equal(await leadsTo(second, host, '/three'), 404);
  });
});

describe('reserved paths', () => {
  const world = useWorld('sqlite');

  it('every route of the service begins with a reserved name', async () => {
    const paths = world.service.api
      .printRoutes({ commonPrefix: false })
      .split('\n')
      .flatMap((line) => /^[├└]── (\S+)/.exec(line)?.[1] ?? []);
    assert.ok(paths.length > 8, paths.join(' '));
    assert.deepEqual(
      paths.filter((path) => path !== '/' && !isReservedPath(path)),
      [],
    );
  });
});
