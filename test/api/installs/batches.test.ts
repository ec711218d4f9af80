/** SDK endpoints: POST /v1/sdk/installs and /v1/sdk/opens. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../src/errors.ts';
import { dayOf, isoTime } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import {
  type Answer,
  freshAddress,
  IPHONE_FINGERPRINT,
  type TestApp,
  useWorld,
} from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };
const fingerprint = IPHONE_FINGERPRINT;

/** Each batch endpoint with the endpoint of a single call and the field of its own ID. */
const KINDS = [
  { list: 'installs', single: 'install', id: 'installId' },
  { list: 'opens', single: 'open', id: 'openId' },
] as const;

const statusesOf = ({ body }: Answer): number[] =>
  body.results.map((result: { status: number }) => result.status);

for (const engine of engines)
  describe(`SDK endpoints, batches of installs and opens, on ${engine}`, () => {
    const world = useWorld(engine);

    const send = (
      app: TestApp,
      list: string,
      items: unknown,
      { key = app.keys.live_publishable, from = freshAddress() } = {},
    ) => world.call('POST', `/v1/sdk/${list}`, { key, from, body: { [list]: items } });

    const stored = (app: TestApp, table: 'installs' | 'opens') =>
      world.service.db.selectFrom(table).selectAll().where('app_id', '=', app.id).execute();

    /** The later a commit begins, the sooner it ends, as far as commits run at the same time. */
    function delayCommits(t: TestContext): void {
      const { store } = world.service;
      const commit = store.commit.bind(store);
      let delayMs = 200;
      t.mock.method(store, 'commit', async (...args: Parameters<typeof commit>) => {
        delayMs = Math.max(0, delayMs - 20);
        await sleep(delayMs);
        return await commit(...args);
      });
    }

    for (const { list, single, id } of KINDS) {
      it(`POST /v1/sdk/${list} returns 200 with one outcome for each, in order; an invalid one affects no other`, async () => {
        const app = await world.newApp();
        const clickId = await world.clickId((await world.newLink(app, PLAY)).shortCode);
        const [first, last] = [randomUUID(), randomUUID()];
        const items = [
          { fingerprint, [id]: first, clickId },
          { fingerprint: { platform: 'WINDOWS' } },
          'no record',
          {},
          { fingerprint, clickId: '\ud800' },
          { fingerprint, [id]: last },
        ];
        const answer = await send(app, list, items);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(statusesOf(answer), [200, 400, 400, 400, 400, 200]);
        const { results } = answer.body;
        for (const place of [1, 2, 3, 4])
          assert.deepEqual(
            [Object.keys(results[place]).sort(), typeof results[place].error],
            [['code', 'error', 'status'], 'string'],
          );
        for (const [place, method] of [
          [0, 'CLICK_ID'],
          [5, 'ORGANIC'],
        ] as const) {
          const again = await world.call('POST', `/v1/sdk/${single}`, {
            key: app.keys.live_publishable,
            body: items[place],
          });
          assert.deepEqual(results[place], { status: 200, ...again.body });
          assert.equal(results[place].method, method);
        }
        assert.deepEqual((await send(app, list, items)).body, answer.body);
        assert.deepEqual((await stored(app, list)).map((row) => row.id).sort(), [first, last].sort());
      });

      it(`POST /v1/sdk/${list} accepts at most 100, and up to 4 MiB`, async () => {
        const app = await world.newApp();
        assertError(await send(app, list, Array(101).fill({})), 400, 'request.invalid', '100 items');
        assertError(await send(app, list, {}), 400, 'request.invalid', list);
        assert.deepEqual((await send(app, list, [])).body, { results: [] });
        const installReferrer = 'x'.repeat(300 * 1_024);
        assert.deepEqual(statusesOf(await send(app, list, [{ installReferrer }])), [400]);
        const tooLarge = await send(app, list, [{ installReferrer: 'x'.repeat(4 * 1_024 * 1_024) }]);
        assertError(tooLarge, 413, 'request.too_large');
      });

      it(`a click is claimed by one of ${list} of a batch only; of the same address by the first`, async (t) => {
        const app = await world.newApp();
        const { shortCode } = await world.newLink(app, PLAY);
        const address = freshAddress();
        const named = await world.clickId(shortCode, { from: freshAddress() });
        const seen = await world.clickId(shortCode, { from: address });
        const anywhere = Array.from({ length: 10 }, () => ({
          fingerprint: { ...fingerprint, ipAddress: freshAddress() },
          clickId: named,
        }));
        const atAddress = Array.from({ length: 5 }, () => ({
          fingerprint: { ...fingerprint, ipAddress: address },
          clickId: seen,
        }));
        delayCommits(t);
        const { body } = await send(app, list, [...atAddress, ...anywhere], { key: app.keys.live });
        const clicks = body.results.map((result: { clickId: string | null }) => result.clickId);
        assert.equal(clicks.filter((clickId: string | null) => clickId === named).length, 1);
        assert.deepEqual(clicks.slice(0, 5), [seen, null, null, null, null]);
      });
    }

    it('the last open of an install in a batch takes the credit for its events', async (t) => {
      const app = await world.newApp();
      const { installId } = (await world.install(app)).body;
      const opens = [];
      let campaignId = '';
      for (let nth = 0; nth < 12; nth++) {
        campaignId = `campaign-${nth}`;
        const { shortCode } = await world.newLink(app, { ...PLAY, campaignId });
        const ipAddress = freshAddress();
        const clickId = await world.clickId(shortCode, { from: ipAddress });
        opens.push({ fingerprint: { ...fingerprint, ipAddress }, installId, clickId });
      }
      delayCommits(t);
      const answer = await send(app, 'opens', opens, { key: app.keys.live });
      assert.deepEqual(statusesOf(answer), Array(12).fill(200));
      const [install] = await stored(app, 'installs');
      assert.match(String((install as { last_open: string }).last_open), new RegExp(`"${campaignId}"`));
    });

    it('an address beyond its daily limit gets 429 for each further record, and for a batch of only such', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const { dailyUsage, secrets } = world.service;
      const subject = secrets.markId(app.id, secrets.hashAddress(app.id, from) ?? '');
      const day = dayOf(isoTime(world.clock.nowMs()));
      dailyUsage.of({ app_id: app.id, day, kind: 'address_install', subject }).add(19_998, 0);
      const items = Array(4).fill({ fingerprint });
      assert.deepEqual(statusesOf(await send(app, 'installs', items, { from })), [200, 200, 429, 429]);
      const refused = await send(app, 'opens', items, { from });
      assertError(refused, 429, 'install.daily_limit');
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.deepEqual(
        statusesOf(await send(app, 'opens', items, { from, key: app.keys.live })),
        [200, 200, 200, 200],
      );
    });

    it('when the database fails, the rest of a batch is not tried: 503 for each, and for a batch of only such', async (t) => {
      const app = await world.newApp();
      const { store } = world.service;
      const commit = store.commit.bind(store);
      let commits = 0;
      let failsFrom = 3;
      t.mock.method(store, 'commit', (...args: Parameters<typeof commit>) => {
        commits += 1;
        return commits < failsFrom ? commit(...args) : Promise.reject(new AppError('database.unavailable'));
      });
      const items = [...Array(4).fill({ fingerprint }), {}];
      assert.deepEqual(statusesOf(await send(app, 'installs', items)), [200, 200, 503, 503, 400]);
      assert.equal(commits, 3);
      failsFrom = 0;
      const refused = await send(app, 'installs', items.slice(0, 4));
      assertError(refused, 503, 'database.unavailable');
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.equal((await stored(app, 'installs')).length, 2);
    });
  });

describe('rate limits of batches', () => {
  const world = useWorld('sqlite');
  const send = (key: string, from: string, items: unknown[]) =>
    world.call('POST', '/v1/sdk/opens', { key, from, body: { opens: items } });

  it('each item counts as a call of its address', async () => {
    const { keys } = await world.newApp();
    const from = freshAddress();
    const hundred = Array(100).fill({});
    for (let sent = 1; sent <= 5; sent++) {
      const { status, headers } = await send(keys.live_publishable, from, hundred);
      assert.deepEqual(
        [status, /r=(\d+)/.exec(String(headers.ratelimit))?.[1]],
        [200, String(600 - sent * 100)],
      );
    }
    await send(keys.live_publishable, from, Array(40).fill({}));
    const partly = await send(keys.live_publishable, from, hundred);
    assert.deepEqual(statusesOf(partly), [...Array(60).fill(400), ...Array(40).fill(429)]);
    assertError(await send(keys.live_publishable, from, hundred), 429, 'rate.limited');
    assert.deepEqual(statusesOf(await send(keys.live, from, [{}])), [400]);
  });

  it('each item counts as a call of its secret key', async () => {
    const { keys } = await world.newApp();
    const { headers } = await send(keys.live, freshAddress(), Array(100).fill({}));
    assert.match(String(headers.ratelimit), /^"sdk-server";r=5900;/);
  });

  it('each item counts as a call of its install, and a refused one not as one of the address', async () => {
    const { keys } = await world.newApp();
    const from = freshAddress();
    const [one, other] = [{ installId: randomUUID() }, { installId: randomUUID() }];
    await send(keys.live_publishable, from, Array(100).fill(one));
    const mixed = await send(keys.live_publishable, from, [...Array(25).fill(one), other]);
    assert.deepEqual(statusesOf(mixed), [...Array(20).fill(400), ...Array(5).fill(429), 400]);
    const next = await world.call('POST', '/v1/sdk/open', { key: keys.live_publishable, from, body: other });
    assert.match(String(next.headers.ratelimit), /^"sdk";r=478;/);
    assertError(await send(keys.live_publishable, from, [one]), 429, 'rate.limited', /of this install/);
  });
});
