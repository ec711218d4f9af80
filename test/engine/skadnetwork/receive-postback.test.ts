import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ADATTRIBUTIONKIT_VECTOR,
  FORGED_ADATTRIBUTIONKIT,
  FORGED_SKADNETWORK,
  SKADNETWORK_VECTORS,
} from '../../fixtures/postbacks.ts';
import { engines } from '../../helpers/engines.ts';
import { newJws, newPostback } from '../../helpers/local-keys.ts';
import {
  ADATTRIBUTIONKIT_PATH,
  list,
  listStray,
  newStoreApp,
  newStoreId,
  SKADNETWORK_PATH,
  send,
  toldOf,
  useLocalKeys,
} from '../../helpers/postback-scene.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

const TIMES = 9;

for (const engine of engines) {
  describe(`postbacks with Apple’s own signatures on ${engine}`, () => {
    const world = useWorld(engine);
    const parse = (text: string) => JSON.parse(text) as Record<string, unknown>;

    it('are stored as verified, and the two forgeries as invalid', async () => {
      await world.newApp({ iosAppStoreId: String(newStoreId()) });
      const vectors = [...Object.values(SKADNETWORK_VECTORS), ADATTRIBUTIONKIT_VECTOR].map(parse);
      const forgeries = [FORGED_SKADNETWORK, FORGED_ADATTRIBUTIONKIT].map(parse);
      for (const [bodies, verdict] of [
        [vectors, 'verified'],
        [forgeries, 'invalid'],
      ] as const)
        for (const body of bodies) {
          const answer = await send(world, body);
          assert.deepEqual([answer.status, answer.body.verdict], [200, verdict], answer.text);
          // Three of Apple's examples share a transaction.
          if (answer.body.isCopy) continue;
          const stored = (await listStray(world))[0];
          assert.deepEqual([stored?.verdict, stored?.postback], [verdict, body]);
        }
      const verdicts = (await listStray(world)).map(({ verdict }) => verdict);
      assert.deepEqual(verdicts, [...Array(2).fill('invalid'), ...Array(10).fill('verified')]);
    });
  });

  describe(`postbacks of phones on ${engine}`, () => {
    const world = useLocalKeys(engine);

    it('sent nine times concurrently are stored once, counted nine times and published once', async () => {
      const app = await newStoreApp(world);
      for (const body of [
        newPostback({ 'app-id': app.storeId }),
        { 'jws-string': newJws({ 'advertised-item-identifier': app.storeId }), 'conversion-value': 3 },
      ]) {
        const answers = await Promise.all(Array.from({ length: TIMES }, () => send(world, body)));
        for (const { status, text } of answers) assert.equal(status, 200, text);
        assert.equal(answers.filter((answer) => !answer.body.isCopy).length, 1);
        const [stored, ...others] = await list(world, app.keys.live, `?kind=${kindOf(body)}`);
        assert.deepEqual([stored?.timesReceived, others], [TIMES, []]);
        assert.deepEqual(stored?.postback, body);
      }
      assert.equal((await toldOf(world, app)).length, 2);
    });

    it('of the three windows of an install are stored separately', async () => {
      const app = await newStoreApp(world);
      const signed = { 'app-id': app.storeId, 'transaction-id': '6aafb7a5-0170-41b5-bbe4-fe71dedf1e30' };
      for (const index of [0, 1, 2])
        await send(world, newPostback({ ...signed, 'postback-sequence-index': index }));
      assert.equal((await toldOf(world, app)).length, 3);
    });

    it('are stored after an earlier forgery of the same transaction', async () => {
      const app = await newStoreApp(world);
      const genuine = newPostback({ 'app-id': app.storeId });
      for (const forged of [
        { ...genuine, 'source-identifier': '9999' },
        { ...genuine, 'attribution-signature': 'MEUCIGRmSMrqedNu6uaH' },
        { ...genuine, version: '9.0' },
      ])
        assert.equal((await send(world, forged)).status, 200);
      assert.deepEqual(await toldOf(world, app), []);
      const { body } = await send(world, genuine);
      assert.deepEqual([body.verdict, body.isCopy], ['verified', false]);
      assert.equal((await toldOf(world, app)).length, 1);
      const verdicts = (await list(world, app.keys.live)).map(({ verdict }) => verdict);
      assert.deepEqual(verdicts, ['verified', 'unverifiable', 'invalid', 'invalid']);
    });

    it('of an unknown app are shown to the operator only', async () => {
      const storeId = newStoreId();
      const body = newPostback({ 'app-id': storeId });
      assert.equal((await send(world, body)).status, 200);
      assert.equal((await send(world, body)).body.isCopy, true);
      const strays = (await listStray(world)).filter(({ appStoreId }) => appStoreId === storeId);
      assert.deepEqual(
        strays.map((stray) => [stray.verdict, stray.timesReceived, stray.postback]),
        [['verified', 2, body]],
      );
      const app = await newStoreApp(world);
      assert.deepEqual(await list(world, app.keys.live), []);
      assert.deepEqual(await list(world, app.keys.test), []);
      const denied = await world.call('GET', '/v1/admin/skan/postbacks', { key: app.keys.live });
      assert.equal(denied.status, 401);

      // For an app created later, a copy is a new postback.
      const late = await newStoreApp(world, storeId);
      assert.equal((await send(world, body)).body.isCopy, false);
      assert.equal((await toldOf(world, late)).length, 1);
    });

    it('are assigned to the oldest of several apps with one App Store ID', async () => {
      const oldest = await newStoreApp(world);
      const newest = await newStoreApp(world, oldest.storeId);
      await send(world, newPostback({ 'app-id': oldest.storeId }));
      assert.equal((await list(world, oldest.keys.live)).length, 1);
      assert.deepEqual(await list(world, newest.keys.live), []);
    });

    it('of an unknown version or key are stored as unverifiable, with the reason, and publish nothing', async () => {
      const app = await newStoreApp(world);
      const jws = newJws({ 'advertised-item-identifier': app.storeId }, { kid: 'new', alg: 'ES256' });
      for (const body of [
        { ...newPostback({ 'app-id': app.storeId }), version: '5.0', 'new-field': [1] },
        { 'jws-string': jws },
      ])
        assert.equal((await send(world, body)).body.verdict, 'unverifiable');
      const [ofKit, ofSkan] = await list(world, app.keys.live);
      assert.match(String(ofKit?.reason), /kid/);
      assert.match(String(ofSkan?.reason), /5\.0/);
      assert.deepEqual(await toldOf(world, app), []);
    });

    it('keep and forward unknown fields, which replace neither the app’s name nor signed fields', async () => {
      const app = await newStoreApp(world);
      const extra = { timestamp: 1613095729, 'network-campaign': { name: 'été', ids: [1, 2] }, empty: null };
      const postback = { ...newPostback({ 'app-id': app.storeId }), ...extra };
      await send(world, { ...postback, appName: 'Another shop' });
      const jws = newJws({ 'advertised-item-identifier': app.storeId, 'did-win': false });
      await send(world, { ...extra, 'jws-string': jws, 'did-win': true });
      const [ofSkan, ofKit] = await toldOf(world, app);
      assert.deepEqual(ofSkan?.data, { appName: 'Shoe shop', ...postback });
      assert.deepEqual(Object.keys(ofSkan?.data ?? {}), ['appName', ...Object.keys(postback)]);
      assert.equal(ofKit?.data['did-win'], false);
      assert.equal(ofKit?.data['ad-network-identifier'], 'com.example');
      assert.equal(ofKit?.data['jws-string'], jws);
      assert.deepEqual(ofKit?.data['network-campaign'], extra['network-campaign']);
      const [, stored] = await list(world, app.keys.live);
      assert.deepEqual(stored?.postback, { ...postback, appName: 'Another shop' });
      assert.deepEqual(stored?.unsignedFields, ['conversion-value', ...Object.keys(extra), 'appName']);
    });

    it('lose IP addresses that a network adds, when stored and when forwarded', async () => {
      const app = await newStoreApp(world);
      const added = ['203.0.113.77', '2001:db8:77::1', '::ffff:203.0.113.77'];
      const genuine = newPostback({ 'app-id': app.storeId });
      const { body } = await send(world, { ...genuine, 'ip-address': added[0], device: { ips: added } });
      assert.equal(body.verdict, 'verified');
      const expected = { ...genuine, 'ip-address': null, device: { ips: [null, null, null] } };
      assert.deepEqual((await list(world, app.keys.live))[0]?.postback, expected);
      assert.deepEqual((await toldOf(world, app))[0]?.data, { appName: 'Shoe shop', ...expected });
    });

    it('lose IP addresses in lists, in names and in duplicate fields', async () => {
      const app = await newStoreApp(world);
      const genuine = JSON.stringify(newPostback({ 'app-id': app.storeId })).slice(0, -1);
      const address = '203.0.113.77';
      const rest = '"price": 1.10, "ip": "x", "version-of-sdk": "4.33"}';
      const rawBody = `${genuine}, "ip": "${address}", "${address}" : 1, "via": "10.0.0.1, ${address}", ${rest}`;
      const { body } = await world.call('POST', SKADNETWORK_PATH, { rawBody, from: freshAddress() });
      assert.equal(body.verdict, 'verified');
      const stored = await world.service.db
        .selectFrom('postbacks')
        .select('body')
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      assert.equal(stored.body, `${genuine}, "ip": null, "" : 1, "via": null, ${rest}`);
    });

    it('forward every digit of numbers', async () => {
      const app = await newStoreApp(world);
      const extra = '"ad":12345678901234567890,"price":1.10,"zero":-0,"list":[1e2,{"x":0.1}]';
      const rawBody = `${JSON.stringify(newPostback({ 'app-id': app.storeId })).slice(0, -1)},${extra}}`;
      const { body } = await world.call('POST', SKADNETWORK_PATH, { rawBody, from: freshAddress() });
      assert.equal(body.verdict, 'verified');
      const told = await world.service.db
        .selectFrom('webhook_messages')
        .select('body')
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      assert.ok(told.body.includes(extra), told.body);
      const { text } = await world.call('GET', '/v1/skan/postbacks', { key: app.keys.live });
      assert.ok(text.includes(extra), text);
    });

    it('without a win are stored and forwarded', async () => {
      const app = await newStoreApp(world);
      await send(world, newPostback({ 'app-id': app.storeId, 'did-win': false, 'source-app-id': undefined }));
      assert.equal((await toldOf(world, app))[0]?.data['did-win'], false);
      assert.equal((await list(world, app.keys.live))[0]?.didWin, false);
    });

    it('of tests are sandbox, and do not replace live ones', async () => {
      const app = await newStoreApp(world);
      const ofDeveloper = { kid: 'apple-development-identifier/0', alg: 'ES256' };
      const payload = { 'advertised-item-identifier': app.storeId, 'postback-identifier': 'A' };
      await send(world, newPostback({ 'app-id': app.storeId, 'source-app-id': 0 }));
      await send(world, { 'jws-string': newJws(payload, ofDeveloper) });
      await send(world, { 'jws-string': newJws(payload) });
      assert.deepEqual(
        (await toldOf(world, app)).map(({ sandbox }) => sandbox),
        [1, 1, 0],
      );
      assert.equal((await list(world, app.keys.test)).length, 2);
    });

    it('of any content get 200 or a 4xx, never 500', async () => {
      const storeId = newStoreId();
      const genuine = newPostback({ 'app-id': storeId });
      const text = JSON.stringify(genuine);
      const deep = `${'['.repeat(3_000)}${']'.repeat(3_000)}`;
      const texts: (string | Buffer)[] = [
        ...['', '{', 'null', '[]', '7', '"x"', '{}', '{"attribution-signature":7}', deep],
        ...[`{"a":${deep},${text.slice(1)}`, `{"__proto__":{"x":1},${text.slice(1)}`],
        ...[`{"app-id":"1",${text.slice(1)}`, text.padEnd(16 * 1024 + 1), text.padEnd(1024 * 1024)],
        ...['{"attribution-signature":"%%%"}', '{"attribution-signature":"AAAA","app-id":1e999}'],
        ...[-0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].map(
          (id) => `{"attribution-signature":"AAAA","app-id":${id === 0 ? '-0' : id},"campaign-id":${id}}`,
        ),
        ...[
          '{"jws-string":"a.b.c"}',
          '{"jws-string":"..."}',
          '{"jws-string":{}}',
          '{"jws-string":"\\u0000"}',
        ],
        Buffer.from([0x7b, 0xff, 0x7d]),
        ...Object.keys(genuine).flatMap((name) =>
          [null, 7, -1, 1e300, 0.5, true, '', 'x'.repeat(4_000), '\ud800', [], {}, [[{}]]].map((value) =>
            JSON.stringify({ ...genuine, [name]: value }),
          ),
        ),
      ];
      const statuses = new Set<number>();
      for (const path of [SKADNETWORK_PATH, `${ADATTRIBUTIONKIT_PATH}/`])
        for (const rawBody of texts) {
          const { status, text: answer } = await world.call('POST', path, { rawBody, from: freshAddress() });
          assert.ok(
            [200, 400, 413].includes(status),
            `${rawBody.toString().slice(0, 80)} → ${status} ${answer}`,
          );
          statuses.add(status);
        }
      assert.deepEqual([...statuses].sort(), [200, 400, 413]);
      const asText = { rawBody: text, headers: { 'content-type': 'text/plain' }, from: freshAddress() };
      assert.equal((await world.call('POST', SKADNETWORK_PATH, asText)).status, 415);
    });

    it('use the last of duplicate fields, in the verdict and when forwarded', async () => {
      const app = await newStoreApp(world);
      const genuine = newPostback({ 'app-id': app.storeId });
      const rawBody = `{"source-identifier":"1","conversion-value":1,${JSON.stringify(genuine).slice(1)}`;
      const { body } = await world.call('POST', SKADNETWORK_PATH, { rawBody, from: freshAddress() });
      assert.equal(body.verdict, 'verified');
      assert.equal((await toldOf(world, app))[0]?.data['source-identifier'], '5239');
    });

    it('are stored with the exact text of the body', async () => {
      const { storeId } = await newStoreApp(world);
      const rawBody = ` ${JSON.stringify(newPostback({ 'app-id': storeId }), null, 3)}\n`;
      await world.call('POST', SKADNETWORK_PATH, { rawBody, from: freshAddress() });
      const { body } = await world.service.db
        .selectFrom('postbacks')
        .select('body')
        .where('app_store_id', '=', storeId)
        .executeTakeFirstOrThrow();
      assert.equal(body, rawBody);
    });

    it('are limited to 3,000 a minute for each address', async () => {
      const from = freshAddress();
      const { headers } = await world.call('POST', SKADNETWORK_PATH, { body: {}, from });
      assert.equal(headers['ratelimit-policy'], '"postbacks";q=3000;w=60');
    });
  });
}

function kindOf(body: Record<string, unknown>): string {
  return 'jws-string' in body ? 'adattributionkit' : 'skadnetwork';
}
