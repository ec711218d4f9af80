/** Events: skan.postback_received, and the endpoints that receive iOS ad-network postbacks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { APP_STORE_ID, FIRST_POSTBACK, WINNING_POSTBACK } from '../../helpers/postbacks.ts';
import { assertError, assertField, type FieldRow } from '../../helpers/shapes.ts';
import { envelopeOf, RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const APP_NAME = 'Shoe shop';
/** Values are forwarded in Apple's types: some of the contract's strings are integers. */
const ROWS: readonly (readonly [source: 'winning' | 'first', ...FieldRow])[] = [
  ['winning', 'appName', 'string'],
  ['winning', 'version', 'string'],
  ['winning', 'ad-network-id', 'string'],
  ['winning', 'campaign-id', 'int'],
  ['winning', 'transaction-id', 'string'],
  ['winning', 'source-app-id', 'int'],
  ['winning', 'fidelity-type', 'int'],
  ['winning', 'did-win', 'boolean'],
  ['winning', 'conversion-value', 'int'],
  ['first', 'postback-sequence-index', 'int'],
];

for (const engine of engines)
  describe(`events, ad-network postbacks, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();
    const send = (path: string, body: unknown) => world.call('POST', path, { body, from: freshAddress() });

    // The only app with this App Store ID, since a postback finds its app by that ID.
    const theApp = once(() => world.newApp({ name: APP_NAME, iosAppStoreId: APP_STORE_ID }));
    const listen = async (app: TestApp) => {
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url });
      return hook;
    };

    const received = once(async () => {
      const hook = await listen(await theApp());
      const path = '/.well-known/skadnetwork/report-attribution';
      // The forgery is sent first: it must not replace the valid postback.
      const forged = { ...WINNING_POSTBACK, 'conversion-value': 63, 'campaign-id': 43 };
      const statuses = [];
      for (const [place, body] of [
        [path, forged],
        [path, WINNING_POSTBACK],
        [`${path}/`, WINNING_POSTBACK],
        [`${path}/`, FIRST_POSTBACK],
      ] as const) {
        const { status, text } = await send(place, body);
        // A postback that was not stored is never delivered, so the test fails here instead of waiting.
        assert.notEqual(status, 500, text);
        statuses.push(status);
      }
      const deliveries = (await hook.arrived(2)).map(envelopeOf);
      const ofVersion = (version: string) => deliveries.find(({ data }) => data.version === version)?.data;
      return { statuses, deliveries, winning: ofVersion('3.0'), first: ofVersion('4.0') };
    });

    for (const [source, ...row] of ROWS)
      it(`data field of skan.postback_received: ${row.join(', ')}`, async () => {
        assertField((await received())[source], row);
      });

    it('data is the raw postback with appName added first', async () => {
      const { winning, first } = await received();
      for (const [data, raw] of [
        [winning, WINNING_POSTBACK],
        [first, FIRST_POSTBACK],
      ] as const) {
        assert.deepEqual(data, { appName: APP_NAME, ...raw });
        assert.deepEqual(Object.keys(data ?? {}), ['appName', ...Object.keys(raw)]);
      }
    });

    it('a postback gets 200 without a key; so do a copy and a forgery, which trigger no webhook', async () => {
      const { statuses, deliveries } = await received();
      assert.deepEqual(statuses, [200, 200, 200, 200]);
      assert.deepEqual(deliveries.map(({ data }) => data.version).sort(), ['3.0', '4.0']);
    });

    for (const network of ['skadnetwork', 'appattribution'])
      for (const slash of ['', '/'])
        it(`POST /.well-known/${network}/report-attribution${slash} exists, without a redirect`, async () => {
          const answer = await send(`/.well-known/${network}/report-attribution${slash}`, {
            version: '4.0',
          });
          assert.ok([200, 400].includes(answer.status), answer.text);
        });

    it('POST /v1/skan/postbacks accepts a copy that a network forwards with a secret key', async () => {
      const { keys } = await theApp();
      const call = (key?: string) =>
        world.call('POST', '/v1/skan/postbacks', { key, body: WINNING_POSTBACK });
      assertError(await call(), 401, 'key.missing');
      assertError(await call(keys.live_publishable), 401, 'key.wrong_kind');
      const { status, text } = await call(keys.live);
      assert.ok(status >= 200 && status < 300, text);
    });
  });
