import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readClientHints } from '../../../src/redirect/visitors/client-hints.ts';
import { engines } from '../../helpers/engines.ts';
import { DESKTOP, freshAddress, PIXEL, useWorld } from '../../helpers/world.ts';

const CHROMIUM = {
  'sec-ch-ua': '"Chromium";v="141", "Google Chrome";v="141", "Not?A_Brand";v="8"',
  'sec-ch-ua-mobile': '?1',
  'sec-ch-ua-platform': '"Android"',
};
const hints = (model: string, platformVersion = '"14.0.0"') => ({
  ...CHROMIUM,
  'sec-ch-ua-model': `"${model}"`,
  'sec-ch-ua-platform-version': platformVersion,
});
const ANDROID = { androidDestination: 'https://example.com/app' };

describe('client hints', () => {
  it('are parsed without their quotes', () => {
    const read = readClientHints(hints('Pixel 8 Pro'));
    assert.deepEqual(read, { model: 'Pixel 8 Pro', platformVersion: '14.0.0' });
  });

  it('are null if empty, too long or not printable ASCII', () => {
    const long = 'x'.repeat(64);
    assert.equal(readClientHints(hints(long)).model, long);
    for (const value of [
      '',
      '""',
      '" "',
      `"${long}x"`,
      '"a", "b"',
      '"a\\"b"',
      '"\u0000"',
      '"é"',
      '"a'.repeat(500),
    ])
      assert.equal(readClientHints({ 'sec-ch-ua-model': value }).model, null, value);
    assert.deepEqual(readClientHints(CHROMIUM), { model: null, platformVersion: null });
  });
});

for (const engine of engines)
  describe(`client hints on ${engine}`, () => {
    const world = useWorld(engine);

    it('`Accept-CH` is sent with every response to a browser that supports them, and to no other', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, ANDROID);
      const visits = [
        { shortCode, status: 302, userAgent: PIXEL },
        { shortCode, status: 200, userAgent: DESKTOP, platform: '"Windows"' },
        { shortCode: 'nothing-here', status: 404, userAgent: PIXEL, headers: { accept: 'text/html' } },
      ];
      for (const { status, platform = '"Android"', ...visit } of visits) {
        const from = freshAddress();
        const plain = await world.tap(visit.shortCode, { ...visit, from });
        const asked = await world.tap(visit.shortCode, {
          ...visit,
          from,
          headers: { ...visit.headers, ...CHROMIUM, 'sec-ch-ua-platform': platform },
        });
        assert.deepEqual([plain.status, asked.status], [status, status]);
        assert.equal(plain.headers['accept-ch'], undefined);
        assert.equal(asked.headers['accept-ch'], 'Sec-CH-UA-Model, Sec-CH-UA-Platform-Version');
        for (const { headers } of [plain, asked]) assert.equal(headers['critical-ch'], undefined);
      }
    });

    it('are stored with the click and exported with the person’s data', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, ANDROID);
      const from = freshAddress();
      await world.tap(shortCode, { userAgent: PIXEL, from, headers: hints('Pixel 8') });
      await world.tap(shortCode, { userAgent: PIXEL, from, headers: hints('', '""') });
      await world.service.clickLog.applied();
      const { body } = await world.call('POST', '/v1/privacy/export', {
        key: app.keys.live,
        body: { ipAddress: from },
      });
      const seen = body.clicks.map((click: Record<string, unknown>) => [
        click.visitorReason,
        click.deviceModel,
        click.fingerprint,
      ]);
      assert.deepEqual(seen, [
        ['user-agent:browser', null, null],
        ['user-agent:browser', 'Pixel 8', '{"platformVersion":"14.0.0"}'],
      ]);
    });

    /** Two phones with the same address and user agent tap in turn; then the first one installs. */
    async function installAfter(taps: readonly { model: string | null; campaignId: string }[]) {
      const app = await world.newApp();
      const from = freshAddress();
      for (const { model, campaignId } of taps) {
        const { shortCode } = await world.newLink(app, { ...ANDROID, campaignId });
        const headers = model === null ? CHROMIUM : hints(model);
        await world.tap(shortCode, { userAgent: PIXEL, from, headers });
        world.clock.advance(1_000);
      }
      const fingerprint = { platform: 'ANDROID', deviceModel: 'Pixel 8', osVersion: '14', locale: 'en_US' };
      const install = async () => (await world.install(app, { fingerprint }, { from })).body;
      return { first: await install(), second: await install() };
    }

    it('distinguish phones with the same address and user agent', async () => {
      const without = await installAfter([
        { model: null, campaignId: 'own' },
        { model: null, campaignId: 'other' },
      ]);
      assert.notEqual(without.first.campaignId, 'own');
      const { first } = await installAfter([
        { model: 'Pixel 8', campaignId: 'own' },
        { model: 'SM-S918B', campaignId: 'other' },
      ]);
      assert.deepEqual([first.method, first.campaignId], ['FINGERPRINT', 'own']);
    });

    it('sent from the second tap on do not make the first tap another phone’s', async () => {
      const { first, second } = await installAfter([
        { model: null, campaignId: 'first' },
        { model: 'Pixel 8', campaignId: 'last' },
      ]);
      assert.deepEqual([first.method, first.campaignId], ['FINGERPRINT', 'last']);
      assert.equal(second.method, 'ORGANIC');
    });
  });
