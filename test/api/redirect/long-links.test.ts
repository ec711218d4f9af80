/** Long links of Firebase Dynamic Links at the root of an app's own host. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { ask } from '../../helpers/ask.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { DESKTOP, IPHONE, PIXEL, type TestApp, useWorld } from '../../helpers/world.ts';

const HOSTS = { firebaseLongLinks: { allowedHosts: ['www.example.com', '*.shop.example.com'] } };
const STORES = { androidPackage: 'com.example.shop', iosAppStoreId: '1234567890' };
const LINK = 'https://www.example.com/product/7?colour=red';
let count = 0;

for (const engine of engines)
  describe(`long links on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.test' });
    let host: string;
    let app: TestApp;
    before(async () => {
      host = `long-${engine}-${++count}.example.org`;
      app = await world.newApp({ shortLinkHost: host, ...STORES, ...HOSTS });
    });
    const tap = (query: string, userAgent = DESKTOP, accept = '*/*') =>
      ask(world, `/?${query}`, { host, headers: { 'user-agent': userAgent, accept } });
    const leadsTo = async (query: string, userAgent?: string) => {
      const answer = await tap(query, userAgent);
      return answer.headers.location ?? answer.status;
    };
    const encoded = (fields: Record<string, string>) =>
      new URLSearchParams({ link: LINK, ...fields }).toString();

    it('leads each platform where Firebase did', async () => {
      const stores = { apn: 'com.example.shop', ibi: 'com.example.shop', isi: '1234567890' };
      const web = 'https://www.example.com/';
      assert.equal(await leadsTo(encoded({})), LINK);
      assert.equal(await leadsTo(encoded({}), IPHONE), LINK);
      assert.equal(await leadsTo(encoded({ ...stores })), LINK);
      assert.equal(await leadsTo(encoded({ ...stores, ofl: `${web}desktop` })), `${web}desktop`);
      assert.equal(await leadsTo(encoded({ ofl: `${web}desktop` }), IPHONE), LINK);
      const isi = { ...stores, ct: 'mail', pt: '12', mt: '8' };
      assert.equal(
        await leadsTo(encoded(isi), IPHONE),
        'https://apps.apple.com/app/id1234567890?pt=12&ct=mail&mt=8',
      );
      assert.equal(await leadsTo(encoded({ ...stores, ifl: `${web}ios` }), IPHONE), `${web}ios`);
      assert.equal(await leadsTo(encoded({ ...stores, afl: `${web}android` }), PIXEL), `${web}android`);
      const play = new URL(
        String(await leadsTo(encoded({ ...stores, utm_source: 'a&b', utm_campaign: 'may' }), PIXEL)),
      );
      assert.equal(play.origin + play.pathname, 'https://play.google.com/store/apps/details');
      assert.equal(play.searchParams.get('id'), 'com.example.shop');
      const referrer = new URLSearchParams(play.searchParams.get('referrer') ?? '');
      assert.deepEqual([referrer.get('utm_source'), referrer.get('utm_campaign')], ['a&b', 'may']);
      assert.match(referrer.get('svc_click_id') ?? '', /^[0-9a-f-]{36}$/);
      assert.equal(
        await leadsTo(encoded({ link: 'https://eu.shop.example.com/x' })),
        'https://eu.shop.example.com/x',
      );
    });

    it('leads nowhere but to the hosts that the app allows, and to its own app', async () => {
      const refused = [
        ...[
          'https://evil.example/',
          'https://example.com/',
          'https://shop.example.com/',
          'https://xshop.example.com/',
        ],
        ...[
          'https://www.example.com@evil.example/',
          'https://www.example.com:pw@evil.example/',
          '//www.example.com/',
        ],
        ...[
          'https://user@www.example.com/',
          'https://www.example.com:8443/',
          'https://www.example.com.evil.example/',
        ],
        ...[
          'https://evil.example\\@www.example.com/',
          'https:\\\\evil.example\\www.example.com',
          '/\\evil.example',
        ],
        ...[
          'javascript:alert(1)',
          'javascript://www.example.com/%0aalert(1)',
          'data:text/html,x',
          'ftp://www.example.com/',
        ],
        ...[
          'https://www.ex\u00e4mple.com/',
          'https://www.example.com\u3002evil.example/',
          'https://127.0.0.1/',
          '',
        ],
        ...[
          'https%3A%2F%2Fwww.example.com%2F',
          'www.example.com',
          'https://www.example.com./',
          'market://details?id=x',
        ],
      ];
      for (const address of refused) {
        assert.equal(await leadsTo(encoded({ link: address })), 404, address);
        if (address === '') continue;
        for (const fallback of ['ifl', 'afl', 'ofl', 'ipfl'])
          assert.equal(await leadsTo(encoded({ [fallback]: address })), 404, `${fallback}=${address}`);
      }
      for (const fields of [
        ['apn', 'com.evil.app'],
        ['apn', 'com.example.shop/../x'],
        ['isi', '12x'],
        ['isi', '666'],
        ['isi', '1&id=2'],
      ] as const)
        assert.equal(await leadsTo(encoded({ [fields[0]]: fields[1] }), PIXEL), 404, fields.join('='));
      assert.equal(await leadsTo(`link=https://evil.example/&link=${encodeURIComponent(LINK)}`), 404);
      // What a browser makes of it is at the host that is allowed.
      for (const address of [
        'HTTPS://WWW.EXAMPLE.COM/a',
        'https:\\\\www.example.com\\a',
        'https://www.example.com:443/a',
        ' https://www.exa\tmple.com/a',
      ])
        assert.equal(await leadsTo(encoded({ link: address })), 'https://www.example.com/a', address);
      assert.equal(
        await leadsTo(encoded({ link: 'https://www.example.com\\@evil.example/' })),
        'https://www.example.com/@evil.example/',
      );
    });

    it('is 404 where it is refused, whatever the root and unknown paths have, and leads no way back', async () => {
      const own = `long-own-${engine}.example.org`;
      const allowedHosts = ['www.example.com', '*.example.org', 'go.test'];
      await world.newApp({
        ...{ shortLinkHost: own, firebaseLongLinks: { allowedHosts } },
        ...{ rootUrl: 'https://www.example.com/home', notFoundUrl: 'https://www.example.com/missing' },
      });
      const at = async (link: string) =>
        (
          await ask(world, `/?link=${encodeURIComponent(link)}`, {
            host: own,
            headers: { 'user-agent': DESKTOP },
          })
        ).status;
      assert.equal(await at('https://www.example.com/x'), 302);
      for (const link of [
        'https://evil.example/',
        `https://${own}/?link=https%3A%2F%2Fwww.example.com`,
        'https://go.test/l/x',
      ])
        assert.equal(await at(link), 404, link);
    });

    it('leads to no store page while the app has no id of that store', async () => {
      const bare = `long-bare-${engine}.example.org`;
      await world.newApp({ shortLinkHost: bare, ...HOSTS });
      for (const [field, userAgent] of [
        [{ apn: 'com.evil.bank' }, PIXEL],
        [{ isi: '666' }, IPHONE],
        [{ isi: '1x&id=2' }, IPHONE],
      ] as const) {
        const { headers } = await ask(world, `/?${encoded(field)}`, {
          ...{ host: bare, headers: { 'user-agent': userAgent } },
        });
        assert.equal(headers.location, LINK);
      }
    });

    it('takes an empty parameter as one that is left out', async () => {
      for (const name of ['ifl', 'afl', 'ofl', 'ipfl', 'apn', 'isi', 'ibi', 'st', 'si', 'efr'])
        for (const userAgent of [DESKTOP, IPHONE, PIXEL])
          assert.equal(await leadsTo(encoded({ [name]: '' }), userAgent), LINK, name);
    });

    it('the click has campaign and source, and a later install gets the path and parameters of link', async () => {
      const query = encoded({
        ...{ apn: 'com.example.shop', utm_campaign: 'may', utm_source: 'mail', gclid: 'g1' },
        link: 'https://www.example.com/product/caf%C3%A9/?colour=red&size=4&utm_source=inner&svc_click_id=z&SVC_x=1',
      });
      const { headers } = await tap(query, PIXEL);
      const referrer = new URL(String(headers.location)).searchParams.get('referrer');
      const payload = {
        deepLinkPath: '/product/caf%C3%A9/',
        deepLinkParams: { colour: 'red', size: '4', utm_source: 'mail', utm_campaign: 'may', gclid: 'g1' },
      };
      const install = await world.install(app, {
        ...{ fingerprint: { platform: 'ANDROID' }, installReferrer: referrer },
      });
      assert.equal(install.body.method, 'INSTALL_REFERRER', install.text);
      const { deepLinkPath, deepLinkParams } = install.body.deepLinkPayload;
      assert.deepEqual({ deepLinkPath, deepLinkParams }, payload);
      const [click] = (await world.call('GET', '/v1/clicks?campaignId=may', { key: app.keys.live })).body;
      assert.deepEqual([click.campaignId, click.utm.source, click.utm.campaign], ['may', 'mail', 'may']);
      const resolved = await world.call('POST', '/v1/sdk/resolve', {
        key: app.keys.live_publishable,
        body: { url: `https://${host}/?${query}` },
      });
      assert.deepEqual(
        { deepLinkPath: resolved.body.deepLinkPath, deepLinkParams: resolved.body.deepLinkParams },
        payload,
      );
      const evil = { url: `https://${host}/?link=https%3A%2F%2Fevil.example%2F` };
      const refused = await world.call('POST', '/v1/sdk/resolve', {
        key: app.keys.live_publishable,
        body: evil,
      });
      assertError(refused, 404, 'link.not_found');
    });

    it('a chat gets the card of the long link, as text', async () => {
      const card = encoded({ st: '<b>Red & new', sd: '"shoes"', si: 'https://cdn.example.net/red.png' });
      const { text, status } = await tap(card, 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)');
      assert.equal(status, 200);
      assert.ok(text.includes('content="&#60;b&#62;Red &#38; new"'), text);
      assert.ok(text.includes('https://cdn.example.net/red.png'));
      assert.ok(!text.includes('<b>'));
      const { text: bare } = await tap(encoded({ si: 'javascript:alert(1)' }), 'Slackbot-LinkExpanding 1.0');
      assert.ok(!bare.includes('javascript:'));
    });

    it('all long links are one link of the app, which can be read, written back and deleted', async () => {
      const call = { key: app.keys.live };
      const roots = async () =>
        (await world.call('GET', '/v1/links', call)).body.filter(
          (link: { path: string }) => link.path === '',
        );
      await Promise.all(Array.from({ length: 8 }, (_, place) => tap(encoded({ x: String(place) }))));
      const [root, ...others] = await roots();
      assert.deepEqual([others, root.shortUrl], [[], `https://${host}/`]);
      const written = await world.call('PATCH', `/v1/links/${root.shortCode}`, { ...call, body: root });
      assert.deepEqual([written.status, written.body.path], [200, '']);
      await world.call('DELETE', `/v1/links/${root.shortCode}`, call);
      assert.equal(await leadsTo(encoded({})), LINK);
      assert.equal((await roots()).length, 1);
    });

    it('without the setting the root is no long link, and a new setting applies within a second', async () => {
      const other = `long-off-${engine}.example.org`;
      const { id } = await world.newApp({ shortLinkHost: other, rootUrl: 'https://www.example.com/home' });
      const at = async () =>
        (await ask(world, `/?link=${encodeURIComponent(LINK)}`, { host: other })).headers.location;
      assert.equal(await at(), 'https://www.example.com/home');
      await world.admin('PATCH', `/apps/${id}`, HOSTS);
      world.clock.advance(SECOND_MS);
      assert.equal(await at(), LINK);
    });
  });
