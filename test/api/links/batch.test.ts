/** Endpoints, Links: POST and PATCH /v1/links/batch, and POST /v1/links/deletions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines, neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

interface Result {
  readonly status: number;
  readonly code?: string;
  readonly error?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the link, and fails if it is missing.
  readonly link?: any;
}

for (const engine of engines)
  describe(`batches of links on ${engine}`, () => {
    const world = useWorld(engine);

    async function send(
      method: 'POST' | 'PATCH',
      app: TestApp,
      links: readonly unknown[],
      { key = app.keys.live, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
    ): Promise<Result[]> {
      const call = { key, headers, body: { links } };
      const { status, body, text } = await world.call(method, '/v1/links/batch', call);
      assert.equal(status, 200, text);
      return body.results;
    }
    const statuses = (results: readonly Result[]) => results.map(({ status, code }) => code ?? status);
    async function listed(app: TestApp, query = ''): Promise<string[]> {
      const { body } = await world.call('GET', `/v1/links?limit=100${query}`, { key: app.keys.live });
      return body.map(({ deepLinkPath }: { deepLinkPath: string }) => deepLinkPath);
    }

    it('each link of a POST has its own outcome, in order: one that is refused spoils no other', async () => {
      const app = await world.newApp({ shortLinkHost: `${engine}-batch.example.com` });
      await world.newLink(app, { shortCode: `${engine}-taken`, path: 'taken' });
      const results = await send('POST', app, [
        { deepLinkPath: '/0', shortCode: `${engine}-mine`, title: 'First', tags: ['A', 'a', 'B'] },
        { deepLinkPath: '' },
        { deepLinkPath: '/2', shortCode: `${engine}-taken` },
        { deepLinkPath: '/3', shortCode: `${engine}-mine` },
        { deepLinkPath: '/4', path: 'taken' },
        { deepLinkPath: '/5', path: 'fresh' },
        { deepLinkPath: '/6', path: 'fresh' },
        { deepLinkPath: '/7', fallbackUrl: 'javascript:alert(1)' },
        'no object',
        { deepLinkPath: 'https://shop.example.com/9', rules: [{ when: {}, then: { campaignId: 'x' } }] },
      ]);
      assert.deepEqual(statuses(results), [
        201,
        'request.invalid',
        'link.code_taken',
        'link.code_taken',
        'link.path_taken',
        201,
        'link.path_taken',
        'request.invalid',
        'request.invalid',
        201,
      ]);
      assert.match(results[1]?.error ?? '', /deepLinkPath must not be empty/);
      assert.deepEqual(results[9]?.link.warnings[0].code, 'path.is_url');
      const { body } = await world.call('GET', `/v1/links/${engine}-mine`, { key: app.keys.live });
      assert.deepEqual(results[0]?.link, body);
      assert.deepEqual(body.tags, ['A', 'B']);
      assert.deepEqual(await listed(app, '&q=first'), ['/0']);
      assert.deepEqual(await listed(app, '&tag=b'), ['/0']);
      assert.equal((await listed(app)).length, 4);
      assert.equal((await world.tap(`${engine}-mine`)).status < 400, true);
      // The code of a link that was not made is free.
      assert.equal(
        (await send('POST', app, [{ deepLinkPath: '/4', shortCode: `${engine}-free` }]))[0]?.status,
        201,
      );
    });

    it('500 links take one call each to make, to change and to delete, each with its entry in the audit log', async () => {
      const app = await world.newApp();
      const made = await send(
        'POST',
        app,
        Array.from({ length: 500 }, (_, place) => ({ deepLinkPath: `/${place}`, tags: ['Many'] })),
      );
      assert.deepEqual(new Set(statuses(made)), new Set([201]));
      assert.deepEqual(
        made.map(({ link }) => link.deepLinkPath),
        made.map((_, place) => `/${place}`),
      );
      const codes = made.map(({ link }) => link.shortCode);
      const changed = await send(
        'PATCH',
        app,
        codes.map((shortCode, place) => ({ shortCode, campaignId: `c${place}`, tags: ['Few'] })),
      );
      assert.deepEqual(new Set(statuses(changed)), new Set([200]));
      assert.equal(changed[499]?.link.campaignId, 'c499');
      const tags = await world.call('GET', '/v1/tags', { key: app.keys.live });
      assert.deepEqual(tags.body, [{ tag: 'Few', links: 500 }]);
      const deletion = { key: app.keys.live, body: { shortCodes: codes } };
      const { body } = await world.call('POST', '/v1/links/deletions', deletion);
      assert.deepEqual(new Set(statuses(body.results)), new Set([204]));
      assert.deepEqual(await listed(app), []);
      const log = await world.call('GET', `/v1/audit-log?shortCode=${codes[7]}`, { key: app.keys.live });
      assert.deepEqual(
        log.body.map(({ action, details }: { action: string; details: object }) => [
          action,
          Object.keys((details as { changes?: object }).changes ?? {}).sort(),
        ]),
        [
          ['link.deleted', []],
          ['link.updated', ['campaignId', 'tags']],
          ['link.created', []],
        ],
      );
      const entries = await world.service.db
        .selectFrom('audit_log')
        .select('details')
        .where('app_id', '=', app.id)
        .where('action', 'in', ['link.created', 'link.updated', 'link.deleted'])
        .execute();
      assert.equal(entries.length, 1_500);
      assert.equal(new Set(entries.map(({ details }) => JSON.parse(details).batch)).size, 3);
    });

    it('each link of a PATCH has its own outcome, in order: one that is refused spoils no other', async () => {
      const app = await world.newApp({ shortLinkHost: `${engine}-change.example.com` });
      const other = await world.newLink(await world.newApp());
      const [one, two, three, gone] = (
        await send('POST', app, [
          { deepLinkPath: '/1', path: 'one' },
          { deepLinkPath: '/2', path: 'two' },
          { deepLinkPath: '/3', sandbox: true },
          { deepLinkPath: '/4' },
        ])
      ).map(({ link }) => link.shortCode as string);
      await world.call('DELETE', `/v1/links/${gone}`, { key: app.keys.live });
      const results = await send('PATCH', app, [
        { shortCode: one, path: 'two' },
        { shortCode: two, path: 'three', title: 'Two' },
        { shortCode: one, path: 'two', deepLinkPath: '/one two' },
        { shortCode: three, expiresInDays: 0 },
        { shortCode: gone, title: 'x' },
        { shortCode: other.shortCode, title: 'x' },
        { title: 'x' },
        { shortCode: three, title: 'Three' },
        { shortCode: three, title: 'Three!' },
      ]);
      assert.deepEqual(statuses(results), [
        'link.path_taken',
        200,
        200,
        'request.invalid',
        'link.not_found',
        'link.not_found',
        'request.invalid',
        200,
        200,
      ]);
      assert.deepEqual(results[2]?.link.warnings[0].code, 'path.has_space');
      assert.deepEqual(await listed(app, '&q=three!'), ['/3']);
      const own = await send(
        'PATCH',
        app,
        [
          { shortCode: one, title: 'x' },
          { shortCode: three, title: 'y' },
        ],
        {
          key: app.keys.test,
        },
      );
      assert.deepEqual(statuses(own), ['link.not_found', 200]);
      assert.equal((await world.tap(two ?? '')).status < 400, true);
      const answer = await world.call('POST', '/v1/links/deletions', {
        key: app.keys.test,
        body: { shortCodes: [one, three, three] },
      });
      assert.deepEqual(statuses(answer.body.results), ['link.not_found', 204, 'link.not_found']);
    });

    it('a batch with an Idempotency-Key makes no link twice, also after a crash between its parts', async () => {
      const app = await world.newApp();
      const links = Array.from({ length: 120 }, (_, place) => ({ deepLinkPath: `/${place}` }));
      const headers = { 'idempotency-key': 'the batch' };
      const first = await send('POST', app, links, { headers });
      // As if the process had ended before its second part.
      const later = `POST /v1/links/batch live 50`;
      await world.service.db
        .deleteFrom('idempotency_keys')
        .where('app_id', '=', app.id)
        .where('scope', '=', later)
        .execute();
      const again = await send('POST', app, links, { headers });
      assert.deepEqual(again.slice(0, 50), first.slice(0, 50));
      assert.deepEqual(again.slice(100), first.slice(100));
      assert.notDeepEqual(again[50], first[50]);
      assert.deepEqual(await send('POST', app, links, { headers }), again);
      assertError(
        await world.call('POST', '/v1/links/batch', {
          key: app.keys.live,
          headers,
          body: { links: [...links, { deepLinkPath: '/new' }] },
        }),
        409,
        'idempotency.conflict',
      );
    });

    it('links of one batch make no circle', async () => {
      const app = await world.newApp();
      const [a, b, c] = ['a', 'b', 'c'].map((name) => `${engine}-${name}-circle`);
      const to = (code: string | undefined) => `http://links.test/l/${code}`;
      const made = await send('POST', app, [
        { deepLinkPath: '/a', shortCode: a, fallbackUrl: to(b) },
        { deepLinkPath: '/plain' },
        { deepLinkPath: '/b', shortCode: b, fallbackUrl: to(a) },
        { deepLinkPath: '/c', shortCode: c },
      ]);
      assert.deepEqual(statuses(made), [201, 201, 'request.invalid', 201]);
      assert.match(made[2]?.error ?? '', /leads in a circle/);
      const changed = await send('PATCH', app, [
        { shortCode: c, fallbackUrl: to(a) },
        { shortCode: a, fallbackUrl: to(c) },
      ]);
      assert.deepEqual(statuses(changed), [200, 'request.invalid']);
    });

    it('concurrent batches with the same codes and paths make each link once', async () => {
      const app = await world.newApp({ shortLinkHost: `${engine}-race.example.com` });
      const links = Array.from({ length: 60 }, (_, place) => ({
        ...{ deepLinkPath: `/${place}`, shortCode: `${engine}-race-${place}`, path: `race/${60 - place}` },
      }));
      const both = await Promise.all([send('POST', app, links), send('POST', app, links.toReversed())]);
      const made = both.flat().filter(({ status }) => status === 201);
      assert.equal(made.length, 60);
      assert.equal((await listed(app)).length, 60);
    });
  });

for (const engine of neutralEngines)
  describe('batches of links, refused whole', () => {
    const world = useWorld(engine);

    it('without links, with more than 500, with other keys and beyond 6,000 links a minute', async () => {
      const app = await world.newApp();
      const link = { deepLinkPath: '/a', fallbackUrl: 'nothing' };
      const call = (method: 'POST' | 'PATCH', links: unknown, key = app.keys.live) =>
        world.call(method, '/v1/links/batch', { key, body: { links } });
      for (const method of ['POST', 'PATCH'] as const) {
        for (const links of [undefined, [], 'x', Array.from({ length: 501 }, () => link)])
          assertError(await call(method, links), 400, 'request.invalid', 'links');
        assertError(await call(method, [link], app.keys.live_publishable), 401, 'key.wrong_kind');
      }
      const wide = [{ ...link, metadata: { text: 'x'.repeat(5 * 1024 * 1024) } }];
      assertError(await call('POST', wide), 413, 'request.too_large');
      const full = Array.from({ length: 500 }, () => link);
      for (let calls = 0; calls < 12; calls++) assert.equal((await call('POST', full)).status, 200);
      const refused = await call('PATCH', [link]);
      assertError(refused, 429, 'rate.limited', '6000');
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.equal((await call('POST', [link], app.keys.test)).status, 200);
      assert.equal((await world.call('GET', '/v1/links', { key: app.keys.live })).status, 200);
    });
  });
