/** GET /v1/sdk/conversion-schema: what SDKs on iPhones set as conversion values. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines, neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/refusal.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const PATH = '/v1/sdk/conversion-schema';
const NAMES = '/v1/skan/conversion-values';
const NO_NAMES = { fine: [], coarse: { low: null, medium: null, high: null } };
const EUROS = { amount: '10.50', currency: 'EUR' };
const LIKES = { from: 1, to: 9, eventName: 'like', minRevenue: null, lock: false };
const PURCHASES = { from: 10, to: 63, eventName: 'purchase', minRevenue: EUROS, lock: true };

for (const engine of engines)
  describe(`the conversion schema on ${engine}`, () => {
    const world = useWorld(engine);
    const read = (key: string, headers: Record<string, string> = {}) =>
      world.call('GET', PATH, { key, headers });
    const put = (app: TestApp, windows: unknown) =>
      world.call('PUT', NAMES, { key: app.keys.live, body: { windows } });

    it('has three windows, without names in an app that has set none', async () => {
      const { keys } = await world.newApp();
      for (const key of [keys.live_publishable, keys.test_publishable, keys.live, keys.test]) {
        const { status, body } = await read(key);
        assert.deepEqual([status, body], [200, { windows: [NO_NAMES, NO_NAMES, NO_NAMES] }]);
      }
    });

    it('is what the app has set, with every field, and no other app’s', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const { minRevenue: _, lock: __, ...likes } = LIKES;
      const set = await put(app, [{ fine: [PURCHASES, likes], coarse: { high: 'purchase' } }]);
      const { body, headers } = await read(app.keys.live_publishable);
      const coarse = { low: null, medium: null, high: 'purchase' };
      assert.deepEqual(body, { windows: [{ fine: [LIKES, PURCHASES], coarse }, NO_NAMES, NO_NAMES] });
      assert.deepEqual(set.body, body);
      assert.deepEqual((await world.call('GET', NAMES, { key: app.keys.live })).body, body);
      assert.equal(headers['cache-control'], 'no-store');
      assert.deepEqual((await read(other.keys.live)).body.windows, [NO_NAMES, NO_NAMES, NO_NAMES]);
    });

    it('is 304 for a phone that has it, until the app changes it', async () => {
      const app = await world.newApp();
      const key = app.keys.live_publishable;
      const etag = String((await read(key)).headers.etag);
      assert.match(etag, /^"[\w-]{43}"$/);
      for (const tags of [etag, `W/${etag}`, `"x", ${etag}`]) {
        const { status, text, headers } = await read(key, { 'if-none-match': tags });
        assert.deepEqual([status, text, headers.etag], [304, '', etag], tags);
      }
      await put(app, [{ coarse: { low: 'login' } }]);
      const changed = await read(key, { 'if-none-match': etag });
      assert.deepEqual([changed.status, changed.body.windows[0].coarse.low], [200, 'login']);
      assert.notEqual(changed.headers.etag, etag);
    });

    it('fills in what ranges stored by earlier versions lack', async () => {
      const app = await world.newApp();
      await put(app, []);
      const stored = [
        { fine: [{ from: 1, to: 9, eventName: 'like' }], coarse: NO_NAMES.coarse },
        NO_NAMES,
        NO_NAMES,
      ];
      await world.service.db
        .updateTable('conversion_values')
        .set({ windows: JSON.stringify(stored) })
        .where('app_id', '=', app.id)
        .execute();
      assert.deepEqual((await read(app.keys.live)).body.windows[0].fine, [LIKES]);
    });
  });

for (const engine of neutralEngines)
  describe(`the conversion schema on ${engine}`, () => {
    const world = useWorld(engine);

    it('refuses a revenue or a lock that SDKs could not read, and names the field', async () => {
      const { keys } = await world.newApp();
      const put = (fine: object) =>
        world.call('PUT', NAMES, {
          key: keys.live,
          body: { windows: [{}, { fine: [{ ...LIKES, ...fine }] }] },
        });
      const amounts = ['-1', '', '1.', '.5', '1,5', '1e3', '1.00001', '1'.repeat(13), ' 1', 1, null];
      const currencies = ['eur', 'EURO', 'E', '€', '', 1, null];
      for (const minRevenue of [
        ...amounts.map((amount) => ({ ...EUROS, amount })),
        ...currencies.map((currency) => ({ ...EUROS, currency })),
        ...[{ amount: '1' }, { currency: 'EUR' }, {}, [], '10 EUR', 10, true],
      ]) {
        const answer = await put({ minRevenue });
        assert.equal(answer.status, 400, JSON.stringify(minRevenue));
        assertError(answer, JSON.stringify(minRevenue));
        assert.match(answer.body.error, /^windows\.1\.fine\.0\.minRevenue/);
      }
      for (const lock of ['yes', 2, [], {}]) {
        const answer = await put({ lock });
        assert.equal(answer.status, 400, JSON.stringify(lock));
        assert.match(answer.body.error, /^windows\.1\.fine\.0\.lock/);
      }
      for (const amount of ['0', '999999999999.9999', '0.0001'])
        assert.equal((await put({ minRevenue: { ...EUROS, amount } })).status, 200, amount);
    });

    it('is for the app’s keys alone', async () => {
      const answers = [
        await world.call('GET', PATH),
        await world.call('GET', PATH, { key: 'pk_live_unknown' }),
      ];
      for (const answer of answers) {
        assert.equal(answer.status, 401);
        assertError(answer, PATH);
      }
    });
  });
