/** Budgets of an app, whatever the number of its keys and users. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { DAY_MS, isoTime } from '../../../src/lib/clock.ts';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

/** The largest code that the API draws. */
const LARGEST = `size=2048&errorCorrection=H&query=${'a'.repeat(255)}`;

for (const engine of engines)
  describe(`limits by app on ${engine}`, () => {
    const world = useWorld(engine);
    const moreKeys = (appId: string, count: number) =>
      Promise.all(
        Array.from(
          { length: count },
          async () => (await world.admin('POST', `/apps/${appId}/keys`, { kind: 'live' })).body.key as string,
        ),
      );

    it('twenty keys of an app create as many links a minute as one', async () => {
      const app = await world.newApp();
      const keys = await moreKeys(app.id, 20);
      const create = (key: string) => world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/' } });
      const answers = await Promise.all(keys.flatMap((key) => Array.from({ length: 4 }, () => create(key))));
      const created = answers.filter(({ status }) => status === 201);
      assert.equal(created.length, 60);
      assert.equal((await create(app.keys.test)).status, 201);
    });

    it('the users of an app share one budget, beside that of its keys', async () => {
      const app = await world.newApp();
      const users = await Promise.all([1, 2, 3].map(() => newUser(world, { appId: app.id })));
      const body = { deepLinkPath: '/' };
      const create = (user: (typeof users)[number]) =>
        callAs(world, user, 'POST', '/v1/links', { appId: app.id, body });
      const answers = await Promise.all(
        users.flatMap((user) => Array.from({ length: 25 }, () => create(user))),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, 60);
      assert.equal((await world.call('POST', '/v1/links', { key: app.keys.live, body })).status, 201);
    });

    it('an app has at most 20 live streams, and others have theirs', async (t) => {
      const { api } = world.service;
      if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 });
      const url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
      const [app, other] = [await world.newApp(), await world.newApp()];
      const open = async (headers: Record<string, string>) => {
        const client = new AbortController();
        t.after(() => client.abort());
        return await fetch(`${url}/v1/live`, { headers, signal: client.signal });
      };
      for (const key of await moreKeys(app.id, 3))
        for (let number = 0; number < 5; number++)
          assert.equal((await open({ 'x-api-key': key })).status, 200);
      const user = await newUser(world, { appId: app.id });
      const session = { cookie: user.cookie, 'x-app-id': app.id };
      for (let number = 0; number < 5; number++) assert.equal((await open(session)).status, 200);
      const others: Record<string, string>[] = [
        { 'x-api-key': app.keys.live },
        { 'x-api-key': app.keys.test },
        { cookie: (await newUser(world, { appId: app.id })).cookie, 'x-app-id': app.id },
      ];
      for (const headers of others) {
        const refused = await open(headers);
        assert.deepEqual([refused.status, refused.headers.get('x-service-error')], [429, 'live.too_many']);
        assert.match(await refused.text(), /20 open live streams/);
      }
      assert.equal((await open({ 'x-api-key': other.keys.live })).status, 200);
    });

    it('large QR codes take more of an app’s budget than small ones, whatever the number of keys', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const draw = (key: string, query: string) =>
        world.call('GET', `/v1/links/${shortCode}/qr?${query}`, { key });
      const keys = await moreKeys(app.id, 4);
      const answers = await Promise.all(
        keys.flatMap((key) => Array.from({ length: 20 }, () => draw(key, LARGEST))),
      );
      const drawn = answers.filter(({ status }) => status === 200);
      assert.equal(drawn.length, 75);
      assert.ok(drawn.every(({ headers }) => headers['content-type'] === 'image/png'));
      const refused = await draw(app.keys.live, 'size=256');
      assertError(refused, 429, 'rate.limited', 'this one takes 2');
      assert.equal(refused.headers['ratelimit-policy'], '"qr";q=1200;w=60');
      const other = await world.newApp();
      const link = await world.newLink(other);
      const small = await Promise.all(
        Array.from({ length: 100 }, () =>
          world.call('GET', `/v1/links/${link.shortCode}/qr?size=512`, { key: other.keys.live }),
        ),
      );
      assert.ok(small.every(({ status }) => status === 200));
    });

    it('an app’s flood of statistics and lists waits or gets 429, and another app is answered before it', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const from = isoTime(world.service.clock.nowMs() - 365 * DAY_MS).slice(0, 10);
      const to = isoTime(world.service.clock.nowMs()).slice(0, 10);
      const stats = `/v1/stats?from=${from}&to=${to}&groupBy=link,campaign&include=totals,series,groups`;
      for (const [path, atOnce] of [
        [stats, 1],
        ['/v1/installs?country=DE&include=total', 2],
        ['/v1/search?q=0198abcd', 2],
      ] as const) {
        const answered: string[] = [];
        const read = async (key: string, name: string) => {
          const answer = await world.call('GET', path, { key });
          if (answer.status === 200) answered.push(name);
          return answer;
        };
        // Of two keys: the bound is the app's.
        const flood = Array.from({ length: 30 }, (_, n) =>
          read(n % 2 === 0 ? app.keys.live : app.keys.test, 'flood'),
        );
        const beside = await read(other.keys.live, 'other');
        assert.equal(beside.status, 200);
        const refused = (await Promise.all(flood)).filter(({ status }) => status !== 200);
        assert.equal(refused.length, 30 - 20 - atOnce, path);
        for (const answer of refused) {
          assertError(answer, 429, 'rate.limited', '20 requests of the app wait');
          assert.equal(answer.headers['retry-after'], '5');
        }
        const before = answered.indexOf('other');
        // PostgreSQL lists no records faster than the other request arrives.
        if (path === stats) assert.ok(before < 10, `${before} before`);
        assert.equal((await read(app.keys.live, 'flood')).status, 200);
      }
    });

    it('more QR codes than can wait get 503, and those that wait are drawn', async () => {
      const apps = await Promise.all([1, 2, 3].map(() => world.newApp()));
      const calls = await Promise.all(apps.map(async (app) => ({ app, link: await world.newLink(app) })));
      const answers = await Promise.all(
        calls.flatMap(({ app, link }) =>
          Array.from({ length: 100 }, () =>
            world.call('GET', `/v1/links/${link.shortCode}/qr?format=svg`, { key: app.keys.live }),
          ),
        ),
      );
      const busy = answers.filter(({ status }) => status === 503);
      for (const answer of busy) assertError(answer, 503, 'server.busy');
      assert.ok(answers.length - busy.length >= 200);
    });
  });
