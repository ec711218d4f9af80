/** Endpoints, Links: GET /v1/links and its query parameters. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

/** One more than the default of `limit`, and below the creation limit of a minute. */
const MADE = 51;

for (const engine of engines)
  describe(`endpoints, the list of links, on ${engine}`, () => {
    const world = useWorld(engine);

    const made = once(async () => {
      const app = await world.newApp();
      const paths: string[] = [];
      for (let place = 0; place < MADE; place++) {
        const campaignId = place % 10 === 0 ? 'tenth' : 'other';
        await world.newLink(app, { deepLinkPath: `/${place}`, campaignId });
        paths.unshift(`/${place}`);
      }
      return { app, paths };
    });

    async function listed(app: TestApp, query = ''): Promise<string[]> {
      const { status, body, text } = await world.call('GET', `/v1/links${query}`, { key: app.keys.live });
      assert.equal(status, 200, text);
      assert.ok(Array.isArray(body));
      return body.map(({ deepLinkPath }: { deepLinkPath: string }) => deepLinkPath);
    }

    it('GET /v1/links returns 200 and a JSON array of the app’s links, newest first', async () => {
      const { app, paths } = await made();
      assert.deepEqual(await listed(app, '?limit=100'), paths);
    });

    it('GET /v1/links of an app without links is an empty array', async () => {
      assert.deepEqual(await listed(await world.newApp()), []);
    });

    it('query parameter campaignId, string, default none: filters by campaign', async () => {
      const { app } = await made();
      assert.deepEqual(await listed(app, '?campaignId=tenth'), ['/50', '/40', '/30', '/20', '/10', '/0']);
      assert.deepEqual(await listed(app, '?campaignId=tenth&limit=2&offset=1'), ['/40', '/30']);
      assert.deepEqual(await listed(app, '?campaignId=unknown'), []);
      assert.deepEqual(await listed(await world.newApp(), '?campaignId=tenth'), []);
    });

    it('query parameter limit, int, default 50', async () => {
      const { app, paths } = await made();
      assert.deepEqual(await listed(app), paths.slice(0, 50));
    });

    it('query parameter limit, 1 to 100', async () => {
      const { app, paths } = await made();
      assert.deepEqual(await listed(app, '?limit=1'), paths.slice(0, 1));
      assert.deepEqual(await listed(app, '?limit=100'), paths);
      for (const limit of ['0', '101', '-1', '1.5', 'ten', '', 'null'])
        assertError(
          await world.call('GET', `/v1/links?limit=${limit}`, { key: app.keys.live }),
          400,
          'request.invalid',
          'limit',
        );
    });

    it('query parameter offset, int, default 0', async () => {
      const { app, paths } = await made();
      assert.deepEqual(await listed(app, '?limit=100&offset=0'), paths);
      assert.deepEqual(await listed(app, '?limit=10&offset=5'), paths.slice(5, 15));
      assert.deepEqual(await listed(app, '?offset=50'), ['/0']);
      assert.deepEqual(await listed(app, `?offset=${MADE}`), []);
      assert.deepEqual(await listed(app, `?offset=${Number.MAX_SAFE_INTEGER}`), []);
      for (const offset of ['-1', '1.5', 'one', ''])
        assertError(
          await world.call('GET', `/v1/links?offset=${offset}`, { key: app.keys.live }),
          400,
          'request.invalid',
          'offset',
        );
    });

    it('query parameters q and search find parts of codes, paths, campaigns and titles, in any capitals and literally', async () => {
      const app = await world.newApp({ shortLinkHost: 'words.example.com' });
      for (const link of [
        { deepLinkPath: '/a', shortCode: 'Code-one' },
        { deepLinkPath: '/b', campaignId: 'Spring' },
        { deepLinkPath: '/Shoes/42' },
        { deepLinkPath: '/d', ogTitle: '100 % off' },
        { deepLinkPath: '/e', title: 'ÜBER Весна' },
        { deepLinkPath: '/f', path: 'Poster/Hall' },
      ])
        await world.newLink(app, link);
      const find = async (text: string, name = 'q') =>
        await listed(app, `?${name}=${encodeURIComponent(text)}`);
      assert.deepEqual(await find('cODE-o'), ['/a']);
      assert.deepEqual(await find('spring', 'search'), ['/b']);
      assert.deepEqual(await find(' shoes/4 '), ['/Shoes/42']);
      assert.deepEqual(await find('% OFF'), ['/d']);
      assert.deepEqual(await find('Über'), ['/e']);
      assert.deepEqual(await find('u\u0308ber вес'), ['/e']);
      assert.deepEqual(await find('poster/h'), ['/f']);
      for (const none of ['0_%', '%a', 'shoes_42', '\\', 'one/b'])
        assert.deepEqual(await find(none), [], none);
      await world.call('PATCH', '/v1/links/Code-one', { key: app.keys.live, body: { title: 'Renamed' } });
      assert.deepEqual(await find('renamed'), ['/a']);
      assert.equal((await world.call('DELETE', '/v1/links/Code-one', { key: app.keys.live })).status, 204);
      assert.deepEqual(await find('renamed'), []);
    });

    it('query parameter q finds the link of a whole short URL, with or without a scheme and what follows the path', async () => {
      const app = await world.newApp({ shortLinkHost: 'whole.example.com' });
      const { shortUrl } = await world.newLink(app, { deepLinkPath: '/poster', path: 'poster/hall' });
      await world.newLink(app, { deepLinkPath: '/other', shortCode: 'other-code' });
      const open = { path: 'summer/sale', passPath: true, shortCode: 'sale-code' };
      await world.newLink(app, { deepLinkPath: '/sale', ...open });
      await world.newLink(app, { deepLinkPath: 'https://shop.example.com/poster/hall' });
      assert.equal(shortUrl, 'http://whole.example.com/poster/hall');
      for (const [text, found] of [
        [shortUrl, ['/poster']],
        [`${shortUrl}/?utm_source=print#top`, ['/poster']],
        ['whole.example.com/Poster/Hall', ['/poster']],
        ['whole.example.com/poster/hall/more', []],
        ['https://whole.example.com/Summer/sale/shoes/42?x=1', ['/sale']],
        ['whole.example.com/l/sale-code/shoes/42?x=1', ['/sale']],
        ['https://whole.example.com/l/other-code?x=1', ['/other']],
        ['links.test/l/other-code', ['/other']],
        ['https://shop.example.com/poster', ['https://shop.example.com/poster/hall']],
        ['https://links.test/l/unknown', []],
      ] as const)
        assert.deepEqual(await listed(app, `?q=${encodeURIComponent(text)}`), found, text);
    });

    it('query parameter tag lists the links that have it, in any capitals; GET /v1/tags has all tags with their numbers', async () => {
      const app = await world.newApp();
      const make = (deepLinkPath: string, tags: string[], more = {}) =>
        world.newLink(app, { deepLinkPath, tags, ...more });
      await make('/a', ['sale', 'Print']);
      const { shortCode } = await make('/b', ['SALE', ' Sale ', 'sale\u200b']);
      await make('/c', ['Sale', 'test'], { sandbox: true });
      const tagged = (tag: string) => listed(app, `?tag=${encodeURIComponent(tag)}`);
      const tags = async (key = app.keys.live) => (await world.call('GET', '/v1/tags', { key })).body;
      assert.deepEqual(await tagged(' sAle'), ['/c', '/b', '/a']);
      assert.deepEqual(await tagged('sal'), []);
      assert.deepEqual(await listed(app, '?tag=sale&q=%2Fb'), ['/b']);
      assert.deepEqual(await listed(app, '?tag=sale&sort=clicks&order=asc&limit=1&offset=1'), ['/b']);
      assert.deepEqual(await tags(), [
        { tag: 'Print', links: 1 },
        { tag: 'Sale', links: 3 },
        { tag: 'test', links: 1 },
      ]);
      assert.deepEqual(await tags(app.keys.test), [
        { tag: 'Sale', links: 1 },
        { tag: 'test', links: 1 },
      ]);
      const path = `/v1/links/${shortCode}`;
      assert.deepEqual(
        (await world.call('PATCH', path, { key: app.keys.live, body: { tags: ['Print'] } })).body.tags,
        ['Print'],
      );
      assert.deepEqual(await tagged('print'), ['/b', '/a']);
      await world.call('DELETE', path, { key: app.keys.live });
      assert.deepEqual(await tagged('print'), ['/a']);
      assert.deepEqual((await tags())[1], { tag: 'Sale', links: 2 });
      assert.deepEqual(
        await world
          .call('GET', '/v1/tags', { key: (await world.newApp()).keys.live })
          .then(({ body }) => body),
        [],
      );
    });

    it('query parameter state, active or expired, default both', async () => {
      const app = await world.newApp();
      await world.newLink(app, { deepLinkPath: '/short', expiresInDays: 1 });
      await world.newLink(app, { deepLinkPath: '/long', expiresInDays: 3_650 });
      await world.newLink(app, { deepLinkPath: '/ever' });
      assert.deepEqual(await listed(app, '?state=expired'), []);
      world.clock.advance(25 * 60 * 60 * 1_000);
      assert.deepEqual(await listed(app, '?state=expired'), ['/short']);
      assert.deepEqual(await listed(app, '?state=active'), ['/ever', '/long']);
      assert.deepEqual(await listed(app), ['/ever', '/long', '/short']);
    });

    it('query parameters sort, createdAt, clicks or installs of all days, and order: equal ones are newest first', async () => {
      const app = await world.newApp();
      const links = [];
      for (const deepLinkPath of ['/none', '/two', '/one', '/also-none'])
        links.push(await world.newLink(app, { deepLinkPath }));
      for (const place of [1, 1, 2]) await world.tap(links[place]?.shortCode ?? '');
      const inOrder = ['/two', '/one', '/also-none', '/none'];
      assert.deepEqual(await listed(app, '?sort=clicks'), inOrder);
      assert.deepEqual(await listed(app, '?sort=clicks&limit=2&offset=1'), inOrder.slice(1, 3));
      assert.deepEqual(await listed(app, '?sort=clicks&search=one'), ['/one', '/also-none', '/none']);
      assert.deepEqual(await listed(app, '?sort=clicks&order=asc'), ['/also-none', '/none', '/one', '/two']);
      assert.deepEqual(await listed(app, '?sort=installs'), ['/also-none', '/one', '/two', '/none']);
      assert.deepEqual(await listed(app, '?order=asc'), ['/none', '/two', '/one', '/also-none']);
      for (const [query, field] of [
        ['sort=opens', 'sort'],
        ['order=up', 'order'],
      ] as const)
        assertError(
          await world.call('GET', `/v1/links?${query}`, { key: app.keys.live }),
          400,
          'request.invalid',
          field,
        );
    });

    it('an unknown query parameter is refused by its name, since a misspelt filter would list everything', async () => {
      const { app } = await made();
      for (const name of ['tags', 'query', 'unheardOf'])
        assertError(
          await world.call('GET', `/v1/links?${name}=1&limit=2`, { key: app.keys.live }),
          400,
          'request.invalid',
          `${name} is no parameter here. The parameters are include, campaignId, tag, madeBy, q,`,
        );
    });

    it('another app’s links are never listed', async () => {
      const other = await world.newApp();
      await world.newLink(other, { deepLinkPath: '/foreign' });
      const { app } = await made();
      assert.ok(!(await listed(app, '?limit=100')).includes('/foreign'));
      assert.deepEqual(await listed(other), ['/foreign']);
    });
  });
