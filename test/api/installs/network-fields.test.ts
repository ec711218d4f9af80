/** What networks and stores told the app about the ad, without a setting that uses it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../../src/lib/log.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError, storedRows } from '../../helpers/refusal.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const fingerprint = { platform: 'ANDROID' };
const SECRET = 'kept-to-itself';
const FIELDS = {
  appleAdsToken: `${SECRET}+/=`,
  referrerClickTimestampSeconds: 1_764_100_000,
  referrerClickTimestampServerSeconds: 1_764_100_001,
  metaReferrer: {
    installReferrer: `{"utm_content":"${SECRET}"}`,
    isClickThrough: true,
    actualTimestampSeconds: 1_764_100_002,
  },
};

for (const engine of neutralEngines)
  describe(`fields of networks on ${engine}`, () => {
    const lines: string[] = [];
    const log = createLog('trace', { to: { write: (line: string) => void lines.push(line) } });
    const world = useWorld(engine, {}, { log });
    const install = (app: TestApp, body: object) =>
      world.call('POST', '/v1/sdk/install', {
        ...{ key: app.keys.live_publishable, from: freshAddress() },
        body: { fingerprint, ...body },
      });

    it('are accepted, alone, together, null and at their bounds, and change no answer', async () => {
      const app = await world.newApp();
      const { installId: _, ...plain } = (await install(app, {})).body;
      const nulls = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, null]));
      for (const fields of [
        ...[FIELDS, { ...FIELDS, deterministicOnly: true }, nulls],
        ...Object.entries(FIELDS).map(([name, value]) => ({ [name]: value })),
        { appleAdsToken: 'x'.repeat(4_096) },
        { metaReferrer: { installReferrer: '€'.repeat(8_192) } },
        { metaReferrer: { installReferrer: 'x', isClickThrough: null, actualTimestampSeconds: null } },
        { referrerClickTimestampSeconds: 0, referrerClickTimestampServerSeconds: 2 ** 53 - 1 },
      ]) {
        const { status, body } = await install(app, fields);
        assert.equal(status, 200, JSON.stringify(fields).slice(0, 100));
        assert.deepEqual({ ...plain, installId: body.installId }, body);
      }
    });

    it('of a wrong form are refused by their name, in batches too, without their value', async () => {
      const app = await world.newApp();
      const meta = (fields: object) => ({ metaReferrer: { installReferrer: SECRET, ...fields } });
      for (const [name, fields] of [
        ...[['x'], {}, 7, true, '', 'x'.repeat(4_097)].map((appleAdsToken) => [
          'appleAdsToken',
          { appleAdsToken },
        ]),
        ...[SECRET, [], {}, { installReferrer: null }].map((metaReferrer) => [
          'metaReferrer',
          { metaReferrer },
        ]),
        ...['', 'x'.repeat(8_193), 7].map((installReferrer) => [
          'metaReferrer.installReferrer',
          meta({ installReferrer }),
        ]),
        ...['yes', 7, []].map((isClickThrough) => ['metaReferrer.isClickThrough', meta({ isClickThrough })]),
        ...[-1, 1.5, '1', 2 ** 53].flatMap((time) => [
          ['metaReferrer.actualTimestampSeconds', meta({ actualTimestampSeconds: time })],
          ['referrerClickTimestampSeconds', { referrerClickTimestampSeconds: time }],
          ['referrerClickTimestampServerSeconds', { referrerClickTimestampServerSeconds: time }],
        ]),
      ] as [string, object][]) {
        const answer = await install(app, fields);
        assert.equal(answer.status, 400, `${name} ${answer.text}`);
        assertError(answer, name);
        assert.ok(answer.body.error.startsWith(name), `${name}: ${answer.body.error}`);
        assert.ok(!answer.text.includes(SECRET), answer.text);
        const { body } = await world.call('POST', '/v1/sdk/installs', {
          ...{ key: app.keys.live_publishable, from: freshAddress() },
          body: { installs: [{ fingerprint, ...fields }] },
        });
        assert.deepEqual([body.results[0].status, body.results[0].error], [400, answer.body.error]);
      }
    });

    it('are neither stored nor logged, even by a fault, nor in answers about the install', async (t) => {
      const app = await world.newApp();
      const { installId } = (await install(app, FIELDS)).body;
      const read = await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live });
      assert.equal(read.status, 200);
      t.mock.method(world.service.store, 'commit', () => Promise.reject(new Error('a fault')));
      assert.equal((await install(app, FIELDS)).status, 500);
      assert.match(lines.join(), /a fault/);
      const kept = JSON.stringify([await storedRows(world), read.body, lines]);
      assert.ok(kept.includes(installId));
      for (const value of [SECRET, '1764100000', '1764100001', '1764100002'])
        assert.ok(!kept.includes(value), value);
    });
  });
