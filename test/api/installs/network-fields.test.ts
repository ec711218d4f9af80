/** What networks and stores told the app about the ad, without a setting that uses it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../../src/lib/log.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { storedRows } from '../../helpers/refusal.ts';
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

    it('of a wrong form are dropped and cost no install, in batches too, and the trace says so', async () => {
      const app = await world.newApp({ appleAds: true });
      const meta = (fields: object) => ({ metaReferrer: { installReferrer: 'x', ...fields } });
      const wrongTimes = [-1, 1.5, '1', 2 ** 53, []];
      const cases: [object, string][] = [
        ...[['x'], {}, 7, true, '', 'x'.repeat(4_097)].map((appleAdsToken): [object, string] => [
          { appleAdsToken },
          'apple_ads malformed',
        ]),
        ...[
          SECRET,
          [],
          {},
          7,
          { installReferrer: null },
          ...['', 'x'.repeat(8_193), 7].map((installReferrer) => ({ installReferrer })),
        ].map((metaReferrer): [object, string] => [{ metaReferrer }, 'meta malformed']),
        ...[0, 1, 'yes', 7, []].map((isClickThrough): [object, string] => [meta({ isClickThrough }), '']),
        ...wrongTimes.flatMap((time): [object, string][] => [
          [meta({ actualTimestampSeconds: time }), ''],
          [{ referrerClickTimestampSeconds: time }, ''],
          [{ referrerClickTimestampServerSeconds: time }, ''],
        ]),
      ];
      const bodies = cases.map(([fields]) => ({
        fingerprint: { platform: 'appleAdsToken' in fields ? 'IOS' : 'ANDROID' },
        ...fields,
      }));
      const { body } = await world.call('POST', '/v1/sdk/installs', {
        ...{ key: app.keys.live_publishable, from: freshAddress(), body: { installs: bodies } },
      });
      for (const [index, [fields, expected]] of cases.entries()) {
        const text = JSON.stringify(fields).slice(0, 100);
        assert.equal(body.results[index].status, 200, text);
        const path = `/v1/installs/${body.results[index].installId}`;
        const read = await world.call('GET', path, { key: app.keys.live });
        const found = read.body.explanation.network.map(
          (each: Record<string, string>) => `${each.name} ${each.outcome}`,
        );
        assert.equal(found.join(), expected, text);
      }
      for (const fields of bodies.slice(5, 9)) assert.equal((await install(app, fields)).status, 200);
      const dryRun = await world.call('POST', '/v1/debug/attribution', {
        ...{ from: freshAddress(), body: { apiKey: app.keys.live, ...bodies[0] } },
      });
      assert.equal(dryRun.status, 200, dryRun.text);
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
