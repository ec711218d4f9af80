/** `POST /v1/sdk/links`: links that users of an app share. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines, neutralEngines } from '../../helpers/engines.ts';
import { useTwoNodes } from '../../helpers/nodes.ts';
import { assertError } from '../../helpers/shapes.ts';
import { newInstall, newSharingApp, share } from '../../helpers/share-links.ts';
import { DESKTOP, IPHONE, useWorld } from '../../helpers/world.ts';

const DAY_MS = 86_400_000;
const CODE = /^[2-9A-HJ-NP-Za-km-z]{12}$/;

for (const engine of engines)
  describe(`share links on ${engine}`, () => {
    const world = useWorld(engine);

    it('a new link has a code of 12 characters, the destinations of the setting, and its inviter', async () => {
      const app = await newSharingApp(world, {
        defaults: {
          iosDestination: 'https://apps.apple.com/app/id1',
          fallbackUrl: 'https://example.com/get',
          campaignId: 'invitations',
          landingPage: 'never',
        },
      });
      const installId = await newInstall(world, app);
      const card = { ogTitle: 'Look', ogDescription: 'Red shoes', ogImage: 'https://example.com/a.png' };
      const made = await share(world, app, { installId, deepLinkParams: { colour: 'red' }, ...card });
      assert.equal(made.status, 201, made.text);
      const { shortCode, shortUrl } = made.body;
      assert.match(shortCode, CODE);
      assert.deepEqual(made.body, { shortCode, shortUrl });
      assert.equal(shortUrl, `http://links.test/l/${shortCode}`);
      const { body } = await world.call('GET', `/v1/links/${shortCode}`, { key: app.keys.live });
      const wanted = {
        ...card,
        deepLinkPath: '/shoes',
        deepLinkParams: { colour: 'red' },
        campaignId: 'invitations',
        iosDestination: 'https://apps.apple.com/app/id1',
        androidDestination: null,
        fallbackUrl: 'https://example.com/get',
        landingPage: 'never',
        metadata: { invitedBy: installId },
        sandbox: false,
      };
      assert.deepEqual({ ...body, ...wanted }, body);
      const iphone = await world.tap(shortCode, { userAgent: IPHONE });
      assert.equal(iphone.headers.location, 'https://apps.apple.com/app/id1');
      const desktop = await world.tap(shortCode, { userAgent: DESKTOP });
      assert.equal(desktop.headers.location, 'https://example.com/get');
    });

    it('the same content by the same install gives the same link; other content, another one', async () => {
      const app = await newSharingApp(world, { allowCampaignId: true });
      const installId = await newInstall(world, app);
      const body = { installId, deepLinkParams: { a: 1, b: { c: [2] } } };
      const made = await share(world, app, body);
      assert.equal(made.status, 201, made.text);
      for (const same of [
        { installId: installId.toUpperCase(), deepLinkParams: { b: { c: [2] }, a: 1 } },
        { ...body, ogTitle: null, campaignId: null, debugBuild: false },
      ]) {
        const again = await share(world, app, same);
        assert.deepEqual([again.status, again.body], [200, made.body], again.text);
      }
      const codes = new Set([made.body.shortCode]);
      for (const other of [
        { ...body, deepLinkPath: '/boots' },
        { ...body, deepLinkParams: { a: 2 } },
        { ...body, ogTitle: 'Look' },
        { ...body, campaignId: 'spring' },
        { ...body, debugBuild: true },
        { ...body, installId: await newInstall(world, app) },
      ]) {
        const another = await share(world, app, other);
        assert.equal(another.status, 201, another.text);
        codes.add(another.body.shortCode);
      }
      assert.equal(codes.size, 7);
    });

    it('calls for one content at once make one link, and count once', async () => {
      const app = await newSharingApp(world, { perInstallPerDay: 1 });
      const installId = await newInstall(world, app);
      const answers = await Promise.all(Array.from({ length: 12 }, () => share(world, app, { installId })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(11).fill(200), 201]);
      assert.equal(new Set(answers.map(({ body }) => body.shortCode)).size, 1);
    });

    it('a deleted or expired link is not given out again: its content gets a new one, and that the next time too', async () => {
      const app = await newSharingApp(world);
      const installId = await newInstall(world, app);
      const codes = [];
      for (let round = 0; round < 10; round++) {
        const { status, body } = await share(world, app, { installId });
        assert.equal(status, 201);
        assert.deepEqual((await share(world, app, { installId })).body, body);
        codes.push(body.shortCode);
        const { live: key } = app.keys;
        const path = `/v1/links/${body.shortCode}`;
        const expiresAt = new Date(world.clock.nowMs() - 1_000).toISOString();
        const ended =
          round % 2 === 0
            ? await world.call('DELETE', path, { key })
            : await world.call('PATCH', path, { key, body: { expiresAt } });
        assert.equal(ended.status, round % 2 === 0 ? 204 : 200, ended.text);
      }
      assert.equal(new Set(codes).size, 10);
    });

    it('an install makes perInstallPerDay links in a UTC day, exactly, however many calls arrive at once', async () => {
      const app = await newSharingApp(world, { perInstallPerDay: 5 });
      const [installId, other] = [await newInstall(world, app), await newInstall(world, app)];
      const paths = Array.from({ length: 12 }, (_, index) => `/shoes/${index}`);
      const call = (deepLinkPath: string) => share(world, app, { installId, deepLinkPath });
      const answers = await Promise.all(paths.map(call));
      assert.equal(answers.filter(({ status }) => status === 201).length, 5);
      const refused = answers.filter(({ status }) => status !== 201);
      for (const answer of refused) assertError(answer, 429, 'rate.limited', 'daily limit of 5 new links');
      const leftSeconds = (DAY_MS - (world.clock.nowMs() % DAY_MS)) / 1_000;
      const waitSeconds = Number(refused[0]?.headers['retry-after']);
      assert.ok(Math.abs(waitSeconds - leftSeconds) < 5, `${waitSeconds} s, not ${leftSeconds} s`);
      const made = paths[answers.findIndex(({ status }) => status === 201)] ?? '';
      assert.equal((await call(made)).status, 200, 'links that exist are still given out');
      assert.equal((await share(world, app, { installId: other })).status, 201);
      world.clock.advance(waitSeconds * 1_000);
      assert.equal((await call('/tomorrow')).status, 201);
    });

    it('an address makes a twentieth of the links of its app a day, others go on, and another app too', async () => {
      const app = await newSharingApp(world, { perInstallPerDay: 2, perDay: 40 });
      const from = '198.51.100.77';
      const call = async (sender: { from?: string; key?: string } = {}) =>
        await share(world, app, { installId: await newInstall(world, app) }, { from, ...sender });
      for (const status of [201, 201]) assert.equal((await call()).status, status);
      const refused = await call();
      assertError(refused, 429, 'rate.limited', 'The address has reached its daily limit of 2 new links');
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.equal((await call({ from: '198.51.100.78' })).status, 201);
      assert.equal((await call({ key: app.keys.live })).status, 201);
      const another = await newSharingApp(world, { perInstallPerDay: 2, perDay: 40 });
      const installId = await newInstall(world, another);
      assert.equal((await share(world, another, { installId }, { from })).status, 201);
    });

    it('an app makes perDay links a day; a tenth of them is left to its servers', async () => {
      const app = await newSharingApp(world, { perInstallPerDay: 20, perDay: 10 });
      const installId = await newInstall(world, app);
      const call = (index: number, key = app.keys.live_publishable) =>
        share(world, app, { installId, deepLinkPath: `/${index}` }, { key });
      for (let index = 0; index < 9; index++) assert.equal((await call(index)).status, 201);
      assertError(await call(9), 429, 'rate.limited', 'The app has reached its daily limit of 9 new links');
      assert.equal((await call(9, app.keys.live)).status, 201);
      assertError(await call(10, app.keys.live), 429, 'rate.limited', 'limit of 10 new links');
      assert.equal((await call(3)).status, 200);
    });
  });

if (engines.includes('postgres'))
  describe('share links, two nodes', () => {
    const nodes = useTwoNodes();

    it('calls for one content that reach two processes at once make one link', async () => {
      const { first, second } = nodes;
      const app = await newSharingApp(first, { perInstallPerDay: 3 });
      const installId = await newInstall(first, app);
      for (const deepLinkPath of ['/a', '/b', '/c']) {
        const calls = [first, second, first, second].map((world) =>
          share(world, app, { installId, deepLinkPath }),
        );
        const answers = await Promise.all(calls);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 201]);
        assert.equal(new Set(answers.map(({ body }) => body.shortCode)).size, 1);
      }
      const refused = await share(second, app, { installId, deepLinkPath: '/d' });
      assertError(refused, 429, 'rate.limited', 'The install');
    });
  });

for (const engine of neutralEngines)
  describe(`share links, setting, on ${engine}`, () => {
    const world = useWorld(engine);

    it('an app without the setting, or with it turned off, makes no links', async () => {
      const app = await world.newApp();
      const installId = await newInstall(world, app);
      assertError(await share(world, app, { installId }), 403, 'app_links.off', 'appLinks');
      for (const [setting, status] of [
        [{ enabled: true }, 201],
        [{ enabled: false }, 403],
        [null, 403],
      ] as const) {
        await world.admin('PATCH', `/apps/${app.id}`, { appLinks: setting });
        assert.equal((await share(world, app, { installId })).status, status);
      }
    });

    it('the list of links has those of the app apart, and searches find them by their whole short URL', async () => {
      const app = await newSharingApp(world);
      const { shortCode: ofTeam } = await world.newLink(app, { deepLinkPath: '/shoes' });
      const installId = await newInstall(world, app);
      const { shortCode, shortUrl } = (await share(world, app, { installId, ogTitle: 'Anna' })).body;
      for (const [query, codes] of [
        ['', [shortCode, ofTeam]],
        ['madeBy=app', [shortCode]],
        ['madeBy=team', [ofTeam]],
        [`q=${encodeURIComponent(shortUrl)}`, [shortCode]],
        ['q=shoes', [ofTeam]],
        ['q=anna', []],
      ] as const) {
        const { body } = await world.call('GET', `/v1/links?${query}`, { key: app.keys.live });
        assert.deepEqual(
          body.map((link: { shortCode: string }) => link.shortCode),
          codes,
          query,
        );
      }
    });

    it('fields that are left out of the setting get their defaults', async () => {
      const { body } = await world.admin('POST', '/apps', { name: 'Shop', appLinks: { enabled: true } });
      const defaults = { defaults: {}, allowCampaignId: false, perInstallPerDay: 50, perDay: 100_000 };
      assert.deepEqual(body.appLinks, { enabled: true, ...defaults });
    });

    it('the audit log tells which parts of the setting changed', async () => {
      const app = await world.newApp();
      const patch = (appLinks: unknown) => world.admin('PATCH', `/apps/${app.id}`, { appLinks });
      await patch({ enabled: true, defaults: { fallbackUrl: 'https://example.com/a' } });
      await patch({ enabled: false, defaults: { fallbackUrl: 'https://example.com/b' } });
      const log = await world.call('GET', '/v1/audit-log?action=app.updated', { key: app.keys.live });
      assert.deepEqual(log.body[0].details.changes, {
        'appLinks.enabled': { from: true, to: false },
        'appLinks.defaults.fallbackUrl': { from: 'https://example.com/a', to: 'https://example.com/b' },
      });
      const { changes } = log.body[1].details;
      assert.deepEqual(changes['appLinks.enabled'], { from: null, to: true });
    });

    it('new destinations of the setting are those of links made from then on', async () => {
      const app = await newSharingApp(world);
      const installId = await newInstall(world, app);
      const before = await share(world, app, { installId });
      const setting = { enabled: true, defaults: { fallbackUrl: 'https://example.com/new' } };
      await world.admin('PATCH', `/apps/${app.id}`, { appLinks: setting });
      const after = await share(world, app, { installId });
      assert.equal(after.status, 201);
      const where = async ({ body }: typeof after) =>
        (await world.tap(body.shortCode, { userAgent: DESKTOP })).headers.location;
      assert.deepEqual(
        [await where(before), await where(after)],
        ['https://example.com/get', 'https://example.com/new'],
      );
    });
  });
