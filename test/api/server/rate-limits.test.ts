/** Limits: the table of rate limits, and their response headers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { NO_ID } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type Answer, type Call, freshAddress, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

interface Row {
  readonly row: string;
  readonly limit: number;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** The rows with a limit for each API key. */
const ROWS: readonly Row[] = [
  { row: 'POST /v1/links', limit: 60, method: 'POST', path: '/v1/links', body: { deepLinkPath: '/' } },
  { row: 'GET /v1/links', limit: 120, method: 'GET', path: '/v1/links' },
  {
    row: 'PATCH /v1/links/{code}',
    limit: 60,
    method: 'PATCH',
    path: '/v1/links/{code}',
    body: { metadata: {} },
  },
  { row: 'DELETE /v1/links/{code}', limit: 60, method: 'DELETE', path: '/v1/links/{code}' },
  // Not in the contract's table: an expensive endpoint, and the default of the other management endpoints.
  { row: 'GET /v1/fraud/links', limit: 10, method: 'GET', path: '/v1/fraud/links' },
  { row: 'GET /v1/links/{code}', limit: 600, method: 'GET', path: '/v1/links/{code}' },
];

/** Runs calls in parallel, so that they fall into one minute. */
async function spend(times: number, call: () => Promise<Answer>): Promise<Answer[]> {
  return await Promise.all(Array.from({ length: times }, call));
}

/** Exactly `limit` calls pass; each response has the remaining number. */
async function assertLimit(limit: number, call: () => Promise<Answer>): Promise<void> {
  const answers = await spend(limit + 3, call);
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 3, `${answers.length - refused.length} passed`);
  for (const { headers } of answers) {
    assert.match(String(headers['ratelimit-policy']), new RegExp(`^"[\\w-]+";q=${limit};w=60$`));
    assert.match(String(headers.ratelimit), /^"[\w-]+";r=\d+;t=([1-9]|[1-5]\d|60)$/);
  }
  const remaining = answers.map(({ headers }) => Number(/;r=(\d+);/.exec(String(headers.ratelimit))?.[1]));
  const expected = [0, 0, 0, ...Array.from({ length: limit }, (_, passed) => passed)];
  assert.deepEqual(
    remaining.sort((a, b) => a - b),
    expected,
  );
  for (const answer of refused) {
    assertError(answer, 429, 'rate.limited');
    const seconds = Number(answer.headers['retry-after']);
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  }
  assert.equal((await call()).status, 429);
}

for (const engine of engines)
  describe(`limits, rates, on ${engine}`, () => {
    const world = useWorld(engine);
    let calls = 0;

    for (const { row, limit, ...request } of ROWS)
      it(`rate limit: ${row}, ${limit} requests/minute, scoped by the API keys of a kind together`, async () => {
        const app = await world.newApp();
        const { shortCode } = await world.newLink(app, {}, app.keys.test);
        const spent = (await world.admin('POST', `/apps/${app.id}/keys`, { kind: 'live' })).body.key;
        const call = (key: string, { method, path, body }: Pick<Row, 'method' | 'path' | 'body'> = request) =>
          world.call(method, path.replace('{code}', shortCode), { key, body });
        await assertLimit(limit, () => call(spent));
        assert.equal((await call(app.keys.live)).status, 429, 'another key makes the budget larger');
        for (const other of [app.keys.test, (await world.newApp()).keys.live])
          assert.notEqual((await call(other)).status, 429);
        for (const other of ROWS)
          if (other.row !== row)
            assert.notEqual(
              (await call(spent, other)).status,
              429,
              `${other.row} shares a limit with the others`,
            );
      });

    it('rate limit: POST /v1/privacy/*, 30 requests/minute, scoped by API key, shared by both', async () => {
      const app = await world.newApp();
      const body = { userId: 'u1' };
      let calls = 0;
      const call = (key: string) => {
        calls += 1;
        return world.call('POST', `/v1/privacy/${calls % 2 === 0 ? 'erase' : 'export'}`, { key, body });
      };
      await assertLimit(30, () => call(app.keys.live));
      assert.notEqual((await call(app.keys.test)).status, 429);
      assert.notEqual((await call(app.keys.test)).status, 429);
      const read = await world.call('GET', `/v1/privacy/erase/${NO_ID}`, { key: app.keys.live });
      assert.equal(read.status, 404);
    });

    const debug = (apiKey: string, from: string) =>
      world.call('POST', '/v1/debug/attribution', {
        body: { apiKey, fingerprint: IPHONE_FINGERPRINT },
        from,
      });

    it('rate limit: POST /v1/debug/attribution, 30 requests/minute, scoped by IP address', async () => {
      const [one, other] = [await world.newApp(), await world.newApp()];
      const from = freshAddress();
      await assertLimit(30, () => debug(one.keys.live, from));
      assert.equal((await debug(other.keys.live, from)).status, 429);
      assert.equal((await debug(one.keys.live, freshAddress())).status, 200);
    });

    it('rate limit by IP address: an IPv6 /64 counts as one, as does an IPv4-mapped address', async () => {
      const { live } = (await world.newApp()).keys;
      await spend(30, () => debug(live, '2001:db8:1:2::1'));
      assert.equal((await debug(live, '2001:db8:1:2:ffff::9')).status, 429);
      assert.equal((await debug(live, '2001:db8:1:3::1')).status, 200);
      const from = freshAddress();
      await spend(30, () => debug(live, `::ffff:${from}`));
      assert.equal((await debug(live, from)).status, 429);
    });

    it('debug requests with a missing or wrong key count against the limit of their address', async () => {
      const { keys } = await world.newApp();
      const from = freshAddress();
      const wrong = [`svc_live_${'x'.repeat(20)}`, 'nonsense', ''];
      for (const answer of await spend(30, () => debug(wrong[calls++ % wrong.length] as string, from)))
        assert.equal(answer.status, 401);
      for (const key of ['nonsense', keys.live]) assertError(await debug(key, from), 429, 'rate.limited');
      assert.equal((await debug(keys.live, freshAddress())).status, 200);
    });

    it('an address with more than 120 wrong keys a minute gets 429 for wrong keys, and valid keys open', async () => {
      const { keys } = await world.newApp();
      const from = freshAddress();
      const wrong: readonly (Call & { path: string; method?: 'POST' })[] = [
        { path: '/v1/links' },
        { path: '/v1/links', key: 'nonsense' },
        { path: '/v1/links', key: keys.live_publishable },
        { path: '/v1/sdk/resolve', key: `svc_live_${'x'.repeat(20)}`, method: 'POST' },
        { path: '/v1/admin/apps', headers: { authorization: 'Bearer nonsense' } },
      ];
      const ask = ({ path, method, ...call }: (typeof wrong)[number]) =>
        world.call(method ?? 'GET', path, { ...call, from });
      const answers = await spend(120, () => ask(wrong[calls++ % wrong.length] ?? { path: '' }));
      for (const answer of answers) assert.equal(answer.status, 401, answer.text);
      for (const call of wrong) {
        const refused = await ask(call);
        assertError(refused, 429, 'rate.limited', /wrong key/);
        assert.equal(refused.headers['ratelimit-policy'], '"refused-keys";q=120;w=60');
        assert.ok(Number(refused.headers['retry-after']) >= 1);
      }
      assert.equal((await world.call('GET', '/v1/links', { key: keys.live, from })).status, 200);
      assertError(await world.call('GET', '/v1/links', { from: freshAddress() }), 401, 'key.missing');
    });

    it('valid keys do not count as refused keys, whatever the answer', async () => {
      const { keys } = await world.newApp();
      const from = freshAddress();
      const unknown = () => world.call('GET', '/v1/links/unknown1', { key: keys.live, from });
      for (const answer of await spend(130, unknown)) assert.equal(answer.status, 404);
      assertError(await world.call('GET', '/v1/links', { from }), 401, 'key.missing');
    });

    const names = ['install', 'open', 'event', 'events', 'identify', 'resolve'];
    const sdk = (key: string, from: string) =>
      world.call('POST', `/v1/sdk/${names[calls++ % names.length]}`, { key, body: {}, from });

    it('rate limit: SDK calls with a publishable key, 600 requests/minute, by address and never by key', async () => {
      const { keys } = await world.newApp();
      const from = freshAddress();
      await assertLimit(600, () => sdk(keys.live_publishable, from));
      assert.equal((await sdk(keys.test_publishable, from)).status, 429);
      assert.equal((await sdk(keys.live_publishable, freshAddress())).status, 400);
    });

    it('rate limit: SDK calls with a secret key, 6,000 requests/minute, by key and never by address', async () => {
      const { id, keys } = await world.newApp();
      const from = freshAddress();
      const { headers } = await sdk(keys.live, from);
      assert.deepEqual(
        [headers['ratelimit-policy'], String(headers.ratelimit).replace(/t=\d+$/, '')],
        ['"sdk-server";q=6000;w=60', '"sdk-server";r=5999;'],
      );
      const { rateLimits } = world.service;
      const policy = { name: 'sdk-server', points: 6_000, shared: false };
      await rateLimits.counterOf(policy).take(`${id} live`, 5_998);
      assert.equal((await sdk(keys.live, freshAddress())).status, 400);
      assertError(await sdk(keys.live, freshAddress()), 429, 'rate.limited');
      for (const other of [keys.test, keys.live_publishable, (await world.newApp()).keys.live])
        assert.equal((await sdk(other, from)).status, 400);
    });

    it('the short link has no limit', async () => {
      const { shortCode } = await world.newLink(await world.newApp());
      for (const { status, headers } of await spend(610, () => world.tap(shortCode))) {
        assert.equal(status, 200);
        assert.deepEqual([headers.ratelimit, headers['ratelimit-policy']], [undefined, undefined]);
      }
    });

    if (engine === 'postgres')
      it('the shared counters of addresses are stored without the address', async () => {
        const { keys } = await world.newApp();
        const from = freshAddress();
        await debug(keys.live, from);
        const { rows } = await sql`select * from rate_limits`.execute(world.service.db);
        const counters = JSON.stringify(rows);
        assert.match(counters, /"debug:[\w-]{22}"/);
        assert.ok(!counters.includes(from), counters);
      });

    if (engine === 'postgres')
      it('requests pass when the shared counters cannot be read', async () => {
        const app = await world.newApp();
        await sql`alter table rate_limits rename to rate_limits_away`.execute(world.service.db);
        const answers = await spend(65, () =>
          world.call('DELETE', '/v1/links/unknown1', { key: app.keys.live }),
        );
        for (const { status } of answers) assert.equal(status, 404);
        await sql`alter table rate_limits_away rename to rate_limits`.execute(world.service.db);
      });
  });
