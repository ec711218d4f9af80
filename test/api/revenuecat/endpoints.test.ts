import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

const AUTHORIZATION = 'Bearer of the tests, 24 or more';

for (const engine of neutralEngines)
  describe(`endpoints of RevenueCat on ${engine}`, () => {
    const world = useWorld(engine);
    const newApp = (revenuecatAuthorization: string | null = AUTHORIZATION) =>
      world.newApp({ revenuecatAuthorization });
    const post = (appId: string, call: { authorization?: string; rawBody?: string; from?: string } = {}) =>
      world.call('POST', `/v1/integrations/revenuecat/${appId}`, {
        headers: {
          'content-type': 'application/json',
          ...(call.authorization !== undefined && { authorization: call.authorization }),
        },
        rawBody: call.rawBody ?? JSON.stringify({ event: { id: 'a', type: 'TEST' } }),
        ...(call.from !== undefined && { from: call.from }),
      });

    it('the exact Authorization value opens; none, another, a part, another app’s and an unknown app are 401', async () => {
      const [app, off, other] = [await newApp(), await newApp(null), await newApp('x'.repeat(24))];
      assert.equal((await post(app.id, { authorization: AUTHORIZATION })).status, 200);
      assert.equal((await post(app.id.toUpperCase(), { authorization: AUTHORIZATION })).status, 200);
      for (const [appId, authorization] of [
        [app.id, undefined],
        [app.id, ''],
        [app.id, AUTHORIZATION.slice(0, -1)],
        [app.id, AUTHORIZATION.toLowerCase()],
        [app.id, 'x'.repeat(24)],
        [off.id, AUTHORIZATION],
        [other.id, AUTHORIZATION],
        ['01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e', AUTHORIZATION],
        ['nonsense', AUTHORIZATION],
      ] as const) {
        const { status, body } = await post(appId, { ...(authorization !== undefined && { authorization }) });
        assert.equal(status, 401, `${appId} ${authorization}`);
        assert.match(body.error, /revenuecatAuthorization/);
      }
    });

    it('wrong values use up the budget of their address, and the right one still opens', async () => {
      const app = await newApp();
      const from = '203.0.113.77';
      const statuses = new Set<number>();
      for (let n = 0; n < 125; n++)
        statuses.add((await post(app.id, { authorization: 'wrong', from })).status);
      assert.deepEqual([...statuses], [401, 429]);
      assert.equal((await post(app.id, { authorization: AUTHORIZATION, from })).status, 200);
    });

    for (const [rawBody, text] of [
      ['{"event":', /JSON/],
      ['[]', /object/],
      ['{}', /event/],
      ['{"event":7}', /event must be/],
      ['{"event":{"type":"TEST"}}', /id/],
      ['{"event":{"id":"a","type":""}}', /type/],
    ] as const)
      it(`the body ${rawBody} is 400 with a text that says why`, async () => {
        const app = await newApp();
        const { status, body } = await post(app.id, { authorization: AUTHORIZATION, rawBody });
        assert.equal(status, 400);
        assert.match(body.error, text);
      });

    it('a text that no database stores, in any field, refuses no event', async () => {
      const app = await newApp();
      for (const fields of [
        String.raw`"subscriber_attributes":{"$displayName":{"value":"\ud83d"}}`,
        String.raw`"aliases":["a\u0000"]`,
        String.raw`"product_id":"\udc00","app_user_id":"\u0000","type":"RENEWAL"`,
        '"__proto__":{"a":1},"metadata":{"__proto__":2},"price":1e999',
      ]) {
        const rawBody = `{"event":{"id":"a\\ud800","type":"TEST",${fields}}}`;
        const { status, text } = await post(app.id, { authorization: AUTHORIZATION, rawBody });
        assert.equal(status, 200, text);
      }
    });

    it('the value is write-only: no answer and no entry of the audit log has it, nor its hash', async () => {
      const app = await newApp();
      const path = `/apps/${app.id}`;
      const changed = await world.admin('PATCH', path, { revenuecatAuthorization: 'y'.repeat(30) });
      assert.equal(changed.body.revenuecatEnabled, true);
      const log = await world.call('GET', '/v1/audit-log', { key: app.keys.live });
      assert.match(log.text, /revenuecatAuthorization/);
      const { revenuecat_key: key } = await world.service.appDirectory.get(app.id);
      for (const { text } of [changed, await world.admin('GET', path), log]) {
        assert.ok(!text.includes('y'.repeat(30)) && !text.includes(AUTHORIZATION));
        assert.ok(!text.includes(String(key)));
      }
      assert.equal((await post(app.id, { authorization: AUTHORIZATION })).status, 401);
      const cleared = await world.admin('PATCH', path, { revenuecatAuthorization: null });
      assert.equal(cleared.body.revenuecatEnabled, false);
      assert.equal((await post(app.id, { authorization: 'y'.repeat(30) })).status, 401);
    });

    for (const value of [
      'short',
      ' leading and long enough',
      'é'.repeat(30),
      'x'.repeat(256),
      `a\n${'b'.repeat(30)}`,
    ])
      it(`the value ${JSON.stringify(value).slice(0, 20)} is refused`, async () => {
        const app = await newApp();
        const { status } = await world.admin('PATCH', `/apps/${app.id}`, {
          revenuecatAuthorization: value,
        });
        assert.equal(status, 400);
      });

    it('the status is for live keys', async () => {
      const app = await newApp();
      for (const [key, status] of [
        [app.keys.live, 200],
        [app.keys.test, 401],
        [app.keys.live_publishable, 401],
      ] as const)
        assert.equal((await world.call('GET', '/v1/integrations/revenuecat', { key })).status, status);
    });
  });
